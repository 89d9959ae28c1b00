import { sql } from "kysely"

import type { AuditRow } from "./audit-chain.ts"
import { chainer, HEAD_NAME, tenantIdOf } from "./records-audit.ts"
import { type Database, type Engine, explained, type Write } from "./records-engine.ts"
import { RecordsError } from "./records-error.ts"
import { DROP_DIGEST } from "./records-events.ts"
import { migrateRecords, recordsFormat } from "./records-migrate.ts"
import { SAID } from "./records-nodes.ts"
import { firstPolicies } from "./records-migrations/0008-policies.ts"
import type { Schema } from "./records-schema.ts"

/** A row of a table, with values as JSON; bytes are an object with the member `base64`. */
export interface CopiedRow {
  readonly table: keyof Schema
  readonly row: Readonly<Record<string, CopiedValue>>
}
export type CopiedValue = string | number | null | { readonly base64: string }

/** The rows of all tables, to be kept apart and put back, into either engine. */
export interface RecordsCopy {
  /** Hands over every row, as of one moment. */
  rows(take: (row: CopiedRow) => void | Promise<void>): Promise<void>
  /** Puts rows into empty records, all of them or none. Throws if the records are not empty. */
  restore(rows: AsyncIterable<CopiedRow>): Promise<void>
  close(): Promise<void>
}

/** Tables, each after those it refers to, with the columns that put its rows in an order. */
const OTHER_TABLES = {
  meta: ["name"],
  tenants: ["id"],
  keys: ["id"],
  usage: ["key_id", "day", "operation"],
  daily_identities: ["day", "tenant_id", "tag"],
  audit: ["id"],
  tombstones: ["identity_key"],
  idempotency: ["key_id", "route", "key_hash"],
  provider_costs: ["day", "tenant_id", "provider"],
} as const
const TABLES_BEFORE_8 = {
  ...OTHER_TABLES,
  feedback: ["id"],
  evidence: ["identity_key", "owner", "source", "entry"],
} as const
const TABLES_BEFORE_9 = { ...TABLES_BEFORE_8, policies: ["tenant_id", "version"] } as const
/**
 * Sessions and invitations are left out: people sign in again after a restore, and a link that was
 * used since must not come back to life.
 */
const TABLES_SINCE_9 = {
  ...TABLES_BEFORE_9,
  people: ["id"],
  memberships: ["person_id", "tenant_id"],
  credentials: ["id"],
  signups: ["id"],
  reviews: ["id"],
  shadows: ["tenant_id", "version"],
  outside_accounts: ["account_hash"],
} as const
const TABLES_BEFORE_15 = { ...TABLES_SINCE_9, review_views: ["id"] } as const
const TABLES_BEFORE_16 = { ...TABLES_SINCE_9, saved_views: ["id"] } as const
const TABLES_BEFORE_17 = {
  ...TABLES_BEFORE_16,
  events: ["seq"],
  webhooks: ["id"],
  webhook_secrets: ["id"],
  deliveries: ["id"],
  attempts: ["id"],
} as const
const TABLES_BEFORE_18 = {
  ...TABLES_BEFORE_17,
  watch_items: ["id"],
  watch_domains: ["tenant_id", "domain_key"],
  watch_batches: ["batch_id"],
  watch_tenants: ["tenant_id"],
} as const
const TABLES_BEFORE_19 = { ...TABLES_BEFORE_18, domain_watches: ["id"] } as const
const TABLES_BEFORE_20 = { ...TABLES_BEFORE_19, sinks: ["name"] } as const
const TABLES = {
  ...TABLES_BEFORE_20,
  ssf_streams: ["id"],
  ssf_notes: ["id"],
  ssf_acks: ["stream_id", "jti"],
  ssf_left_out: ["stream_id", "ref_hash"],
  ssf_keys: ["id"],
} as const satisfies Record<
  // Nodes and their leases are of those that run now, and not of those that ran at a backup.
  Exclude<keyof Schema, "sessions" | "invitations" | "nodes" | "leases">,
  readonly string[]
