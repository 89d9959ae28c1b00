import type { DatabaseSync, SQLInputValue } from "node:sqlite"
import {
  type Block,
  type BlockHead,
  decisionsOf,
  FACT_BYTES,
  fullBlocks,
  isFull,
  PAIRS,
  passing,
  scoreBits,
  textsOf,
} from "../decision-block.ts"
import {
  IDENTITY_BLOCKS_AT_ONCE,
  type IdentityHead,
  type SpanOfIds,
} from "../decided-identities.ts"
import { BLOCKS_AT_ONCE, type CountedHead, type PartOfIds } from "../decision-counts.ts"
import type { Search } from "../decision-search.ts"
import {
  emptied,
  inOrder,
  type Outline,
  placings,
  without,
  withPlaced,
} from "../decision-placing.ts"
import type { Decision, DecisionErasure } from "../decisions.ts"
import {
  addIdentityRuns,
  blocksOfIdentity,
  createIdentityRuns,
  forgetIdentity,
  lastBlockInRuns,
} from "./identity-runs.ts"

// The blocks of a month's file. What writes is called within a transaction, and so is what reads
// where another process writes.

export function createBlocks(db: DatabaseSync): void {
  // Inputs are apart, so that a search reads none.
  db.exec(`
    create table blocks (
      n integer primary key, first text not null, last text not null, callers text not null,
      outcomes text not null, scores integer not null, facts blob not null
    ) strict;
    create unique index blocks_in_order on blocks (first);
    create table block_inputs (n integer primary key, inputs blob not null) strict`)
  createIdentityRuns(db)
}

export function countInBlocks(db: DatabaseSync): number {
  const bytes = db.prepare("select coalesce(sum(length(facts)), 0) as n from blocks").get()?.["n"]
  return Number(bytes) / FACT_BYTES
}

export function addToBlocks(db: DatabaseSync, decisions: readonly Decision[]): void {
  const sorted = inOrder(decisions)
  const [first, last] = [sorted[0], sorted.at(-1)]
  if (first === undefined || last === undefined) return
  const insert = inserter(db)
  for (const placing of placings(sorted, outlinesBetween(db, first.id, last.id))) {
    if (placing.into === null) {
      insert(fullBlocks(placing.decisions))
      continue
    }
    const block = blockAt(db, placing.into)
    const changed = withPlaced(block, placing)
    if (changed === null) continue
    remove(db, block.n)
    insert(changed)
  }
  addIdentityRuns(db)
}

/** The beginning of the block of an id, or of the first there is. */
const START = `coalesce((select max(first) from blocks where first <= ?), '')`

/** The blocks from the one of an id to the one of another; at least one, if there is any. */
function outlinesBetween(db: DatabaseSync, from: string, to: string): Outline[] {
  const rows = db
    .prepare(
      `select first, last, length(facts) as facts, length(inputs) as inputs
       from blocks join block_inputs using (n) where first >= ${START}
       and first <= max(?, (select min(first) from blocks)) order by first`,
    )
    .all(from, to) as unknown as (Omit<Outline, "full"> & { facts: number; inputs: number })[]
  return rows.map(({ first, last, ...sizes }) => ({ first, last, full: isFull(sizes) }))
}

type StoredBlock = Block & { readonly n: number }

function blockAt(db: DatabaseSync, first: string): StoredBlock {
  const row = db.prepare("select * from blocks join block_inputs using (n) where first = ?")
  return row.get(first) as unknown as StoredBlock
}

function inserter(db: DatabaseSync): (blocks: readonly Block[]) => void {
  const last = db.prepare("select max(n) as n from blocks").get()?.["n"]
  // Not the number of a block that is in a run and has gone.
  let n = Math.max(lastBlockInRuns(db), Number(last ?? 0))
  const head = db.prepare("insert into blocks values (?, ?, ?, ?, ?, ?, ?)")
  const inputs = db.prepare("insert into block_inputs values (?, ?)")
  return (blocks) => {
    for (const b of blocks) {
      head.run(++n, b.first, b.last, b.callers, b.outcomes, b.scores, b.facts)
      inputs.run(n, b.inputs)
    }
  }
}

function remove(db: DatabaseSync, n: number): void {
  db.prepare("delete from blocks where n = ?").run(n)
  db.prepare("delete from block_inputs where n = ?").run(n)
}

type StoredHead = BlockHead & { readonly n: number }

/**
 * The first decisions that pass, in one order of ids or the other. Pauses after each block: a
 * search that few of many blocks pass takes a tenth of a second.
 */
