import type { preValidationHookHandler, RouteOptions } from "fastify"
import { Problem } from "../base/problem.ts"

/**
 * Routes that take several media types have no schema for a request without one: such a request
 * without a body would reach the handler unseen by any validator.
 */
export function requireBody(route: RouteOptions): void {
  const { body } = (route.schema ?? {}) as { body?: { content?: object } }
  if (body?.content === undefined) return
  const before = route.preValidation ?? []
  route.preValidation = [...(Array.isArray(before) ? before : [before]), refuseMissing]
}

const refuseMissing: preValidationHookHandler = ({ body }, _reply, done) => {
  done(
    body === undefined
      ? new Problem("unsupported-media-type", "The request has neither a body nor a Content-Type.")
      : undefined,
  )
}
