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
 * Fastify answers 404 to a method a path does not take. This notes the methods of every route
 * registered after it; the function it returns, called when all are there, answers the other
 * methods with 405 and `Allow`.
 */
export function refuseOtherMethods(app: App): () => void {
  const methodsOf = new Map<string, Set<string>>()
  app.addHook("onRoute", ({ url, method }) => {
    const known = methodsOf.get(url) ?? new Set()
    for (const name of Array.isArray(method) ? method : [method]) known.add(name)
    methodsOf.set(url, known)
  })
  return () => {
    for (const [url, known] of [...methodsOf]) {
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
  }
}
