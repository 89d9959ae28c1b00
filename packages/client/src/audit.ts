import type { AuditList } from "@assay/core/contract"
import { ask } from "./attempts.ts"
import type { Failover } from "./failover.ts"
import type { Settings } from "./options.ts"
import { type CallOptions, query } from "./request.ts"
import { answerOf } from "./response.ts"

export interface AuditOptions extends CallOptions {
  /** Only entries before this one: the last id of a page asks for the next page. */
  readonly before?: number
  /** 1 to 100; 20 unless given. */
  readonly limit?: number
}

/** A page of who changed what, the newest first. Rejects whatever `failover` says. */
export async function listAudit(
  settings: Settings<Failover>,
  options: AuditOptions = {},
): Promise<AuditList> {
  const { before, limit } = options
  const path = `/api/v1/audit${query({ before: before?.toString(), limit: limit?.toString() })}`
  const question = { method: "GET", path, repeatable: true } as const
  return (await ask(settings, question, options, (response) =>
    answerOf(response, 200, isList),
  )) as AuditList
}

function isList(body: Readonly<Record<string, unknown>> | null): boolean {
  return Array.isArray(body?.["entries"])
}
