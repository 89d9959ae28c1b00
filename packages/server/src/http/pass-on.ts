import type { App } from "./app.ts"

/**
 * Passes requests that no route takes to an application of their own, which `open` makes when the
 * first one comes.
 */
export function passOnUnmatched(app: App, open: () => App | Promise<App>): void {
  let opening: Promise<App> | undefined
  let opened: App | undefined

  app.addHook("onRequest", (request, reply, done) => {
    if (!request.is404) {
      done()
      return
    }
    const passOn = (next: App): void => {
      reply.hijack()
      next.routing(request.raw, reply.raw)
    }
    if (opened !== undefined) {
      passOn(opened)
      return
    }
    opening ??= openNext(open)
    opening
      .then((next) => passOn((opened = next)))
      .catch((error: unknown) => {
        // One that could not be opened is tried again by the next request.
        if (opened === undefined) opening = undefined
        done(error as Error)
      })
  })
  app.addHook("onClose", async () => await (await opening)?.close())
}

async function openNext(open: () => App | Promise<App>): Promise<App> {
  const app = await open()
  await app.ready()
  return app
}
