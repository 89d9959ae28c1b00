import type { UsageReport } from "@assay/core/contract"
import { ask } from "./attempts.ts"
import type { Failover } from "./failover.ts"
import type { Settings } from "./options.ts"
import { type CallOptions, query } from "./request.ts"
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
  options: UsageOptions = {},
): Promise<UsageReport> {
  const path = `/api/v1/usage${query({ from: options.from, to: options.to })}`
  const question = { method: "GET", path, repeatable: true } as const
  return (await ask(settings, question, options, (response) =>
    answerOf(response, 200, isReport),
  )) as UsageReport
}

function isReport(body: Readonly<Record<string, unknown>> | null): boolean {
  return Array.isArray(body?.["usage"]) && typeof body["total"] === "number"
}