>
/** A backup may be made before the first start of this program has changed the tables. */
const TABLES_BEFORE_7 = {
  ...OTHER_TABLES,
  evidence: ["id"],
  observations: ["identity_key", "tenant_id", "source", "entry"],
  shared_observations: ["identity_key", "source", "entry"],
} as const

const ROWS_AT_ONCE = 1_000

export function recordsCopy(engine: Engine): RecordsCopy {
  return {
    rows: (take) =>
      explained(engine, () =>
        engine.snapshot(async (db) => {
          const format = await formatOf(db)
          const isLeftOut = leavingOut()
          for (const [table, order] of Object.entries(tablesOf(format))) {
            await takeRows(db, table, order, (row) =>
              isLeftOut(table, row) ? undefined : take(asOfNow({ table, row }, format)),
            )
          }
        }),
      ),

    restore: (rows) =>
      explained(engine, async () => {
        await migrateRecords(engine)
        await engine.db.transaction().execute(async (write) => {
          await requireEmpty(write)
          const successors = new Map<CopiedValue, CopiedValue>()
          // Rows of a trail that is chained are put back as they are; others are chained now.
          const chain = chainer(engine.auditKey)
          let isChained = false
          // The tables of an older backup have other names; its first rows give its format.
          let format = recordsFormat
          for await (const found of rows) {
            if (isFormat(found)) format = Number(found.row["value"])
            const { table, row } = asOfNow(found, format)
            if (table === "meta" && row["name"] === HEAD_NAME) isChained = true
            const put = table === "audit" && !isChained ? await chained(write, row, chain.add) : row
            await putRow(engine, write, table, put, successors)
          }
          // A key may name a later one as its successor, so these names are written last.
          for (const [id, successor] of successors) {
            await sql`update keys set replaced_by = ${successor} where id = ${id}`.execute(write)
          }
          // Older programs could leave rows of an erased subject until the next start.
          await sql`delete from evidence
            where identity_key in (select identity_key from tombstones)`.execute(write)
          if (!isChained) await chain.end(write)
          // Older backups have no versions.
          await firstPolicies(write)
          await engine.advanceIdentities(write)
        })
      }),

    close: () => engine.db.destroy(),
  }
}

/** Nothing of the drop is in a backup: a row of backups would show when somebody wrote. */
function leavingOut(): (table: string, row: CopiedRow["row"]) => boolean {
  const deliveries = new Set<CopiedValue | undefined>()
  return (table, row) => {
    const { name } = row
    if (table === "meta")
      return typeof name === "string" && SAID.some((begin) => name.startsWith(begin))
    if (table === "attempts") return deliveries.has(row["delivery_id"])
    if (table !== "events" && table !== "deliveries") return false
    const isDigest = row["kind"] === DROP_DIGEST
    if (isDigest && table === "deliveries") deliveries.add(row["id"])
    return isDigest
  }
}

async function chained(
  write: Write,
  row: CopiedRow["row"],
  prove: (row: AuditRow) => Uint8Array,
): Promise<CopiedRow["row"]> {
  const { id, at, actor, action, subject, detail } = row as unknown as AuditRow
  // Rows that were chained under another secret have these two already.
  const { request_id = null } = row as Partial<AuditRow>
  const { tenant_id = await tenantIdOf(write, { subject }) } = row as Partial<AuditRow>
  const whole = { id, at, actor, action, subject, detail, request_id }
  const mac = prove({ ...whole, tenant_id })
  return { ...whole, tenant_id, mac: { base64: Buffer.from(mac).toString("base64") } }
}

async function formatOf(db: Database): Promise<number> {
  const query = db.selectFrom("meta").select("value").where("name", "=", "format")
  return Number((await query.executeTakeFirst())?.value ?? recordsFormat)
}

