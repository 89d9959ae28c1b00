import { sql, type Selectable } from "kysely"

import { note } from "./records-audit.ts"
import type { EventInserts, Store, Write } from "./records-engine.ts"
import { RecordsError } from "./records-error.ts"
import { appendEvents } from "./records-events.ts"
import { keyCreated, keyQuotaReached, keyRevoked, keyRotated } from "./records-key-events.ts"
import { addPolicy } from "./records-policies.ts"
import type { Schema } from "./records-schema.ts"
import type { Accounts, ApiKey, KeyHolder, NewKey, Tenant } from "./accounts.ts"

/** Tenants and keys over either engine. */
export function sqlAccounts({ read, write }: Store, inserts: EventInserts): Accounts {
  const change = <T>(work: (db: Write) => Promise<T>): Promise<T> => changeAccounts(write, work)

  return {
    createTenant: (tenant) => change((db) => addTenant(db, tenant)),

    tenants: () =>
      read(async (db) => {
        const rows = await db.selectFrom("tenants").selectAll().orderBy("id").execute()
        return rows.map(tenantOf)
      }),

    tenantByName: (name) =>
      read(async (db) => {
        const row = await db
          .selectFrom("tenants")
          .selectAll()
          .where("name", "=", name)
          .executeTakeFirst()
        return row === undefined ? null : tenantOf(row)
      }),

    setPlan: ({ plan, ...by }) =>
      change(async (db) => {
        const row = await db
          .updateTable("tenants")
          .set({ plan })
          .where("id", "=", by.tenantId)
          .returningAll()
          .executeTakeFirst()
        if (row === undefined) throw new RecordsError("not-found", "There is no such tenant")
        await note(db, by, "tenant.set-plan", `tenant:${row.id}`, { plan })
        return tenantOf(row)
      }),

    setTenantSettings: (of) =>
      change(async (db) => {
        const { tenantId, settings, revertedTo, expected } = of
        const { numUpdatedRows } = await db
          .updateTable("tenants")
          .set({ settings: JSON.stringify(settings) })
          .where("id", "=", tenantId)
          .executeTakeFirst()
        if (numUpdatedRows === 0n) throw new RecordsError("not-found", "There is no such tenant")
        const policy = await addPolicy(db, of)
        if (expected !== undefined && policy.version !== expected + 1)
          throw new RecordsError("version-changed", "The policy has another version by now")
        const { version } = policy
        const detail = { version, ...(revertedTo === undefined ? {} : { revertedTo }), settings }
        await note(db, of, "tenant.set-settings", `tenant:${tenantId}`, detail)
        return policy
      }),

    createKey: (key) => change((db) => addKey(db, inserts, key)),

    keyByHash: (hash) =>
      read(async (db) => {
        const row = await db
          .selectFrom("keys")
          .leftJoin("tenants", "tenants.id", "keys.tenant_id")
          .leftJoin("shadows", (join) =>
            join
              .onRef("shadows.tenant_id", "=", "keys.tenant_id")
              .on("shadows.version", "=", (newest) =>
                newest
                  .selectFrom("shadows as every")
                  .select(({ fn }) => fn.max("every.version").as("version"))
                  .whereRef("every.tenant_id", "=", "keys.tenant_id"),
              ),
          )
          .selectAll("keys")
          .select(["name", "plan", "tenants.settings", "tenants.created_at as tenant_created_at"])
          .select(["shadows.version as shadow_version", "shadows.settings as shadow_settings"])
          .where("hash", "=", hash)
          .executeTakeFirst()
        if (row === undefined) return null
        return { key: keyOf(row), tenant: tenantOfKey(row), shadow: shadowOfKey(row) }
      }),

    keys: ({ tenantId } = {}) =>
      read(async (db) => {
        let query = db.selectFrom("keys").selectAll().orderBy("created_at").orderBy("id")
        if (tenantId !== undefined) query = query.where("tenant_id", "=", tenantId)
        return (await query.execute()).map(keyOf)
      }),

    rotateKey: ({ id, newKey, overlapUntil, ...by }) =>
      change(async (db) => {
        const { at } = by
        const old = keyOf(await keyRow(db, id))
        refuseUnusable(old, at)
        const { tenantId, label, scopes } = old
        const made = keyOf(await insertKey(db, { ...newKey, tenantId, label, scopes, at }))
        // An overlap is a grace period, never a longer life than the key had.
        const expiresAt = Math.min(overlapUntil, old.expiresAt ?? overlapUntil)
        await db
          .updateTable("keys")
          .set({ expires_at: expiresAt, replaced_by: newKey.id })
          .where("id", "=", id)
          .execute()
        await appendEvents(db, inserts, [keyRotated(made, old, expiresAt, by)])
        await note(db, by, "key.rotate", `key:${id}`, {
          replacedBy: newKey.id,
          expiresAt,
        })
        return made
      }),

    changeKey: ({ id, label, expiresAt, ...by }) =>
      change(async (db) => {
        refuseUnusable(keyOf(await keyRow(db, id)), by.at)
        const set = {
          ...(label === undefined ? {} : { label }),
          ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
        }
        const row = await db
          .updateTable("keys")
          .set(set)
          .where("id", "=", id)
          .returningAll()
          .executeTakeFirstOrThrow()
        await note(db, by, "key.change", `key:${id}`, {
          ...(label === undefined ? {} : { label }),
          ...(expiresAt === undefined ? {} : { expiresAt }),
        })
        return keyOf(row)
      }),

    async revokeKey({ id, ...by }) {
      const { revoked_at } = await read((db) => keyRow(db, id))
      if (revoked_at !== null) return
      await change(async (db) => {
        const row = await db
          .updateTable("keys")
          .set({ revoked_at: by.at })
          .where("id", "=", id)
          .where("revoked_at", "is", null)
          .returningAll()
          .executeTakeFirst()
        // None when another process revoked it since: its moment and its audit entry stand.
        if (row === undefined) return
        await appendEvents(db, inserts, [keyRevoked(keyOf(row), by)])
        await note(db, by, "key.revoke", `key:${id}`, {})
      })
    },

    tellQuotaReached: (reached) =>
      write(async (db) => {
        const key = keyOf(await keyRow(db, reached.keyId))
        await appendEvents(db, inserts, [keyQuotaReached(key, reached)])
      }),

    accountsVersion: () =>
      read(async (db) => {
        const row = await db
          .selectFrom("meta")
          .select("value")
          .where("name", "=", "accounts_version")
          .executeTakeFirstOrThrow()
        return Number(row.value)
      }),
  }
}

