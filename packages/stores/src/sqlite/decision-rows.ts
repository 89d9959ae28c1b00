import type { DatabaseSync, SQLInputValue } from "node:sqlite"
import { IDENTITY_ROWS_AT_ONCE, type IdentityRow, type SpanOfIds } from "../decided-identities.ts"
import { type CountedRow, type PartOfIds, ROWS_AT_ONCE } from "../decision-counts.ts"
import type { Search } from "../decision-search.ts"
import { type Decision, type DecisionErasure, ERASED_FORMAT } from "../decisions.ts"
import { decisionOf, ERASED_COLUMNS, type Row } from "../decisions-row.ts"

// Decisions of a file of format 1: a row each, until they are moved into blocks.

export function hasRows(db: DatabaseSync): boolean {
  const table = "select 1 from sqlite_schema where type = 'table' and name = 'decisions'"
  return db.prepare(table).get() !== undefined
}

export function countRows(db: DatabaseSync): number {
  return Number(db.prepare("select count(*) as n from decisions").get()?.["n"])
}

export function hasRow(db: DatabaseSync): (id: string) => boolean {
  const select = db.prepare("select 1 from decisions where id = ?")
  return (id) => select.get(id) !== undefined
}

export function searchRows(db: DatabaseSync, search: Search): Decision[] {
  const { tenantId, identityType, stage, action, scores, identityKey, requestTag } = search
  const conditions: [string, ...(SQLInputValue | undefined)[]][] = [
    ["id > ?", search.after],
    ["id < ?", search.before],
    ["tenant_id = ?", tenantId],
    ["subject = ?", identityType],
    ["stage = ?", stage],
    ["action = ?", action],
    ["score between ? and ?", scores?.[0], scores?.[1]],
    ["identity_key = ?", identityKey],
    ["instr(substr(id, 15), ?) = 1", requestTag],
    ["format <> ?", search.erased ? undefined : ERASED_FORMAT],
  ]
  const wanted = conditions.filter(([, value]) => value !== undefined)
  const texts = wanted.map(([text]) => text)
  const values = wanted.flatMap(([, ...given]) => given) as SQLInputValue[]
  const rows = db
    .prepare(
      `select * from decisions where ${texts.join(" and ")}
       order by id ${search.newestFirst ? "desc" : "asc"} limit ?`,
    )
    .all(...values, search.limit)
  return (rows as unknown as Row[]).map(decisionOf)
}

/** The newest rows of a part, of all tenants. */
export function newestRows(db: DatabaseSync, { from, before }: PartOfIds): CountedRow[] {
  return db
    .prepare(
      `select id, tenant_id, subject, stage, action, score, format from decisions
       where id >= ? and id < ? order by id desc limit ?`,
    )
    .all(from, before, ROWS_AT_ONCE) as unknown as CountedRow[]
}

/** The newest rows between two ids. */
export function newestIdentityRows(db: DatabaseSync, { from, before }: SpanOfIds): IdentityRow[] {
  return db
    .prepare(
      "select id, identity_key from decisions where id >= ? and id < ? order by id desc limit ?",
    )
    .all(from, before, IDENTITY_ROWS_AT_ONCE) as unknown as IdentityRow[]
}

export function eraseRows(db: DatabaseSync, erasure: DecisionErasure): number {
  const { identityKey, tenantId, upTo } = erasure
  const columns = Object.keys(ERASED_COLUMNS).map((name) => `${name} = ?`)
  return Number(
    db
      .prepare(
        `update decisions set ${columns.join(", ")} where identity_key = ? and at <= ? and (? is null or tenant_id = ?)`,
      )
      .run(...Object.values(ERASED_COLUMNS), identityKey, upTo, tenantId, tenantId).changes,
  )
}

/** Deletes some of the decisions before an id, and returns how many. */
export function forgetRows(db: DatabaseSync, before: string, rowsMax: number): number {
  return Number(
    db
      .prepare(
        "delete from decisions where id in (select id from decisions where id < ? order by id limit ?)",
      )
      .run(before, rowsMax).changes,
  )
}

/** Takes the first decisions out; the table goes with the last one. */
export function takeRows(db: DatabaseSync, rowsMax: number): Decision[] {
  const rows = db.prepare("select * from decisions order by id limit ?").all(rowsMax)
  const taken = (rows as unknown as Row[]).map(decisionOf)
  if (taken.length < rowsMax) db.exec("drop table decisions")
  else forgetRows(db, `${taken.at(-1)?.id ?? ""} `, rowsMax)
  return taken
}
