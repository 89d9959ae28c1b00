import { sql, type Kysely } from "kysely"

import type { ColumnTypes } from "./column-types.ts"

const ROWS_AT_ONCE = 1_000

/** A row as migration 1 made it, with the tenant whose trail it belongs to. */
export interface UnchainedRow {
  readonly id: number
  readonly at: number
  readonly actor: string
  readonly action: string
  readonly subject: string
  readonly detail: string
  readonly tenant_id: number | null
  readonly request_id: null
}

/**
 * Chains the audit trail, the rows of before as they are found, and lets rows only be added from
 * then on. `prove` is given every row, the oldest first.
 */
export async function auditChain(
  db: Kysely<unknown>,
  { integer, text, bytes, appendOnly }: ColumnTypes,
  prove: (row: UnchainedRow) => Uint8Array,
): Promise<void> {
  const add = (name: string, type: typeof integer | typeof text | typeof bytes) =>
    db.schema.alterTable("audit").addColumn(name, type).execute()
  await add("tenant_id", integer)
  await add("request_id", text)
  await add("mac", bytes)
  await sql`
    update audit set tenant_id = cast(substr(subject, 8) as ${sql.raw(integer)})
    where subject like 'tenant:%'
      and exists (select 1 from tenants where 'tenant:' || cast(tenants.id as text) = subject)`.execute(
    db,
  )
  await sql`
    update audit
    set tenant_id = (select keys.tenant_id from keys where 'key:' || keys.id = audit.subject)
    where subject like 'key:%'`.execute(db)
  await proveRows(db, { integer, bytes }, prove)
  await db.schema.createIndex("audit_tenant").on("audit").columns(["tenant_id", "id"]).execute()
  for (const statement of appendOnly) await statement.execute(db)
}

async function proveRows(
  db: Kysely<unknown>,
  { integer, bytes }: Pick<ColumnTypes, "integer" | "bytes">,
  prove: (row: UnchainedRow) => Uint8Array,
): Promise<void> {
  for (let after = 0; ;) {
    const { rows } = await sql<UnchainedRow>`
      select id, at, actor, action, subject, detail, tenant_id, request_id from audit
      where id > ${after} order by id limit ${ROWS_AT_ONCE}`.execute(db)
    const last = rows.at(-1)
    if (last === undefined) return
    after = last.id
    const proofs = rows.map(
      (row) =>
        sql`(cast(${row.id} as ${sql.raw(integer)}), cast(${prove(row)} as ${sql.raw(bytes)}))`,
    )
    await sql`
      with proofs (id, mac) as (values ${sql.join(proofs)})
      update audit set mac = proofs.mac from proofs where proofs.id = audit.id`.execute(db)
  }
}
