import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { setImmediate as nextTurn } from "node:timers/promises"
import { monthOf, startOfMonth } from "@assay/runtime/time"
import { decidedIdentities, type SpanOfIds, spanOfIds } from "../decided-identities.ts"
import { countedPart, type PartOfIds, partOfIds } from "../decision-counts.ts"
import { firstDecisionIdAt, isDecisionId, timeOfDecisionId } from "../decision-id.ts"
import { findSearch, joined, listSearch, pageSearch, type Search } from "../decision-search.ts"
import {
  byMonth,
  type CountedPart,
  type DecidedIdentities,
  type Decision,
  type DecisionErasure,
  type Decisions,
  type DecisionsReader,
} from "../decisions.ts"
import { olderMove, type MoveFailed } from "../older-move.ts"
import { explained } from "../records-engine.ts"
import { RecordsError } from "../records-error.ts"
import { faultOf, openDatabase } from "./database.ts"
import {
  addToBlocks,
  countInBlocks,
  createBlocks,
  eraseInBlocks,
  forgetInBlocks,
  newestHeads,
  newestIdentityHeads,
  searchBlocks,
} from "./decision-blocks.ts"
import {
  countRows,
  eraseRows,
  forgetRows,
  hasRow,
  hasRows,
  newestIdentityRows,
  newestRows,
  searchRows,
  takeRows,
} from "./decision-rows.ts"
import { rewriteIdentityRuns } from "./identity-runs.ts"

/**
 * Of a month's file; grows by one with each change of its tables. Since 2 decisions lie in blocks;
 * a file of format 1 has a row for each, which are moved into blocks while the file is in use.
 */
const FORMAT = 2
/** Of a new file: a block is some 70 KB long. */
const PAGE_BYTES = 16 * 1024
/**
 * The log is brought into the file when it has this many pages, 64 MB. With SQLite's own 1,000
 * folding takes some 6 % more processor time.
 */
const LOG_PAGES = 4_000
/**
 * The writer keeps the files of this and the last month open; others are opened when they are
 * needed.
 */
const OPEN_MAX = 2
/** A day of a busy service is deleted in parts, between which new decisions are added. */
const DELETED_AT_ONCE = 2_000
const BLOCKS_DELETED_AT_ONCE = 50
/** How long a search of a reader keeps other work of its process waiting. */
const SLICE_MS = 5
/** The rows of format 1 that are moved into blocks at once. */
const MOVED_AT_ONCE = 500

const orRecordsError = <T>(work: () => Promise<T>): Promise<T> => explained({ faultOf }, work)

/**
 * Reads decisions another process writes. It holds no file open: that could be one since deleted.
 */
export function readSqliteDecisions(directory: string): DecisionsReader {
  const past = pastDecisions(directory, async (month, read) => {
    const db = await openDatabase(fileOf(directory, month), true)
    try {
      // One moment for all that is read: the writer may be replacing blocks.
      db.exec("begin")
      return await inSlices(read(db))
    } finally {
      db.close()
    }
  })
  return { ...past, close: async () => undefined }
}

