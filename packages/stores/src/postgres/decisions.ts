import { type RawBuilder, sql } from "kysely"
import { firstDecisionIdAt } from "../decision-id.ts"
import { startOfNextMonth } from "@assay/runtime/time"
import { byMonth, type Decision, type Decisions, ERASED_FORMAT } from "../decisions.ts"
import { AFTER_ALL_IDS, decisionOf, ERASED, type Row } from "../decisions-row.ts"
import { type Database, explained } from "../records-engine.ts"
import { RecordsError } from "../records-error.ts"
import { connected, deadlines, faultOf } from "./records.ts"

/** Grows by one with each change of the tables. */
const FORMAT = 1
/** Held while tables are made or dropped; the number only has to be ours. */
const TABLES_LOCK = 0x6173_7364

/**
 * Decisions in one partition a month of the table `decisions`; an id names its month, so a look-up
 * meets one.
 */
export async function openPostgresDecisions(options: {
  url: string
  poolMax: number
}): Promise<Decisions> {
  const { url, poolMax } = options
  const db = connected({ connectionString: url, max: poolMax, ...deadlines })
  const orRecordsError = <T>(work: () => Promise<T>): Promise<T> => explained({ faultOf }, work)
  const made = new Set<string>()
  try {
    await orRecordsError(() => createTables(db))
  } catch (error) {
    await db.destroy()
    throw error
  }

  /**
   * On a separate connection without deadlines, because a month or a day of decisions may take
   * long.
   */
  async function patiently<T>(work: (patient: Database) => Promise<T>): Promise<T> {
    const patient = connected({ connectionString: url, max: 1, connectionTimeoutMillis: 5_000 })
    return await work(patient).finally(() => patient.destroy())
  }

  async function deleted(condition: RawBuilder<unknown>): Promise<number> {
    const { numAffectedRows } = await patiently((patient) =>
      sql`delete from decisions where ${condition}`.execute(patient),
    )
    return Number(numAffectedRows ?? 0)
  }

  return {
    add: (decisions) =>
      orRecordsError(async () => {
        for (const [month, some] of byMonth(decisions)) {
          if (!made.has(month)) await createPartition(db, month)
          made.add(month)
          await addAll(db, some)
        }
      }),

    find: (id) =>
      orRecordsError(async () => {
        const found = await sql<Row>`select * from decisions where id = ${id}`.execute(db)
        return found.rows.map(decisionOf)[0] ?? null
      }),

    list: ({ tenantId, before = AFTER_ALL_IDS, limit }) =>
      orRecordsError(async () => {
        const found = await sql<Row>`
          select * from decisions where tenant_id = ${tenantId} and id < ${before}
          and format <> ${ERASED_FORMAT} order by id desc limit ${limit}`.execute(db)
        return found.rows.map(decisionOf)
      }),

    forgetBefore: (day) =>
      orRecordsError(async () => {
        let forgotten = 0
        for (const month of await partitions(db)) {
          if (month >= day.slice(0, month.length)) continue
          made.delete(month)
          forgotten += await patiently((patient) => dropPartition(patient, month))
        }
        const first = firstDecisionIdAt(Date.parse(day))
        return forgotten + (await deleted(sql`id < ${first}`))
      }),

    page: ({ after, limit }) =>
      orRecordsError(async () => {
        const found = await sql<Row>`
          select * from decisions where id > ${after ?? ""} order by id limit ${limit}`.execute(db)
        return found.rows.map(decisionOf)
      }),

    ofIdentity: ({ identityKey, tenantId, limit }) =>
      orRecordsError(async () => {
        const found = await sql<Row>`
          select * from decisions where identity_key = ${identityKey}
          and (${tenantId}::bigint is null or tenant_id = ${tenantId}::bigint)
          order by id desc limit ${limit}`.execute(db)
        return found.rows.map(decisionOf)
      }),

    eraseIdentity: ({ identityKey, tenantId, upTo }) =>
      orRecordsError(async () => {
        const { numAffectedRows = 0n } = await sql`
          update decisions set ${sql.join(
            Object.entries(ERASED).map(([name, value]) => sql`${sql.ref(name)} = ${value}`),
          )}
          where identity_key = ${identityKey} and at <= ${upTo}
          and (${tenantId}::bigint is null or tenant_id = ${tenantId}::bigint)`.execute(db)
        return Number(numAffectedRows)
      }),

    close: () => db.destroy(),
  }
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
    await sql`
      create table decisions (
        id text collate "C" primary key, at bigint not null, tenant_id bigint,
        key_id text not null, subject text not null, identity_key bytea not null,
        model_version text not null, calibration text, score bigint not null, stage text,
        confidence text, action text not null, input text not null, format bigint not null
      ) partition by range (id)`.execute(write)
    await sql`create index decisions_of_tenant on decisions (tenant_id, id)`.execute(write)
    await sql`create index decisions_of_identity on decisions (identity_key)`.execute(write)
    await sql`insert into decisions_format values (${FORMAT})`.execute(write)
  })
}

const tableOf = (month: string): string => `decisions_${month.replace("-", "_")}`

async function createPartition(db: Database, month: string): Promise<void> {
  const start = Date.parse(`${month}-01`)
  const [from, to] = [firstDecisionIdAt(start), firstDecisionIdAt(startOfNextMonth(start))]
  await db.transaction().execute(async (write) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(TABLES_LOCK)})`.execute(write)
    await sql`
      create table if not exists ${sql.table(tableOf(month))} partition of decisions
      for values from (${sql.lit(from)}) to (${sql.lit(to)})`.execute(write)
  })
}

async function dropPartition(db: Database, month: string): Promise<number> {
  const table = sql.table(tableOf(month))
  return await db.transaction().execute(async (write) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(TABLES_LOCK)})`.execute(write)
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${table}`.execute(
      write,
    )
    await sql`drop table ${table}`.execute(write)
    return rows[0]?.count ?? 0
  })
}

/** The months there are. */
async function partitions(db: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'decisions'::regclass`.execute(db)
  return rows.map(({ name }) => name.slice("decisions_".length).replace("_", "-"))
}

/** One statement of fourteen parameters, however many decisions there are. */
async function addAll(db: Database, decisions: readonly Decision[]): Promise<void> {
  const all = <K extends keyof Decision>(name: K): Decision[K][] => decisions.map((d) => d[name])
  const keys = decisions.map(({ identityKey }) => Buffer.from(identityKey))
  await sql`
    insert into decisions
    select * from unnest(
      ${all("id")}::text[], ${all("at")}::bigint[], ${all("tenantId")}::bigint[],
      ${all("keyId")}::text[], ${all("identityType")}::text[], ${keys}::bytea[],
      ${all("modelVersion")}::text[], ${all("calibration")}::text[], ${all("score")}::bigint[],
      ${all("stage")}::text[], ${all("confidence")}::text[], ${all("action")}::text[],
      ${all("input")}::text[], ${all("format")}::bigint[])
    on conflict (id) do nothing`.execute(db)
}
