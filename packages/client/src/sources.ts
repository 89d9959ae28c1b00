import type { SourceList } from "@assay/core/contract"
import { ask } from "./attempts.ts"
import type { Failover } from "./failover.ts"
import type { Settings } from "./options.ts"
import { type CallOptions, query } from "./request.ts"
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
  options: SourceOptions = {},
): Promise<SourceList> {
  const path = `/api/v1/sources${query({ after: options.after, limit: options.limit })}`
  const question = { method: "GET", path, repeatable: true } as const
  return (await ask(settings, question, options, (response) =>
    answerOf(response, 200, isList),
  )) as SourceList
}

function isList(body: Readonly<Record<string, unknown>> | null): boolean {
  return Array.isArray(body?.["sources"]) && body["next"] !== undefined
}
