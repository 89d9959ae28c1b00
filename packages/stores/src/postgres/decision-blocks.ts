import { type RawBuilder, sql } from "kysely"
import { startOfMonth, startOfNextMonth } from "@assay/runtime/time"
import { firstDecisionIdAt } from "../decision-id.ts"
import {
  type Block,
  type BlockHead,
  decisionsOf,
  eachIdentity,
  END_BYTES,
  FACT_BYTES,
  fullBlocks,
  isFull,
  isToldByEnds,
  PAIRS,
  passing,
  passingByEnds,
  scoreBits,
  textsOf,
} from "../decision-block.ts"
import {
  emptied,
  inOrder,
  type Outline,
  placings,
  without,
  withPlaced,
} from "../decision-placing.ts"
import {
  IDENTITY_BLOCKS_AT_ONCE,
  type IdentityHead,
  type SpanOfIds,
} from "../decided-identities.ts"
import { BLOCKS_AT_ONCE, type CountedHead, type PartOfIds } from "../decision-counts.ts"
import type { Search } from "../decision-search.ts"
import type { Decision, DecisionErasure } from "../decisions.ts"
import type { Database, Write } from "../records-engine.ts"

// The blocks of all months: partitions of one table. What writes is called within a transaction
// that has the lock, and what reads within one that sees a single moment.

/** Held by whoever changes blocks; the number only has to be ours. */
const BLOCKS_LOCK = 0x6173_7365
/** Rows of one statement. */
const INSERTED_AT_ONCE = 100
/** Blocks that a search reads first; then more and more, as fewer pass. */
const READ_FIRST = 8
const READ_AHEAD = 512
const READ_MAX = 1_024

export async function createBlocks(write: Write): Promise<void> {
  // Only inputs are kept apart, so that a search reads none. Ids are plain: a row is longer than
  // what the server keeps together, and it would take them out of it and fetch them for each
  // comparison.
  await sql`
    create table decision_blocks (
      first text storage plain collate "C" primary key, last text storage plain collate "C" not null,
      callers text storage main not null, outcomes text storage main not null,
      scores integer not null, facts bytea storage main not null,
      inputs bytea storage external not null, identities bigint[] storage main not null
    ) partition by range (first)`.execute(write)
  // Such an index gathers new entries and sorts them in by the thousand.
  await sql`create index decision_blocks_of_identity on decision_blocks using gin (identities)`.execute(
    write,
  )
}

