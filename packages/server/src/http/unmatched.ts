import type { HTTPMethods } from "fastify"
import type { App } from "./app.ts"
import { Problem } from "../base/problem.ts"

const METHODS = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
] as const satisfies readonly HTTPMethods[]

/**
 * Passes requests that no route takes to an application of their own, which `open` makes when the
 * first one comes. Fastify answers 404 to a method that a path does not take; that application
 * answers it with 405 and `Allow`, by routes for all other methods of every path. Among the routes
 * of the service they were most of them, in every worker, and most workers never need one.
 */
export function passOnUnmatched(app: App, open: () => App): void {
  const methodsOf = new Map<string, Set<string>>()
  let opening: Promise<App> | undefined
  let opened: App | undefined

  app.addHook("onRoute", ({ url, method, config }) => {
    for (const path of config?.paths ?? [url]) {
      const known = methodsOf.get(path) ?? new Set()
      for (const name of Array.isArray(method) ? method : [method]) known.add(name)
      methodsOf.set(path, known)
    }
  })
  app.addHook("onRequest", (request, reply, done) => {
    if (!request.is404) {
      done()
      return
    }
    const passOn = (refusing: App): void => {
      reply.hijack()
      refusing.routing(request.raw, reply.raw)
    }
    if (opened !== undefined) {
      passOn(opened)
      return
    }
    opening ??= openRefusing(open(), methodsOf)
    opening
      .then((refusing) => passOn((opened = refusing)))
      .catch((error: unknown) => {
        // One that could not be opened is tried again by the next request.
        if (opened === undefined) opening = undefined
        done(error as Error)
      })
  })
  app.addHook("onClose", async () => await (await opening)?.close())
}

async function openRefusing(
  app: App,
  methodsOf: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<App> {
  for (const [url, known] of methodsOf) {
    const others = METHODS.filter((method) => !known.has(method))
    if (others.length === 0 || url.includes("*")) continue
    const allow = [...known].join(", ")
    app.route({
      method: others,
      url,
      schema: { hide: true },
      config: { refusesMethods: true },
      handler() {
        throw new Problem("method-not-allowed", `This path takes ${allow}.`, {
          headers: { allow },
        })
      },
    })
  }
  await app.ready()
  return app
}