/** Decisions in one SQLite file a month. One process writes; any number read. */
export function openSqliteDecisions(
  directory: string,
  moveFailed: MoveFailed = () => undefined,
): Decisions {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const opened = new Map<string, DatabaseSync>()
  const move = olderMove(moveRows, moveFailed)
  let closing = false

  async function monthFor(month: string): Promise<DatabaseSync> {
    const db = opened.get(month) ?? (await openMonth(fileOf(directory, month)))
    opened.set(month, db)
    for (const [other, unused] of [...opened].slice(0, -OPEN_MAX)) {
      opened.delete(other)
      unused.close()
    }
    return db
  }

  async function dropMonth(month: string): Promise<number> {
    const db = await monthFor(month)
    const count = countInBlocks(db) + (hasRows(db) ? countRows(db) : 0)
    // Into the file itself, so that a log left behind by a crash between these steps holds nothing.
    emptyLog(db)
    db.close()
    opened.delete(month)
    for (const suffix of ["-wal", "-shm", ""])
      rmSync(fileOf(directory, month) + suffix, { force: true })
    return count
  }

  async function forgetIn(month: string, before: string): Promise<number> {
    let forgotten = 0
    for (let count = -1; count !== 0; forgotten += count) {
      const db = await monthFor(month)
      count = inTransaction(db, () => {
        const rows = hasRows(db) ? forgetRows(db, before, DELETED_AT_ONCE) : 0
        return rows + forgetInBlocks(db, before, BLOCKS_DELETED_AT_ONCE)
      })
      await nextTurn()
    }
    const db = await monthFor(month)
    if (forgotten > 0) inTransaction(db, () => rewriteIdentityRuns(db))
    emptyLog(db)
    return forgotten
  }

  /**
   * Moves what older programs wrote into blocks, in small steps between which decisions are added
   * and found. A step that is interrupted has moved nothing.
   */
  async function moveRows(): Promise<void> {
    for (const month of monthsIn(directory)) {
      for (let more = true; more && !closing;) {
        if (!existsSync(fileOf(directory, month))) break
        more = moveSome(await monthFor(month))
        await nextTurn()
      }
    }
  }

  return {
    ...pastDecisions(directory, async (month, read) => atOnce(read(await monthFor(month)))),

    add: (decisions) =>
      orRecordsError(async () => {
        for (const [month, some] of byMonth(decisions)) addTo(await monthFor(month), some)
        move.begin()
      }),

    forgetBefore: (day) =>
      orRecordsError(async () => {
        let forgotten = 0
        for (const month of monthsIn(directory)) {
          if (month < day.slice(0, month.length)) forgotten += await dropMonth(month)
          else if (month === day.slice(0, month.length))
            forgotten += await forgetIn(month, firstDecisionIdAt(Date.parse(day)))
        }
        return forgotten
      }),

    page: (of) =>
      orRecordsError(async () => {
        const search = pageSearch(of)
        const found: Decision[] = []
        for (const month of monthsIn(directory).reverse()) {
          if (found.length === of.limit) break
          if (of.after !== null && month < monthOf(timeOfDecisionId(of.after))) continue
          const limit = of.limit - found.length
          found.push(...atOnce(searchMonth(await monthFor(month), { ...search, limit })))
        }
        return found
      }),

    ofIdentity: ({ tenantId, ...query }) =>
      orRecordsError(async () => {
        const search = listSearch(tenantId === null ? query : { ...query, tenantId })
        const found: Decision[] = []
        for (const month of monthsIn(directory)) {
          if (found.length === query.limit) break
          const limit = query.limit - found.length
          found.push(...atOnce(searchMonth(await monthFor(month), { ...search, limit })))
        }
        return found
      }),

    eraseIdentity: (erasure) =>
      orRecordsError(async () => {
        let erased = 0
        for (const month of monthsIn(directory)) {
          if (month > monthOf(erasure.upTo)) continue
          erased += eraseIn(await monthFor(month), erasure)
          await nextTurn()
        }
        return erased
      }),

    async close() {
      closing = true
      await move.idle()
      for (const db of opened.values()) db.close()
      opened.clear()
    },
  }
}

type InMonth = <T>(month: string, read: (db: DatabaseSync) => Reading<T>) => Promise<T>

function pastDecisions(directory: string, inMonth: InMonth): Omit<DecisionsReader, "close"> {
  return {
    find: (id) =>
      orRecordsError(async () => {
        const month = monthOf(timeOfDecisionId(id))
        if (!existsSync(fileOf(directory, month))) return null
        const [found] = await inMonth(month, (db) => searchMonth(db, findSearch(id)))
        return found?.id === id ? found : null
      }),

    list: (query) =>
      orRecordsError(async () => {
        const search = listSearch(query)
        const oldest = search.after === "" ? "" : monthOf(timeOfDecisionId(search.after))
        const newest = isDecisionId(search.before) ? monthOf(timeOfDecisionId(search.before)) : "~"
        const found: Decision[] = []
        const months = monthsIn(directory)
        for (const month of search.newestFirst ? months : months.reverse()) {
          if (found.length === query.limit) break
          if (month < oldest || month > newest) continue
          const limit = query.limit - found.length
          found.push(...(await inMonth(month, (db) => searchMonth(db, { ...search, limit }))))
        }
        return found
      }),

    count: (part) =>
      orRecordsError(async () => {
        const ids = partOfIds(part)
        const [month, older] = monthsOf(directory, part.from, ids.before)
        if (month === undefined) return { counts: [], next: null }
        const counted = await inMonth(month, (db) => countMonth(db, ids))
        // Each month is a file.
        if (counted.next !== null || older === undefined) return counted
        return { ...counted, next: firstIdOf(month) }
      }),

    identities: (part) =>
      orRecordsError(async () => {
        const [month, older] = monthsOf(directory, part.from, part.before)
        if (month === undefined) return { keys: new Uint8Array(), next: null }
        const found = await inMonth(month, (db) => identitiesOfMonth(db, spanOfIds(part)))
        if (found.next !== null || older === undefined) return found
        return { ...found, next: firstIdOf(month) }
      }),
  }
}

