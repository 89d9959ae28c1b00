import type { SourceList } from "@assay/core/contract"
import { answeredInTime } from "./attempts.ts"
import type { Failover } from "./failover.ts"
import type { Settings } from "./options.ts"
import { type CallOptions, sender } from "./request.ts"
import { answerOf } from "./response.ts"

export interface SourceOptions extends CallOptions {
  /** The `next` of the page before. */
  readonly after?: string
  /** 1 to 100; 100 unless given. */
  readonly limit?: number
}

/**
 * A page of the sources that scores rest on. Rejects whatever `failover` says: no list stands in
 * for this one.
 */
export async function listSources(
  settings: Settings<Failover>,
  { after, limit, signal, timeoutMs = settings.timeoutMs, requestId }: SourceOptions = {},
): Promise<SourceList> {
  const query = new URLSearchParams({
    ...(after === undefined ? {} : { after }),
    ...(limit === undefined ? {} : { limit: String(limit) }),
  }).toString()
  const path = `/api/v1/sources${query === "" ? "" : `?${query}`}`
  const send = sender(settings, { method: "GET", path, requestId })
  const found = await answeredInTime(
    { timeoutMs, retries: settings.retries, signal, repeatable: true },
    async (time) => await answerOf(await send(null, time), 200, isList),
  )
  return found as SourceList
}

function isList(body: Readonly<Record<string, unknown>> | null): boolean {
  return Array.isArray(body?.["sources"]) && body["next"] !== undefined
}
