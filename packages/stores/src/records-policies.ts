import type { Selectable } from "kysely"

import type { Change } from "./records-audit.ts"
import type { Store, Write } from "./records-engine.ts"
import type { Schema } from "./records-schema.ts"

/** What was set for a tenant at a moment. The newest version is the one that acts. */
export interface Policy extends Change {
  tenantId: number
  /** From 1 up, by itself for each tenant. */
  version: number
  settings: Record<string, unknown>
  /** The earlier version that this one brought back; null for any other change. */
  revertedTo: number | null
}

/** The settings replace those the tenant had; the store does not know what they may hold. */
export interface SettingsChange extends Change {
  tenantId: number
  settings: Readonly<Record<string, unknown>>
  /** The version these settings are taken from. */
  revertedTo?: number
  /** The version it is to follow; with any other newest one it throws `version-changed`. */
  expected?: number
}

/** Versions of what is set for tenants. They are written by changes of the accounts. */
export interface PolicyRecords {
  /** Of one tenant, the newest first; with `before`, only smaller versions. */
  policies(query: { tenantId: number; limit: number; before?: number }): Promise<Policy[]>
  /** null where the tenant has no such version. */
  policy(of: { tenantId: number; version: number }): Promise<Policy | null>
}

export function sqlPolicies({ read }: Store): PolicyRecords {
  return {
    policies: ({ tenantId, limit, before }) =>
      read(async (db) => {
        let query = db.selectFrom("policies").selectAll().where("tenant_id", "=", tenantId)
        if (before !== undefined) query = query.where("version", "<", before)
        return (await query.orderBy("version", "desc").limit(limit).execute()).map(policyOf)
      }),

    policy: ({ tenantId, version }) =>
      read(async (db) => {
        const row = await db
          .selectFrom("policies")
          .selectAll()
          .where("tenant_id", "=", tenantId)
          .where("version", "=", version)
          .executeTakeFirst()
        return row === undefined ? null : policyOf(row)
      }),
  }
}

/**
 * Makes the next version of a tenant's policy, in the transaction that also writes the tenant's
 * row. Callers must be one at a time, or two would count up to the same version.
 */
export async function addPolicy(db: Write, change: SettingsChange): Promise<Policy> {
  const { tenantId, settings, at, actor, revertedTo = null } = change
  const newest = await db
    .selectFrom("policies")
    .select("version")
    .where("tenant_id", "=", tenantId)
    .orderBy("version", "desc")
    .limit(1)
    .executeTakeFirst()
  const row = await db
    .insertInto("policies")
    .values({
      tenant_id: tenantId,
      version: (newest?.version ?? 0) + 1,
      at,
      actor,
      settings: JSON.stringify(settings),
      reverted_to: revertedTo,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return policyOf(row)
}

function policyOf(row: Selectable<Schema["policies"]>): Policy {
  const { tenant_id: tenantId, version, at, actor, reverted_to: revertedTo } = row
  const settings = JSON.parse(row.settings) as Policy["settings"]
  return { tenantId, version, at, actor, settings, revertedTo }
}