function tablesOf(format: number): Readonly<Record<string, readonly string[]>> {
  if (format < 7) return TABLES_BEFORE_7
  if (format < 8) return TABLES_BEFORE_8
  if (format < 9) return TABLES_BEFORE_9
  if (format < 15) return TABLES_BEFORE_15
  if (format < 16) return TABLES_BEFORE_16
  if (format < 17) return TABLES_BEFORE_17
  if (format < 18) return TABLES_BEFORE_18
  if (format < 19) return TABLES_BEFORE_19
  return format < 20 ? TABLES_BEFORE_20 : TABLES
}

/** A row of any format. */
interface FoundRow {
  readonly table: string
  readonly row: CopiedRow["row"]
}

function isFormat({ table, row }: FoundRow): boolean {
  return table === "meta" && row["name"] === "format"
}

/** A row of an older format as the tables of now have it. */
function asOfNow(found: FoundRow, format: number): CopiedRow {
  const { table, row } = found
  if (isFormat(found)) return { table: "meta", row: { ...row, value: String(recordsFormat) } }
  if (format < 7 && table === "evidence") {
    const { subject = null, ...rest } = row
    return { table: "feedback", row: { ...rest, identity_type: subject } }
  }
  if (format < 7 && table === "observations") {
    const { tenant_id: owner = null, ...rest } = row
    return { table: "evidence", row: { ...rest, owner, event: null } }
  }
  if (table === "shared_observations")
    return { table: "evidence", row: { ...row, owner: 0, key_id: null } }
  if (table === "review_views") return { table: "saved_views", row: { ...row, list: "reviews" } }
  return { table: table as keyof Schema, row }
}

async function takeRows(
  db: Database,
  table: string,
  orderedBy: readonly string[],
  take: (row: CopiedRow["row"]) => void | Promise<void>,
): Promise<void> {
  const order = sql.join(orderedBy.map((column) => sql.ref(column)))
  for (let offset = 0; ; offset += ROWS_AT_ONCE) {
    const { rows } = await sql<Record<string, string | number | null | Uint8Array>>`
      select * from ${sql.table(table)} order by ${order}
      limit ${ROWS_AT_ONCE} offset ${offset}`.execute(db)
    for (const row of rows) await take(copied(row))
    if (rows.length < ROWS_AT_ONCE) return
  }
}

function copied(
  row: Readonly<Record<string, string | number | null | Uint8Array>>,
): CopiedRow["row"] {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? { base64: Buffer.from(value).toString("base64") } : value,
    ]),
  )
}

async function requireEmpty(write: Write): Promise<void> {
  for (const table of ["tenants", "audit"] as const) {
    const found = await sql`select 1 from ${sql.table(table)} limit 1`.execute(write)
    if (found.rows.length > 0)
      throw new RecordsError("name-taken", "The records are not empty; restore into new ones")
  }
}

async function putRow(
  engine: Engine,
  write: Write,
  table: keyof Schema,
  row: CopiedRow["row"],
  successors: Map<CopiedValue, CopiedValue>,
): Promise<void> {
  const values = { ...row }
  if (table === "meta") {
    // The migrations of this program have written the format of the tables there are now.
    if (values["name"] === "format") return
    await sql`insert into meta (name, value) values (${values["name"]}, ${values["value"]})
      on conflict (name) do update set value = excluded.value`.execute(write)
    return
  }
  if (table === "keys" && values["replaced_by"] !== null) {
    successors.set(values["id"] ?? null, values["replaced_by"] ?? null)
    values["replaced_by"] = null
  }
  const columns = Object.keys(values)
  await sql`
    insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
    ${engine.withOwnIdentities} values (${sql.join(Object.values(values).map(stored))})`.execute(
    write,
  )
}

function stored(value: CopiedValue): string | number | null | Uint8Array {
  return value !== null && typeof value === "object" ? Buffer.from(value.base64, "base64") : value
}
