import { type Block, blockOf, decisionsOf, evenBlocks, fullBlocks } from "./decision-block.ts"
import { type Decision, type DecisionErasure, ERASED } from "./decisions.ts"

/** A stored block, as far as it must be known to find the place of a decision. */
export interface Outline {
  readonly first: string
  readonly last: string
  readonly full: boolean
}

/** Decisions that lie together in a month: in new blocks, or in a block there is. */
export interface Placing {
  /** The first id of the block there is. */
  readonly into: string | null
  readonly decisions: Decision[]
  /** Whether all of them come after that block's last. */
  readonly appended: boolean
}

/** Sorts by id, and keeps the first of those that have the same. */
export function inOrder(decisions: readonly Decision[]): Decision[] {
  const sorted = nearlySorted(decisions) ?? decisions.toSorted(byId)
  return sorted.filter(({ id }, n) => id !== sorted[n - 1]?.id)
}

function byId(a: Decision, b: Decision): number {
  // An id begins with its moment, and numbers are compared faster.
  if (a.at !== b.at) return a.at - b.at
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}

/**
 * A worker writes decisions in the order of time, so only those of the same millisecond change
 * places: each is moved a few places to the front. Null where that does not suffice.
 */
function nearlySorted(decisions: readonly Decision[]): Decision[] | null {
  const sorted = [...decisions]
  let moves = 0
  for (let n = 1; n < sorted.length; n++) {
    const decision = sorted[n] as Decision
    let place = n
    for (; place > 0 && byId(sorted[place - 1] as Decision, decision) > 0; place--)
      sorted[place] = sorted[place - 1] as Decision
    sorted[place] = decision
    moves += n - place
    if (moves > 16 * sorted.length) return null
  }
  return sorted
}

/**
 * Finds the places of decisions in the order of ids, among the blocks from the one of the first
 * decision to the one of the last.
 */
export function placings(decisions: readonly Decision[], outlines: readonly Outline[]): Placing[] {
  const placed: Placing[] = []
  let from = 0
  for (let at = 0; from < decisions.length; at++) {
    const outline = outlines[at]
    const next = outlines[at + 1]
    let to = from
    while (to < decisions.length && (!next || (decisions[to]?.id ?? "") < next.first)) to++
    if (to === from) continue
    const some = decisions.slice(from, to)
    const appended = outline === undefined || (some[0]?.id ?? "") > outline.last
    const into = outline === undefined || (appended && outline.full) ? null : outline.first
    placed.push({ into, decisions: some, appended })
    from = to
  }
  return placed
}

/** What a block becomes, or null where it has all of these decisions already. */
export function withPlaced(block: Block, { decisions, appended }: Placing): Block[] | null {
  const held = decisionsOf(block)
  if (appended) return fullBlocks([...held, ...decisions])
  const ids = new Set(held.map(({ id }) => id))
  const added = decisions.filter(({ id }) => !ids.has(id))
  return added.length === 0 ? null : evenBlocks(inOrder([...held, ...added]))
}

/** A block without some of its decisions; none where nothing is left. */
export function without(block: Block, gone: (id: string) => boolean): Block[] {
  return evenBlocks(decisionsOf(block).filter(({ id }) => !gone(id)))
}

export interface Emptied {
  readonly block: Block
  readonly count: number
  /** Whether the identity has decisions in it that the erasure leaves. */
  readonly left: boolean
}

/** A block with the decisions emptied that an erasure is about: only their ids stay. */
export function emptied(block: Block, erasure: DecisionErasure): Emptied {
  const { identityKey, tenantId, upTo } = erasure
  let count = 0
  let left = false
  const decisions = decisionsOf(block).map((decision) => {
    if (!sameBytes(decision.identityKey, identityKey)) return decision
    if (decision.at > upTo || (tenantId !== null && decision.tenantId !== tenantId)) {
      left = true
      return decision
    }
    count++
    return { ...decision, ...ERASED }
  })
  return { block: blockOf(decisions), count, left }
}

function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0
}
