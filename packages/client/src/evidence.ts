import { EVIDENCE_LINES_MAX, type EvidenceLine, type EvidenceStatus } from "@assay/core/contract"
import { ask } from "./attempts.ts"
import type { AssayProblem } from "./errors.ts"
import type { Failover } from "./failover.ts"
import type { FeedbackOptions } from "./feedback.ts"
import { checkedKey, newKey } from "./idempotency-key.ts"
import { jsonParts } from "./json-parts.ts"
import type { Settings } from "./options.ts"
import { answerOf, isJsonObject, itemProblem, notAssays } from "./response.ts"

/** What became of one line: whether it was new, or why it was refused. */
export type EvidenceOutcome =
  | { readonly index: number; readonly status: EvidenceStatus; readonly problem?: never }
  | { readonly index: number; readonly problem: AssayProblem; readonly status?: never }

const PATH = "/api/v1/evidence"
/** Ten thousand lines go to a disk before they are answered. */
const TIMEOUT_MS = 30_000

/**
 * Sends evidence in as few requests as the service allows, one after the other; outcomes come in
 * the order given. Rejects whatever `failover` says. The lines sent by then stay stored, and
 * sending all again changes nothing.
 */
export async function sendEvidence(
  settings: Settings<Failover>,
  lines: readonly EvidenceLine[],
  options: FeedbackOptions = {},
): Promise<EvidenceOutcome[]> {
  const { idempotencyKey = newKey() } = options
  checkedKey(idempotencyKey)
  const outcomes: EvidenceOutcome[] = []
  for (const [place, part] of jsonParts(lines, EVIDENCE_LINES_MAX).entries()) {
    // The first request uses the key itself; the others derive theirs from it, so that retries
    // match.
    const key = place === 0 ? idempotencyKey : checkedKey(`${idempotencyKey}.${place}`)
    const question = {
      method: "POST",
      path: PATH,
      headers: { "idempotency-key": key },
      body: `[${part.join(",")}]`,
      timeoutMs: TIMEOUT_MS,
      repeatable: true,
    } as const
    const answer = await ask(settings, question, options, (response) => answerOf(response))
    const results = answer["results"]
    if (!Array.isArray(results) || results.length !== part.length) throw notAssays()
    const from = outcomes.length
    for (const [n, item] of results.entries()) outcomes.push(outcomeOf(item, n, from + n))
  }
  return outcomes
}

function outcomeOf(item: unknown, place: number, index: number): EvidenceOutcome {
  if (!isJsonObject(item) || item["index"] !== place) throw notAssays()
  if (isJsonObject(item["problem"])) return { index, problem: itemProblem(item["problem"]) }
  const { status } = item
  if (status !== "stored" && status !== "known") throw notAssays()
  return { index, status }
}