/**
 * One change of the accounts. Counting the version up comes first because it locks that row:
 * changes take turns on PostgreSQL as they do on SQLite, and version order is commit order.
 */
export function changeAccounts<T>(
  write: Store["write"],
  work: (db: Write) => Promise<T>,
): Promise<T> {
  return write(async (db) => {
    await db
      .updateTable("meta")
      .set({ value: sql<string>`cast(cast(value as bigint) + 1 as text)` })
      .where("name", "=", "accounts_version")
      .execute()
    return work(db)
  })
}

/** Makes a tenant, in a change of the accounts. */
export async function addTenant(
  db: Write,
  { name, plan, ...by }: Parameters<Accounts["createTenant"]>[0],
): Promise<Tenant> {
  const { at, actor } = by
  const row = await db
    .insertInto("tenants")
    .values({ name, plan, created_at: at, settings: "{}" })
    .onConflict((conflict) => conflict.column("name").doNothing())
    .returningAll()
    .executeTakeFirst()
  if (row === undefined) throw new RecordsError("name-taken", "A tenant has this name")
  await addPolicy(db, { tenantId: row.id, settings: {}, at, actor })
  await note(db, by, "tenant.create", `tenant:${row.id}`, { name, plan })
  return tenantOf(row)
}

/**
 * Makes a key, in a change of the accounts. One that notes anything before takes its turn of events
 * first, see `appendEvents`.
 */
export async function addKey(db: Write, inserts: EventInserts, key: NewKey): Promise<ApiKey> {
  const made = keyOf(await insertKey(db, key))
  const { tenantId, label, scopes, expiresAt } = key
  await appendEvents(db, inserts, [keyCreated(made, key)])
  await note(db, key, "key.create", `key:${key.id}`, { tenantId, label, scopes, expiresAt })
  return made
}

function refuseUnusable(key: ApiKey, at: number): void {
  if (key.revokedAt !== null) throw new RecordsError("key-revoked", "The key is revoked")
  if (key.expiresAt !== null && key.expiresAt <= at) {
    throw new RecordsError("key-expired", "The key has expired")
  }
  // The caller should rotate its successor; a second successor would be a key that nobody looks
  // for.
  if (key.replacedBy !== null) throw new RecordsError("key-replaced", "The key is already replaced")
}

async function keyRow(
  db: Pick<Write, "selectFrom">,
  id: string,
): Promise<Selectable<Schema["keys"]>> {
  const row = await db.selectFrom("keys").selectAll().where("id", "=", id).executeTakeFirst()
  if (row === undefined) throw new RecordsError("not-found", "There is no such key")
  return row
}

async function insertKey(
  db: Write,
  { id, tenantId, hash, hint, label, scopes, at, expiresAt }: Omit<NewKey, "actor">,
): Promise<Selectable<Schema["keys"]>> {
  const row = await db
    .insertInto("keys")
    .values({
      id,
      tenant_id: tenantId,
      hash,
      hint,
      label,
      scopes: JSON.stringify(scopes),
      created_at: at,
      expires_at: expiresAt,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (row === undefined) throw new RecordsError("key-taken", "A key has this id or this hash")
  return row
}

function tenantOf(row: Selectable<Schema["tenants"]>): Tenant {
  const { id, name, plan, created_at: createdAt } = row
  return { id, name, plan, createdAt, settings: JSON.parse(row.settings) as Tenant["settings"] }
}

/**
 * The tenant's half of a joined row; null for a service key, for which all these columns are null.
 */
function tenantOfKey(row: {
  tenant_id: number | null
  name: string | null
  plan: string | null
  settings: string | null
  tenant_created_at: number | null
}): Tenant | null {
  const { tenant_id: id, name, plan, settings, tenant_created_at: created_at } = row
  if (id === null || name === null || plan === null) return null
  if (settings === null || created_at === null) return null
  return tenantOf({ id, name, plan, settings, created_at })
}

/** null where nothing is computed beside the policy of the key's tenant. */
function shadowOfKey(row: {
  shadow_version: number | null
  shadow_settings: string | null
}): KeyHolder["shadow"] {
  const { shadow_version: version, shadow_settings: settings } = row
  if (version === null || settings === null) return null
  return { version, settings: JSON.parse(settings) as Record<string, unknown> }
}

function keyOf(row: Selectable<Schema["keys"]>): ApiKey {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    hint: row.hint,
    label: row.label,
    scopes: JSON.parse(row.scopes) as string[],
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    replacedBy: row.replaced_by,
  }
}