export async function lockBlocks(write: Write): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(BLOCKS_LOCK)})`.execute(write)
}

/** The decisions of one month: no block has those of two. */
export async function addToBlocks(write: Write, decisions: readonly Decision[]): Promise<void> {
  const sorted = inOrder(decisions)
  const [first, last] = [sorted[0], sorted.at(-1)]
  if (first === undefined || last === undefined) return
  const added: Block[] = []
  for (const placing of placings(sorted, await outlinesBetween(write, first, last))) {
    if (placing.into === null) {
      added.push(...fullBlocks(placing.decisions))
      continue
    }
    const changed = withPlaced(await blockAt(write, placing.into), placing)
    if (changed === null) continue
    await sql`delete from decision_blocks where first = ${placing.into}`.execute(write)
    added.push(...changed)
  }
  for (let from = 0; from < added.length; from += INSERTED_AT_ONCE)
    await insert(write, added.slice(from, from + INSERTED_AT_ONCE))
}

/** The beginning of the block of an id, or of the first there is. */
const startOf = (id: string): RawBuilder<unknown> =>
  sql`coalesce((select max(first) from decision_blocks where first <= ${id}), '')`

/**
 * The blocks of a month from the one of a decision to the one of another; at least one, if there is
 * any.
 */
async function outlinesBetween(db: Database, from: Decision, to: Decision): Promise<Outline[]> {
  const start = firstDecisionIdAt(startOfMonth(from.at))
  const end = firstDecisionIdAt(startOfNextMonth(from.at))
  const { rows } = await sql<Omit<Outline, "full"> & { facts: number; inputs: number }>`
    select first, last, octet_length(facts) as facts, octet_length(inputs) as inputs
    from decision_blocks where first >= greatest(${start}, ${startOf(from.id)})
    and first <= greatest(${to.id}, (
      select min(first) from decision_blocks where first >= ${start} and first < ${end}
    )) order by first`.execute(db)
  return rows.map(({ first, last, ...sizes }) => ({ first, last, full: isFull(sizes) }))
}

async function blockAt(db: Database, first: string): Promise<Block> {
  const { rows } = await sql<Block>`
    select * from decision_blocks where first = ${first}`.execute(db)
  return rows[0] as Block
}

async function insert(write: Write, blocks: readonly Block[]): Promise<void> {
  const rows = blocks.map(
    (b) =>
      sql`(${b.first}, ${b.last}, ${b.callers}, ${b.outcomes}, ${b.scores}, ${b.facts}, ${b.inputs}, ${identitiesIn(b)})`,
  )
  await sql`insert into decision_blocks values ${sql.join(rows)}`.execute(write)
}

/** Of PostgreSQL, for the type bigint. */
const BIGINT_OID = 20
const ARRAY_HEAD_BYTES = 20
const BIGINT_BYTES = 8

/** The beginnings of the identities' keys, as an array in PostgreSQL's binary format. */
function identitiesIn({ facts }: Block): Buffer {
  let count = 0
  eachIdentity(facts, () => count++)
  const array = Buffer.alloc(ARRAY_HEAD_BYTES + count * (4 + BIGINT_BYTES))
  array.writeInt32BE(1, 0) // dimensions
  array.writeInt32BE(BIGINT_OID, 8)
  array.writeInt32BE(count, 12)
  array.writeInt32BE(1, 16) // the first index
  let end = ARRAY_HEAD_BYTES
  eachIdentity(facts, (at) => {
    end = array.writeInt32BE(BIGINT_BYTES, end) + BIGINT_BYTES
    for (let byte = 0; byte < PREFIX_BYTES; byte++)
      array[end - PREFIX_BYTES + byte] = facts[at + byte] as number
  })
  return array
}

/** As much of a key as a number of JavaScript holds in whole bytes. */
const PREFIX_BYTES = 6

function identityOf(key: Uint8Array): number {
  return Buffer.from(key).readUIntBE(0, PREFIX_BYTES)
}

function ofIdentity(key: Uint8Array): RawBuilder<unknown> {
  return key.length === 16 ? sql`identities @> array[${identityOf(key)}]::bigint[]` : sql`false`
}

/** The first decisions that pass, in one order of ids or the other. */
export async function searchBlocks(db: Database, search: Search): Promise<Decision[]> {
  const { limit, newestFirst } = search
  const found: { readonly head: BlockHead; readonly places: number[] }[] = []
  let left = limit
  for await (const head of headsOf(db, search)) {
    const places = isToldByEnds(head, search)
      ? passingByEnds(head, head.facts, search)
      : passing(head, search)
    if (newestFirst) places.reverse()
    const wanted = places.slice(0, left)
    if (wanted.length > 0) found.push({ head, places: wanted })
    left -= wanted.length
    if (left === 0) break
  }
  const firsts = found.map(({ head }) => head.first)
  const { rows } = await sql<Pick<Block, "first" | "facts" | "inputs">>`
    select first, facts, inputs from decision_blocks
    where first = any(${firsts}::text[])`.execute(db)
  const wholes = new Map(rows.map((row) => [row.first, row]))
  return found.flatMap(({ head, places }) => {
    const { facts, inputs } = wholes.get(head.first) as (typeof rows)[number]
    return decisionsOf({ ...head, facts, inputs }, places)
  })
}

/**
 * The heads of blocks that may have decisions that pass. Where `isToldByEnds`, `facts` is only its
 * end: a search that many blocks seem to pass would else spend its time on sending keys and ids.
 */
async function* headsOf(db: Database, search: Search): AsyncGenerator<BlockHead> {
  if (search.limit === 0) return
  const conditions = [sql`true`]
  const { callers, outcomes, pairs } = textsOf(search)
  for (const text of callers) conditions.push(sql`strpos(callers, ${text}) > 0`)
  for (const text of outcomes) conditions.push(sql`strpos(outcomes, ${text}) > 0`)
  for (const some of pairs) {
    const any = some.map((text) => sql`strpos(outcomes, ${text}) > 0`)
    conditions.push(sql`(strpos(outcomes, ${PAIRS}) = 0 or ${sql.join(any, sql` or `)})`)
  }
  if (search.scores !== undefined)
    conditions.push(sql`scores & ${scoreBits(...search.scores)} <> 0`)
  if (search.identityKey !== undefined) conditions.push(ofIdentity(search.identityKey))
  if (search.requestTag !== undefined)
    conditions.push(sql`position(${Buffer.from(search.requestTag)} in facts) > 0`)
  const passed = sql.join(conditions, sql` and `)
  const facts =
    search.identityKey === undefined && search.requestTag === undefined
      ? sql`case when first > ${search.after} and last < ${search.before}
          then substring(facts from ${sql.lit(FACT_BYTES - END_BYTES)} * octet_length(facts) / ${sql.lit(FACT_BYTES)} + 1)
          else facts end`
      : sql`facts`
  const order = sql.raw(search.newestFirst ? "desc" : "asc")
  const read = async (after: string | null, count: number): Promise<BlockHead[]> => {
    const from =
      after === null || search.newestFirst
        ? sql`first >= ${startOf(search.after)}`
        : sql`first > ${after}`
    const to = sql`first < ${after !== null && search.newestFirst ? after : search.before}`
    // By their beginnings, since the server may sort all blocks that pass to give a few of them.
    const { rows } = await sql<BlockHead>`
      select first, last, callers, outcomes, scores, ${facts} as facts from decision_blocks
      where first = any(array(
        select first from decision_blocks where ${from} and ${to} and ${passed}
        order by first ${order} limit ${count}
      ))`.execute(db)
    return rows.sort((a, b) => (a.first < b.first === search.newestFirst ? 1 : -1))
  }
  let reading = read(null, READ_FIRST)
  try {
    for (let count = READ_FIRST; ;) {
      const rows = await reading
      const last = rows.length < count ? undefined : rows.at(-1)
      const hasMany = count >= READ_AHEAD
      count = Math.min(READ_MAX, count * 4)
      // Of a search that passed over many blocks, the server reads more while these are looked at.
      if (last !== undefined && hasMany) {
        reading = read(last.first, count)
        // `await reading` reports an error. Swallow it here: nobody may get that far.
        reading.catch(() => undefined)
      }
      yield* rows
      if (last === undefined) return
      if (!hasMany) reading = read(last.first, count)
    }
  } finally {
    // One that is no longer wanted ends before the transaction does.
    await reading.catch(() => undefined)
  }
}

/** The newest blocks of a part. Facts of those without the tenant are not sent. */
export async function newestHeads(db: Database, part: PartOfIds): Promise<CountedHead[]> {
  const { tenantId, from, before } = part
  const [text = ""] = textsOf({ tenantId }).callers
  const { rows } = await sql<CountedHead>`
    select first, last, callers, outcomes,
    case when strpos(callers, ${text}) > 0 then facts end as facts from decision_blocks
    where first >= ${startOf(from)} and first < ${before}
    order by first desc limit ${BLOCKS_AT_ONCE}`.execute(db)
  return rows
}

/** The newest blocks between two ids. */
export async function newestIdentityHeads(db: Database, span: SpanOfIds): Promise<IdentityHead[]> {
  const { rows } = await sql<IdentityHead>`
    select first, last, facts from decision_blocks
    where first >= ${startOf(span.from)} and first < ${span.before}
    order by first desc limit ${IDENTITY_BLOCKS_AT_ONCE}`.execute(db)
  return rows
}

/** Empties decisions and returns how many. */
export async function eraseInBlocks(write: Write, erasure: DecisionErasure): Promise<number> {
  const { rows } = await sql<Block>`
    select * from decision_blocks where ${ofIdentity(erasure.identityKey)}`.execute(write)
  let erased = 0
  for (const found of rows) {
    const { block, count } = emptied(found, erasure)
    erased += count
    if (count === 0) continue
    await sql`
      update decision_blocks set callers = ${block.callers}, outcomes = ${block.outcomes},
      scores = ${block.scores}, facts = ${block.facts}, inputs = ${block.inputs},
      identities = ${identitiesIn(block)} where first = ${block.first}`.execute(write)
  }
  return erased
}

/** Deletes the decisions before an id, and returns how many. */
export async function forgetInBlocks(write: Write, before: string): Promise<number> {
  const gone = await sql<{ facts: number }>`
    delete from decision_blocks where first < ${before} and last < ${before}
    returning octet_length(facts) as facts`.execute(write)
  const count = gone.rows.reduce((sum, { facts }) => sum + facts, 0) / FACT_BYTES
  const cut = await sql<Block>`select * from decision_blocks where first < ${before}`.execute(write)
  let removed = 0
  for (const block of cut.rows) {
    const left = without(block, (id) => id < before)
    await sql`delete from decision_blocks where first = ${block.first}`.execute(write)
    await insert(write, left)
    removed += block.facts.length - left.reduce((sum, { facts }) => sum + facts.length, 0)
  }
  return count + removed / FACT_BYTES
}
