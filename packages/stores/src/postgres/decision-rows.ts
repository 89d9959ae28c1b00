import { sql } from "kysely"
import { IDENTITY_ROWS_AT_ONCE, type IdentityRow, type SpanOfIds } from "../decided-identities.ts"
import { type CountedRow, type PartOfIds, ROWS_AT_ONCE } from "../decision-counts.ts"
import type { Search } from "../decision-search.ts"
import { type Decision, type DecisionErasure, ERASED_FORMAT } from "../decisions.ts"
import { decisionOf, ERASED_COLUMNS, type Row } from "../decisions-row.ts"
import type { Database, Write } from "../records-engine.ts"

// Decisions of format 1: a row each of the table `decisions`, until they are moved into blocks. The
// table stays when the last one has gone, because processes that still look there are running.

export async function hasRows(db: Database): Promise<boolean> {
  const found = await sql<{ there: boolean }>`
    select to_regclass('decisions') is not null as there`.execute(db)
  if (found.rows[0]?.there !== true) return false
  const some = await sql`select 1 from decisions limit 1`.execute(db)
  return some.rows.length > 0
}

export async function searchRows(db: Database, search: Search): Promise<Decision[]> {
  const { tenantId, identityType, stage, action, scores, identityKey, requestTag } = search
  const conditions = [sql`id > ${search.after}`, sql`id < ${search.before}`]
  if (tenantId !== undefined) conditions.push(sql`tenant_id = ${tenantId}`)
  if (identityType !== undefined) conditions.push(sql`subject = ${identityType}`)
  if (stage !== undefined) conditions.push(sql`stage = ${stage}`)
  if (action !== undefined) conditions.push(sql`action = ${action}`)
  if (scores !== undefined) conditions.push(sql`score between ${scores[0]} and ${scores[1]}`)
  if (identityKey !== undefined) conditions.push(sql`identity_key = ${identityKey}`)
  if (requestTag !== undefined) conditions.push(sql`strpos(substr(id, 15), ${requestTag}) = 1`)
  if (!search.erased) conditions.push(sql`format <> ${ERASED_FORMAT}`)
  const { rows } = await sql<Row>`
    select * from decisions where ${sql.join(conditions, sql` and `)}
    order by id ${sql.raw(search.newestFirst ? "desc" : "asc")} limit ${search.limit}`.execute(db)
  return rows.map(decisionOf)
}

/** The newest rows of a part, of all tenants. */
export async function newestRows(db: Database, { from, before }: PartOfIds): Promise<CountedRow[]> {
  const { rows } = await sql<CountedRow>`
    select id, tenant_id, subject, stage, action, score, format from decisions
    where id >= ${from} and id < ${before} order by id desc limit ${ROWS_AT_ONCE}`.execute(db)
  return rows
}

/** The newest rows between two ids. */
export async function newestIdentityRows(db: Database, span: SpanOfIds): Promise<IdentityRow[]> {
  const { rows } = await sql<IdentityRow>`
    select id, identity_key from decisions where id >= ${span.from} and id < ${span.before}
    order by id desc limit ${IDENTITY_ROWS_AT_ONCE}`.execute(db)
  return rows
}

/** Those of these ids that are rows. */
export async function rowsAmong(db: Database, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<Pick<Row, "id">>`
    select id from decisions where id = any(${ids}::text[])`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

export async function eraseRows(db: Database, erasure: DecisionErasure): Promise<number> {
  const { identityKey, tenantId, upTo } = erasure
  const { numAffectedRows = 0n } = await sql`
    update decisions set ${sql.join(
      Object.entries(ERASED_COLUMNS).map(([name, value]) => sql`${sql.ref(name)} = ${value}`),
    )}
    where identity_key = ${identityKey} and at <= ${upTo}
    and (${tenantId}::bigint is null or tenant_id = ${tenantId}::bigint)`.execute(db)
  return Number(numAffectedRows)
}

export async function forgetRows(db: Database, before: string): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from decisions where id < ${before}`.execute(db)
  return Number(numAffectedRows)
}

/** The first decisions. */
export async function firstRows(db: Database, rowsMax: number): Promise<Decision[]> {
  const { rows } = await sql<Row>`
    select * from decisions order by id limit ${rowsMax}`.execute(db)
  return rows.map(decisionOf)
}

export async function deleteRows(write: Write, ids: readonly string[]): Promise<void> {
  await sql`delete from decisions where id = any(${ids}::text[])`.execute(write)
}