export function* searchBlocks(db: DatabaseSync, search: Search): Generator<undefined, Decision[]> {
  const { limit, newestFirst } = search
  const found: Decision[] = []
  for (const head of headsOf(db, search)) {
    yield
    const places = passing(head, search)
    if (newestFirst) places.reverse()
    const wanted = places.slice(0, limit - found.length)
    if (wanted.length === 0) continue
    const inputs = db.prepare("select inputs from block_inputs where n = ?").get(head.n)
    found.push(...decisionsOf({ ...head, inputs: inputs?.["inputs"] as Uint8Array }, wanted))
    if (found.length === limit) break
  }
  return found
}

function headsOf(db: DatabaseSync, search: Search): Iterable<StoredHead> {
  if (search.limit === 0) return []
  const conditions = [`first >= ${START}`, "first < ?"]
  const values: SQLInputValue[] = [search.after, search.before]
  const { callers, outcomes, pairs } = textsOf(search)
  for (const text of callers) {
    conditions.push("instr(callers, ?) > 0")
    values.push(text)
  }
  for (const text of outcomes) {
    conditions.push("instr(outcomes, ?) > 0")
    values.push(text)
  }
  for (const some of pairs) {
    const any = ["instr(outcomes, ?) = 0", ...some.map(() => "instr(outcomes, ?) > 0")]
    conditions.push(`(${any.join(" or ")})`)
    values.push(PAIRS, ...some)
  }
  if (search.scores !== undefined) {
    conditions.push("(scores & ?) <> 0")
    values.push(scoreBits(...search.scores))
  }
  if (search.identityKey !== undefined) {
    conditions.push("n in (select value from json_each(?))")
    values.push(JSON.stringify(blocksOfIdentity(db, search.identityKey)))
  }
  return db
    .prepare(
      `select n, first, last, callers, outcomes, scores, facts from blocks
       where ${conditions.join(" and ")} order by first ${search.newestFirst ? "desc" : ""}`,
    )
    .iterate(...values) as Iterable<unknown> as Iterable<StoredHead>
}

/** The newest blocks of a part. Facts of those without the tenant are not even read. */
export function newestHeads(db: DatabaseSync, part: PartOfIds): CountedHead[] {
  const { tenantId, from, before } = part
  const [text = ""] = textsOf({ tenantId }).callers
  return db
    .prepare(
      `select first, last, callers, outcomes,
       case when instr(callers, ?) > 0 then facts end as facts
       from blocks where first >= ${START} and first < ? order by first desc limit ?`,
    )
    .all(text, from, before, BLOCKS_AT_ONCE) as unknown as CountedHead[]
}

/** The newest blocks between two ids. */
export function newestIdentityHeads(db: DatabaseSync, { from, before }: SpanOfIds): IdentityHead[] {
  return db
    .prepare(
      `select first, last, facts from blocks
       where first >= ${START} and first < ? order by first desc limit ?`,
    )
    .all(from, before, IDENTITY_BLOCKS_AT_ONCE) as unknown as IdentityHead[]
}

/** Empties decisions and returns how many. */
export function eraseInBlocks(db: DatabaseSync, erasure: DecisionErasure): number {
  const update = db.prepare(
    "update blocks set callers = ?, outcomes = ?, scores = ?, facts = ? where n = ?",
  )
  const updateInputs = db.prepare("update block_inputs set inputs = ? where n = ?")
  const kept = new Set<number>()
  let erased = 0
  const numbers = blocksOfIdentity(db, erasure.identityKey)
  const select = db.prepare("select * from blocks join block_inputs using (n) where n = ?")
  for (const n of numbers) {
    const found = select.get(n) as unknown as Block | undefined
    if (found === undefined) continue
    const { block, count, left } = emptied(found, erasure)
    if (left) kept.add(n)
    erased += count
    if (count === 0) continue
    update.run(block.callers, block.outcomes, block.scores, block.facts, n)
    updateInputs.run(block.inputs, n)
  }
  if (erased > 0) forgetIdentity(db, erasure.identityKey, kept)
  return erased
}

/** Deletes some of the decisions before an id, and returns how many. */
export function forgetInBlocks(db: DatabaseSync, before: string, blocksMax: number): number {
  const blocks = db
    .prepare("select first from blocks where first < ? order by first limit ?")
    .all(before, blocksMax)
  const insert = inserter(db)
  let forgotten = 0
  for (const { first } of blocks) {
    const block = blockAt(db, String(first))
    const left = block.last < before ? [] : without(block, (id) => id < before)
    forgotten += countOf([block]) - countOf(left)
    remove(db, block.n)
    insert(left)
  }
  return forgotten
}

function countOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, { facts }) => sum + facts.length, 0) / FACT_BYTES
}
