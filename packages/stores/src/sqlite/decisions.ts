import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { DatabaseSync, SQLInputValue } from "node:sqlite"
import { setImmediate as nextTurn } from "node:timers/promises"
import { firstDecisionIdAt, timeOfDecisionId } from "../decision-id.ts"
import { monthOf } from "@assay/runtime/time"
import {
  byMonth,
  type Decision,
  type DecisionErasure,
  type Decisions,
  type DecisionsReader,
  ERASED_FORMAT,
  type PastDecisions,
} from "../decisions.ts"
import { AFTER_ALL_IDS, decisionOf, ERASED, type Row } from "../decisions-row.ts"
import { explained } from "../records-engine.ts"
import { RecordsError } from "../records-error.ts"
import { faultOf, openDatabase } from "./database.ts"

/** Of a month's file; grows by one with each change of its table. */
const FORMAT = 1
/**
 * The writer keeps the files of this and the last month open; others are opened when they are
 * needed.
 */
const OPEN_MAX = 2
/** A day of a busy service is deleted in parts, between which new decisions are added. */
const DELETED_AT_ONCE = 2_000

const orRecordsError = <T>(work: () => Promise<T>): Promise<T> => explained({ faultOf }, work)

/**
 * Reads decisions another process writes. It holds no file open: that could be one since deleted.
 */
export function readSqliteDecisions(directory: string): DecisionsReader {
  const past = pastDecisions(directory, async (month, work) => {
    const db = await openDatabase(fileOf(directory, month), true)
    try {
      // A file that is just being made has no table and no decision yet.
      return formatOf(db) === 0 ? [] : work(db)
    } finally {
      db.close()
    }
  })
  return { ...past, close: async () => undefined }
}

/** Decisions in one SQLite file a month. One process writes; any number read. */
export function openSqliteDecisions(directory: string): Decisions {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const opened = new Map<string, DatabaseSync>()

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
    const count = Number(db.prepare("select count(*) as n from decisions").get()?.["n"])
    // Into the file itself, so that a log left behind by a crash between these steps holds nothing.
    db.exec("pragma wal_checkpoint(truncate)")
    db.close()
    opened.delete(month)
    for (const suffix of ["-wal", "-shm", ""])
      rmSync(fileOf(directory, month) + suffix, { force: true })
    return count
  }

  async function deleteFrom(
    month: string,
    condition: string,
    value: SQLInputValue,
  ): Promise<number> {
    const statement = `delete from decisions where id in (select id from decisions where ${condition} limit ${DELETED_AT_ONCE})`
    let deleted = 0
    for (let changes = DELETED_AT_ONCE; changes === DELETED_AT_ONCE; deleted += changes) {
      changes = Number((await monthFor(month)).prepare(statement).run(value).changes)
      await nextTurn()
    }
    // Pages from before the deletion are still in the log: it is folded into the file and emptied.
    ;(await monthFor(month)).exec("pragma wal_checkpoint(truncate)")
    return deleted
  }

  return {
    ...pastDecisions(directory, async (month, work) => work(await monthFor(month))),

    add: (decisions) =>
      orRecordsError(async () => {
        for (const [month, some] of byMonth(decisions)) addTo(await monthFor(month), some)
      }),

    forgetBefore: (day) =>
      orRecordsError(async () => {
        let forgotten = 0
        for (const month of monthsIn(directory)) {
          if (month < day.slice(0, month.length)) forgotten += await dropMonth(month)
          else if (month === day.slice(0, month.length))
            forgotten += await deleteFrom(month, "id < ?", firstDecisionIdAt(Date.parse(day)))
        }
        return forgotten
      }),

    page: ({ after, limit }) =>
      orRecordsError(async () => {
        const found: Decision[] = []
        for (const month of monthsIn(directory).reverse()) {
          if (found.length === limit) break
          if (after !== null && month < monthOf(timeOfDecisionId(after))) continue
          const rows = (await monthFor(month))
            .prepare("select * from decisions where id > ? order by id limit ?")
            .all(after ?? "", limit - found.length)
          found.push(...(rows as unknown as Row[]).map(decisionOf))
        }
        return found
      }),

    ofIdentity: ({ identityKey, tenantId, limit }) =>
      orRecordsError(async () => {
        const found: Decision[] = []
        for (const month of monthsIn(directory)) {
          if (found.length === limit) break
          const rows = (await monthFor(month))
            .prepare(
              "select * from decisions where identity_key = ? and (? is null or tenant_id = ?) order by id desc limit ?",
            )
            .all(identityKey, tenantId, tenantId, limit - found.length)
          found.push(...(rows as unknown as Row[]).map(decisionOf))
        }
        return found
      }),

    eraseIdentity: (erasure) =>
      orRecordsError(async () => {
        let erased = 0
        for (const month of monthsIn(directory)) {
          if (month > monthOf(erasure.upTo)) continue
          const db = await monthFor(month)
          erased += emptied(db, erasure)
          // Pages from before are still in the log: it is folded into the file and emptied.
          db.exec("pragma wal_checkpoint(truncate)")
          await nextTurn()
        }
        return erased
      }),

    async close() {
      for (const db of opened.values()) db.close()
      opened.clear()
    },
  }
}

