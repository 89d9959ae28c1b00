import type { IncomingMessage, ServerResponse } from "node:http"
import { problems } from "@assay/core/contract"
import type { Caller } from "../accounts/callers.ts"
import type { Metrics } from "../base/metrics.ts"
import type { Log } from "@assay/runtime/log"
import { wasGivenUp } from "./given-up.ts"

/**
 * Takes note of a request that was answered, or whose sender went away before. `route` is the
 * route's pattern; `unmatched` for a path that has none, `unread` for what was refused before its
 * path was looked at.
 */
export type Observe = (
  route: string,
  method: string,
  status: number,
  ms: number,
  request?: { readonly id: string; readonly caller?: Caller },
) => void

/**
 * Observes a request when its answer is closed, which also happens when the sender or the reader
 * hangs up.
 */
export function observeOnClose(
  observe: Observe,
  route: string,
  { method = "unknown", socket }: IncomingMessage,
  response: ServerResponse,
  request: { readonly id: string; readonly caller?: Caller },
): void {
  const beganMs = performance.now()
  response.once("close", () => {
    if (!response.writableFinished && wasGivenUp(socket)) return
    // Nothing was answered, so the status is not yet what it would have been.
    if (!response.headersSent) response.statusCode = problems["request-incomplete"].status
    observe(route, method, response.statusCode, performance.now() - beganMs, request)
  })
}

/** Counts and logs every answer, whichever code gave it. */
export function openObserve(log: Log, metrics: Pick<Metrics, "observeRequest">): Observe {
  return (route, method, status, ms, request) => {
    metrics.observeRequest(route, method, status, ms / 1000)
    const level = status >= 500 ? "error" : status >= 400 ? "info" : "debug"
    if (!log.isLevelEnabled(level)) return
    log[level]("request", {
      ...(request && { requestId: request.id }),
      method,
      route,
      status,
      ms: Math.round(ms),
      ...callerFields(request?.caller),
    })
  }
}

function callerFields(caller: Caller | undefined): { keyId?: string; tenantId?: number } {
  if (caller === undefined) return {}
  return { keyId: caller.keyId, ...(caller.tenantId === null ? {} : { tenantId: caller.tenantId }) }
}
