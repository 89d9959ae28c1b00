import { sql } from "kysely"
import { monthOf, startOfNextMonth } from "@assay/runtime/time"
import { firstDecisionIdAt } from "../decision-id.ts"
import { FACT_BYTES } from "../decision-block.ts"
import { decidedIdentities, spanOfIds } from "../decided-identities.ts"
import { countedPart, partOfIds } from "../decision-counts.ts"
import { findSearch, joined, listSearch, pageSearch, type Search } from "../decision-search.ts"
import { byMonth, type Decision, type Decisions } from "../decisions.ts"
import { olderMove, type MoveFailed } from "../older-move.ts"
import { type Database, explained, type Write } from "../records-engine.ts"
import { RecordsError } from "../records-error.ts"
import {
  addToBlocks,
  createBlocks,
  eraseInBlocks,
  forgetInBlocks,
  lockBlocks,
  newestHeads,
  newestIdentityHeads,
  searchBlocks,
} from "./decision-blocks.ts"
import {
  deleteRows,
  eraseRows,
  firstRows,
  forgetRows,
  hasRows,
  newestIdentityRows,
  newestRows,
  rowsAmong,
  searchRows,
} from "./decision-rows.ts"
import { connected, deadlines, faultOf } from "./records.ts"

/** Grows by one with each change of the tables. Since 2 decisions lie in blocks. */
const FORMAT = 2
/** Held while tables are made or dropped; the number only has to be ours. */
const TABLES_LOCK = 0x6173_7364
/** The rows of format 1 that are moved into blocks at once. */
const MOVED_AT_ONCE = 500
/** As long as whoever asks for it waits. */
const PATIENCE_MS = 10 * 60_000

/**
 * Decisions in one partition a month of the table `decision_blocks`; an id names its month, so a
 * look-up meets one.
 */
export async function openPostgresDecisions(options: {
  url: string
  poolMax: number
  moveFailed?: MoveFailed
}): Promise<Decisions> {
  const { url, poolMax, moveFailed = () => undefined } = options
  const db = connected({ connectionString: url, max: poolMax, ...deadlines })
  const orRecordsError = <T>(work: () => Promise<T>): Promise<T> => explained({ faultOf }, work)
  const made = new Set<string>()
  /** Whether there may be decisions of format 1; once there are none, none comes back. */
  let rows: boolean
  const move = olderMove(moveRows, moveFailed)
  let closing = false
  try {
    await orRecordsError(() => createTables(db))
    rows = await orRecordsError(() => hasRows(db))
  } catch (error) {
    await db.destroy()
    throw error
  }

  /**
   * On a separate connection without deadlines of the server's, because a month or a day of
   * decisions may take long.
   */
  async function patiently<T>(work: (patient: Database) => Promise<T>): Promise<T> {
    const patient = connected({
      connectionString: url,
      max: 1,
      connectionTimeoutMillis: 5_000,
      answerMs: PATIENCE_MS,
    })
    return await work(patient).finally(() => patient.destroy())
  }

  /** One moment for all that is read: a writer may be replacing blocks. */
  const atOneMoment = async <T>(read: (db: Database) => Promise<T>): Promise<T> =>
    await db.transaction().setIsolationLevel("repeatable read").execute(read)

  const found = async (search: Search): Promise<Decision[]> =>
    await atOneMoment(async (read) => {
      const inBlocks = await searchBlocks(read, search)
      return rows ? joined(inBlocks, await searchRows(read, search), search) : inBlocks
    })

  async function inLock<T>(on: Database, work: (write: Write) => Promise<T>): Promise<T> {
    return await on.transaction().execute(async (write) => {
      await lockBlocks(write)
      return await work(write)
    })
  }

  async function makePartition(month: string): Promise<void> {
    if (!made.has(month)) await createPartition(db, month)
    made.add(month)
  }

  /**
   * Moves what older programs wrote into blocks, in small steps between which decisions are added
   * and found. A step that is interrupted has moved nothing.
   */
  async function moveRows(): Promise<void> {
    while (rows && !closing) {
      const first = await firstRows(db, MOVED_AT_ONCE)
      for (const month of new Set(first.map(({ at }) => monthOf(at)))) await makePartition(month)
      rows = await inLock(db, async (write) => {
        // Another process may have moved these meanwhile, and others be first.
        const rowsNow = await firstRows(write, first.length)
        const some = rowsNow.filter(({ at }) => made.has(monthOf(at)))
        for (const ofMonth of byMonth(some).values()) await addToBlocks(write, ofMonth)
        await deleteRows(
          write,
          some.map(({ id }) => id),
        )
        return first.length > 0
      })
    }
  }

  return {
    add: (decisions) =>
      orRecordsError(async () => {
        for (const [month, some] of byMonth(decisions)) {
          await makePartition(month)
          await inLock(db, async (write) => {
            await addToBlocks(write, rows ? await notAmongRows(write, some) : some)
          })
        }
        move.begin()
      }),

    find: (id) =>
      orRecordsError(async () => {
        const [decision] = await found(findSearch(id))
        return decision?.id === id ? decision : null
      }),

    list: (query) => orRecordsError(() => found(listSearch(query))),

    count: (part) =>
      orRecordsError(async () => {
        const ids = partOfIds(part)
        return await atOneMoment(async (read) =>
          countedPart(ids, await newestHeads(read, ids), rows ? await newestRows(read, ids) : []),
        )
      }),

    identities: (part) =>
      orRecordsError(async () => {
        const span = spanOfIds(part)
        return await atOneMoment(async (read) =>
          decidedIdentities(
            span,
            await newestIdentityHeads(read, span),
            rows ? await newestIdentityRows(read, span) : [],
          ),
        )
      }),

    forgetBefore: (day) =>
      orRecordsError(async () => {
        let forgotten = 0
        for (const { table, month } of await partitions(db)) {
          if (month >= day.slice(0, month.length)) continue
          made.delete(month)
          forgotten += await patiently((patient) => dropPartition(patient, table))
        }
        const first = firstDecisionIdAt(Date.parse(day))
        return await patiently(
          async (patient) =>
            forgotten +
            (await inLock(patient, (write) => forgetInBlocks(write, first))) +
            (rows ? await forgetRows(patient, first) : 0),
        )
      }),

    page: (of) => orRecordsError(() => found(pageSearch(of))),

    ofIdentity: ({ tenantId, ...query }) =>
      orRecordsError(() => found(listSearch(tenantId === null ? query : { ...query, tenantId }))),

    eraseIdentity: (erasure) =>
      orRecordsError(() =>
        inLock(
          db,
          async (write) =>
            (await eraseInBlocks(write, erasure)) + (rows ? await eraseRows(write, erasure) : 0),
        ),
      ),

    async close() {
      closing = true
      await move.idle()
      await db.destroy()
    },
  }
}

