import { type BlockHead, IDENTITY_BYTES, keysIn } from "./decision-block.ts"
import { firstDecisionIdAt } from "./decision-id.ts"
import type { DecidedIdentities, IdentitiesPart } from "./decisions.ts"
import type { Row } from "./decisions-row.ts"

// Who was decided about is read from the heads of blocks, and none of the inputs, some blocks at a
// time: all decisions of a month do not fit into memory.

/** Some 30,000 decisions, of all tenants: about 2 MB. */
export const IDENTITY_BLOCKS_AT_ONCE = 256
/** Of format 1. */
export const IDENTITY_ROWS_AT_ONCE = 10_000

/** A part with its ends as ids: from the one, before the other. */
export interface SpanOfIds {
  readonly from: string
  readonly before: string
}

export function spanOfIds({ from, before }: IdentitiesPart): SpanOfIds {
  return { from: firstDecisionIdAt(from), before }
}

export type IdentityHead = Pick<BlockHead, "first" | "last" | "facts">
/** An erased one has no key. */
export type IdentityRow = Pick<Row, "id" | "identity_key">

/**
 * The identities of what was read of a part: its newest blocks and its newest rows of format 1,
 * each as many as are read at once. Where more are left, what is older than the oldest of either is
 * left too.
 */
export function decidedIdentities(
  span: SpanOfIds,
  blocks: readonly IdentityHead[],
  rows: readonly IdentityRow[],
): DecidedIdentities {
  const ends = [
    span.from,
    ...(blocks.length < IDENTITY_BLOCKS_AT_ONCE ? [] : [blocks.at(-1)?.first ?? ""]),
    ...(rows.length < IDENTITY_ROWS_AT_ONCE ? [] : [rows.at(-1)?.id ?? ""]),
  ]
  const from = ends.reduce((a, b) => (a > b ? a : b))
  const ofBlocks = blocks.map((head) => keysIn(head, { ...span, from }))
  const ofRows = rows.filter(
    ({ id, identity_key }) => id >= from && identity_key.length === IDENTITY_BYTES,
  )
  const keys = Buffer.concat([...ofBlocks, ...ofRows.map(({ identity_key }) => identity_key)])
  return { keys, next: from > span.from ? from : null }
}