type ReadMonth = (month: string, work: (db: DatabaseSync) => Decision[]) => Promise<Decision[]>

function pastDecisions(directory: string, readMonth: ReadMonth): PastDecisions {
  const rowsOf = async (
    month: string,
    condition: string,
    ...values: SQLInputValue[]
  ): Promise<Decision[]> => {
    if (!existsSync(fileOf(directory, month))) return []
    return await readMonth(month, (db) => {
      const rows = db.prepare(`select * from decisions where ${condition}`).all(...values)
      return (rows as unknown as Row[]).map(decisionOf)
    })
  }
  return {
    find: (id) =>
      orRecordsError(
        async () => (await rowsOf(monthOf(timeOfDecisionId(id)), "id = ?", id))[0] ?? null,
      ),

    list: ({ tenantId, before = AFTER_ALL_IDS, limit }) =>
      orRecordsError(async () => {
        const newest = before === AFTER_ALL_IDS ? null : monthOf(timeOfDecisionId(before))
        const condition = `tenant_id = ? and id < ? and format <> ${ERASED_FORMAT} order by id desc limit ?`
        const found: Decision[] = []
        for (const month of monthsIn(directory)) {
          if (found.length === limit) break
          if (newest !== null && month > newest) continue
          found.push(...(await rowsOf(month, condition, tenantId, before, limit - found.length)))
        }
        return found
      }),
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
  const db = await openDatabase(file, false)
  try {
    if (formatOf(db) === 0) createTable(db)
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

function createTable(db: DatabaseSync): void {
  db.exec(`
    begin immediate;
    create table decisions (
      id text primary key not null, at integer not null, tenant_id integer, key_id text not null,
      subject text not null, identity_key blob not null, model_version text not null,
      calibration text, score integer not null, stage text, confidence text,
      action text not null, input text not null, format integer not null
    ) strict;
    create index decisions_of_tenant on decisions (tenant_id, id);
    create index decisions_of_identity on decisions (identity_key);
    pragma user_version = ${FORMAT};
    commit`)
}

function emptied(db: DatabaseSync, { identityKey, tenantId, upTo }: DecisionErasure): number {
  const columns = Object.keys(ERASED).map((name) => `${name} = ?`)
  return Number(
    db
      .prepare(
        `update decisions set ${columns.join(", ")} where identity_key = ? and at <= ? and (? is null or tenant_id = ?)`,
      )
      .run(...Object.values(ERASED), identityKey, upTo, tenantId, tenantId).changes,
  )
}

function addTo(db: DatabaseSync, decisions: readonly Decision[]): void {
  const insert = db.prepare(
    "insert into decisions values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (id) do nothing",
  )
  db.exec("begin immediate")
  try {
    for (const d of decisions) {
      insert.run(
        d.id,
        d.at,
        d.tenantId,
        d.keyId,
        d.identityType,
        d.identityKey,
        d.modelVersion,
        d.calibration,
        d.score,
        d.stage,
        d.confidence,
        d.action,
        d.input,
        d.format,
      )
    }
    db.exec("commit")
  } catch (error) {
    // SQLite has already rolled back by itself after a full disk or a failed read or write.
    if (db.isTransaction) db.exec("rollback")
    throw error
  }
}
