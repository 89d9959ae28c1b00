import { type BlockHead, countIn } from "./decision-block.ts"
import { firstDecisionIdAt } from "./decision-id.ts"
import type { Row } from "./decisions-row.ts"
import type { CountedPart, DecisionPart, OutcomeCount } from "./decisions.ts"
import { ERASED_FORMAT } from "./decisions.ts"

// Counting reads the heads of blocks and none of the inputs, some blocks at a time: a tenant may
// have made millions of decisions, and others wait for the process that counts them.

/** A thousand decisions, of all tenants: about a millisecond. */
export const BLOCKS_AT_ONCE = 8
/** Of format 1. */
export const ROWS_AT_ONCE = 1_000

/** A part with its ends as ids: from the one, before the other. */
export interface PartOfIds {
  readonly tenantId: number
  readonly from: string
  readonly before: string
}

export function partOfIds({ tenantId, from, before }: DecisionPart): PartOfIds {
  return { tenantId, from: firstDecisionIdAt(from), before: before ?? "dec_~" }
}

/** The head of a block; null in place of its facts where it has no decision of the tenant. */
export type CountedHead = Pick<BlockHead, "first" | "last" | "callers" | "outcomes"> & {
  readonly facts: Uint8Array | null
}
export type CountedRow = Pick<
  Row,
  "id" | "tenant_id" | "subject" | "stage" | "action" | "score" | "format"
>

/**
 * Counts what was read of a part: its newest blocks and its newest rows of format 1, each as many
 * as are read at once. Where more are left, what is older than the oldest of either is left too.
 */
export function countedPart(
  part: PartOfIds,
  blocks: readonly CountedHead[],
  rows: readonly CountedRow[],
): CountedPart {
  const ends = [
    part.from,
    ...(blocks.length < BLOCKS_AT_ONCE ? [] : [blocks.at(-1)?.first ?? ""]),
    ...(rows.length < ROWS_AT_ONCE ? [] : [rows.at(-1)?.id ?? ""]),
  ]
  const from = ends.reduce((a, b) => (a > b ? a : b))
  const counts = new Map<string, OutcomeCount>()
  const add = (one: Omit<OutcomeCount, "count">): void => {
    const name = `${one.identityType} ${one.stage} ${one.action} ${one.score}`
    const found = counts.get(name)
    if (found === undefined) counts.set(name, { ...one, count: 1 })
    else found.count++
  }
  const ids = { ...part, from }
  for (const { facts, ...head } of blocks) if (facts !== null) countIn({ ...head, facts }, ids, add)
  for (const { id, tenant_id, subject, stage, action, score, format } of rows) {
    if (id < from || tenant_id !== part.tenantId || format === ERASED_FORMAT) continue
    add({ identityType: subject as OutcomeCount["identityType"], stage, action, score })
  }
  return { counts: [...counts.values()], next: from > part.from ? from : null }
}