async function notAmongRows(write: Write, decisions: readonly Decision[]): Promise<Decision[]> {
  const ids = decisions.map(({ id }) => id)
  const there = await rowsAmong(write, ids)
  return decisions.filter(({ id }) => !there.has(id))
}

async function createTables(db: Database): Promise<void> {
  await db.transaction().execute(async (write) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(TABLES_LOCK)})`.execute(write)
    await sql`create table if not exists decisions_format (format bigint primary key)`.execute(
      write,
    )
    const { rows } = await sql<{ format: number }>`select format from decisions_format`.execute(
      write,
    )
    const format = rows[0]?.format ?? 0
    if (format > FORMAT) {
      throw new RecordsError(
        "newer-format",
        `The decisions are in format ${format} and this program knows formats up to ${FORMAT}: run the newer program`,
      )
    }
    if (format === FORMAT) return
    await createBlocks(write)
    await sql`delete from decisions_format`.execute(write)
    await sql`insert into decisions_format values (${FORMAT})`.execute(write)
  })
}

const tableOf = (month: string): string => `decision_blocks_${month.replace("-", "_")}`

async function createPartition(db: Database, month: string): Promise<void> {
  const start = Date.parse(`${month}-01`)
  const [from, to] = [firstDecisionIdAt(start), firstDecisionIdAt(startOfNextMonth(start))]
  await db.transaction().execute(async (write) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(TABLES_LOCK)})`.execute(write)
    await sql`
      create table if not exists ${sql.table(tableOf(month))} partition of decision_blocks
      for values from (${sql.lit(from)}) to (${sql.lit(to)})`.execute(write)
  })
}

async function dropPartition(db: Database, name: string): Promise<number> {
  const table = sql.table(name)
  const count = name.startsWith("decision_blocks_")
    ? sql`coalesce(sum(octet_length(facts)), 0) / ${sql.lit(FACT_BYTES)}`
    : sql`count(*)`
  return await db.transaction().execute(async (write) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(TABLES_LOCK)})`.execute(write)
    const { rows } = await sql<{ count: number }>`
      select (${count})::bigint as count from ${table}`.execute(write)
    await sql`drop table ${table}`.execute(write)
    return rows[0]?.count ?? 0
  })
}

/** The tables there are with their months, those of format 1 too. */
async function partitions(db: Database): Promise<{ table: string; month: string }[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent in (to_regclass('decision_blocks'), to_regclass('decisions'))
    and relkind = 'r'`.execute(db)
  return rows.map(({ name }) => ({
    table: name,
    month: name.slice(-"YYYY_MM".length).replace("_", "-"),
  }))
}
