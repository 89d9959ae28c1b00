import type { UsageReport } from "@assay/core/contract"
import { answeredInTime } from "./attempts.ts"
import type { Failover } from "./failover.ts"
import type { Settings } from "./options.ts"
import { type CallOptions, sender } from "./request.ts"
import { answerOf } from "./response.ts"

export interface UsageOptions extends CallOptions {
  /** First UTC day, YYYY-MM-DD; the first of the month of `to` unless given. */
  readonly from?: string
  /** Last UTC day, included; today unless given. */
  readonly to?: string
}

/**
 * What the tenant's keys have looked up. Rejects whatever `failover` says: no report stands in for
 * this one.
 */
export async function getUsage(
  settings: Settings<Failover>,
  { from, to, signal, timeoutMs = settings.timeoutMs, requestId }: UsageOptions = {},
): Promise<UsageReport> {
  const query = new URLSearchParams({
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  }).toString()
  const path = `/api/v1/usage${query === "" ? "" : `?${query}`}`
  const send = sender(settings, { method: "GET", path, requestId })
  const found = await answeredInTime(
    { timeoutMs, retries: settings.retries, signal, repeatable: true },
    async (time) => await answerOf(await send(null, time), 200, isReport),
  )
  return found as UsageReport
}

function isReport(body: Readonly<Record<string, unknown>> | null): boolean {
  return Array.isArray(body?.["usage"]) && typeof body["total"] === "number"
}