/** The months from a moment on that may have ids before this one, newest first. */
function monthsOf(directory: string, from: number, before: string): string[] {
  return monthsIn(directory).filter((each) => each >= monthOf(from) && firstIdOf(each) < before)
}

/** No id of a month sorts before this text. */
function firstIdOf(month: string): string {
  return firstDecisionIdAt(startOfMonth(Date.parse(`${month}-01`)))
}

/** Reading in parts, after each of which others may have their turn. */
type Reading<T> = Generator<undefined, T>

function* countMonth(db: DatabaseSync, part: PartOfIds): Reading<CountedPart> {
  const heads = formatOf(db) < FORMAT ? [] : newestHeads(db, part)
  yield
  return countedPart(part, heads, hasRows(db) ? newestRows(db, part) : [])
}

function* identitiesOfMonth(db: DatabaseSync, span: SpanOfIds): Reading<DecidedIdentities> {
  const heads = formatOf(db) < FORMAT ? [] : newestIdentityHeads(db, span)
  yield
  return decidedIdentities(span, heads, hasRows(db) ? newestIdentityRows(db, span) : [])
}

/** A file that is just being made has no table and no decision yet. */
function* searchMonth(db: DatabaseSync, search: Search): Reading<Decision[]> {
  const inBlocks = formatOf(db) < FORMAT ? [] : yield* searchBlocks(db, search)
  return hasRows(db) ? joined(inBlocks, searchRows(db, search), search) : inBlocks
}

/** Where nothing else waits, or another may change what is searched. */
function atOnce<T>(reading: Reading<T>): T {
  for (;;) {
    const { done, value } = reading.next()
    if (done === true) return value
  }
}

/** With turns of the event loop in between: the process that reads answers requests meanwhile. */
async function inSlices<T>(reading: Reading<T>): Promise<T> {
  for (let until = performance.now() + SLICE_MS; ;) {
    const { done, value } = reading.next()
    if (done === true) return value
    if (performance.now() < until) continue
    await nextTurn()
    until = performance.now() + SLICE_MS
  }
}

function fileOf(directory: string, month: string): string {
  return join(directory, `${month}.sqlite`)
}

/** The months there are, newest first. */
function monthsIn(directory: string): string[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory)
    .filter((name) => /^\d{4}-\d{2}\.sqlite$/.test(name))
    .map((name) => name.slice(0, "YYYY-MM".length))
    .sort()
    .reverse()
}

async function openMonth(file: string): Promise<DatabaseSync> {
  const db = await openDatabase(file, false, PAGE_BYTES)
  try {
    db.exec(`pragma wal_autocheckpoint = ${LOG_PAGES}`)
    if (formatOf(db) < FORMAT) {
      inTransaction(db, () => {
        // Another process may have done so meanwhile.
        if (formatOf(db) === FORMAT) return
        createBlocks(db)
        db.exec(`pragma user_version = ${FORMAT}`)
      })
    }
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** 0: there is no table yet. */
function formatOf(db: DatabaseSync): number {
  const format = Number(db.prepare("pragma user_version").get()?.["user_version"])
  if (format <= FORMAT) return format
  throw new RecordsError(
    "newer-format",
    `The decisions are in format ${format} and this program knows formats up to ${FORMAT}: run the newer program`,
  )
}

function addTo(db: DatabaseSync, decisions: readonly Decision[]): void {
  inTransaction(db, () => {
    if (!hasRows(db)) {
      addToBlocks(db, decisions)
      return
    }
    const isRow = hasRow(db)
    addToBlocks(
      db,
      decisions.filter(({ id }) => !isRow(id)),
    )
  })
}

/** Returns whether there may be more. */
function moveSome(db: DatabaseSync): boolean {
  const more = inTransaction(db, () => {
    if (!hasRows(db)) return false
    addToBlocks(db, takeRows(db, MOVED_AT_ONCE))
    return true
  })
  // Pages that had rows are still in the log.
  if (more && !hasRows(db)) emptyLog(db)
  return more
}

function eraseIn(db: DatabaseSync, erasure: DecisionErasure): number {
  const erased = inTransaction(
    db,
    () => eraseInBlocks(db, erasure) + (hasRows(db) ? eraseRows(db, erasure) : 0),
  )
  emptyLog(db)
  return erased
}

/**
 * Pages from before a deletion are still in the log: it is folded into the file and emptied.
 */
function emptyLog(db: DatabaseSync): void {
  db.exec("pragma wal_checkpoint(truncate)")
}

function inTransaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec("begin immediate")
  try {
    const result = work()
    db.exec("commit")
    return result
  } catch (error) {
    // SQLite has already rolled back by itself after a full disk or a failed read or write.
    if (db.isTransaction) db.exec("rollback")
    throw error
  }
}
