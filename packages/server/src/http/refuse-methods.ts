import type { HTTPMethods } from "fastify"
import type { App } from "./app.ts"
import { passOnUnmatched } from "./pass-on.ts"
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
 * Answers a method that a path does not take with 405 and `Allow`, where Fastify answers 404. That
 * takes routes for all other methods of every path. Among the routes of the service they were most
 * of them, so they are in an application of their own, made of the bare one that `open` returns.
 */
export function refuseMethods(app: App, open: () => App): void {
  const methodsOf = new Map<string, Set<string>>()
  app.addHook("onRoute", ({ url, method, config }) => {
    for (const path of config?.paths ?? [url]) {
      const known = methodsOf.get(path) ?? new Set()
      for (const name of Array.isArray(method) ? method : [method]) known.add(name)
      methodsOf.set(path, known)
    }
  })
  passOnUnmatched(app, () => refusing(open(), methodsOf))
}

function refusing(app: App, methodsOf: ReadonlyMap<string, ReadonlySet<string>>): App {
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
  return app
}
