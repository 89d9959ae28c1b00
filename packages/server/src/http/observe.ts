import type { Caller } from "../accounts/callers.ts"
import type { Metrics } from "../base/metrics.ts"
import type { Log } from "@assay/runtime/log"

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
