import type { Selectable } from "kysely"

import { changeAccounts } from "./records-accounts.ts"
import { note, type Change } from "./records-audit.ts"
import type { Store } from "./records-engine.ts"
import { RecordsError } from "./records-error.ts"
import type { Schema } from "./records-schema.ts"

/** A policy that is computed for a tenant's requests beside the one that acts. */
export interface Shadow extends Change {
  tenantId: number
  /** From 1 up, by itself for each tenant; decisions name the one they were compared with. */
  version: number
  /** null: from this version on nothing is computed beside. */
  settings: Record<string, unknown> | null
}

export interface ShadowChange extends Change {
  tenantId: number
  settings: Readonly<Record<string, unknown>> | null
}

export interface ShadowRecords {
  /** Makes the next version, which is returned. Ending one that is off changes nothing. */
  setShadow(change: ShadowChange): Promise<Shadow | null>
  /** The newest version, or that of a number; null where there is none. */
  shadow(of: { tenantId: number; version?: number }): Promise<Shadow | null>
}

export function sqlShadows({ read, write }: Store): ShadowRecords {
  return {
    setShadow: ({ settings, ...by }) =>
      changeAccounts(write, async (db) => {
        const { tenantId, at, actor } = by
        const tenant = db.selectFrom("tenants").select("id").where("id", "=", tenantId)
        if ((await tenant.executeTakeFirst()) === undefined)
          throw new RecordsError("not-found", "There is no such tenant")
        const newest = await db
          .selectFrom("shadows")
          .select(["version", "settings"])
          .where("tenant_id", "=", tenantId)
          .orderBy("version", "desc")
          .limit(1)
          .executeTakeFirst()
        if (settings === null && (newest?.settings ?? null) === null) return null
        const row = await db
          .insertInto("shadows")
          .values({
            tenant_id: tenantId,
            version: (newest?.version ?? 0) + 1,
            at,
            actor,
            settings: settings === null ? null : JSON.stringify(settings),
          })
          .returningAll()
          .executeTakeFirstOrThrow()
        const { version } = row
        const detail = settings === null ? { version } : { version, settings }
        const action = settings === null ? "tenant.end-shadow" : "tenant.set-shadow"
        await note(db, by, action, `tenant:${tenantId}`, detail)
        return shadowOf(row)
      }),

    shadow: ({ tenantId, version }) =>
      read(async (db) => {
        let query = db.selectFrom("shadows").selectAll().where("tenant_id", "=", tenantId)
        if (version !== undefined) query = query.where("version", "=", version)
        const row = await query.orderBy("version", "desc").limit(1).executeTakeFirst()
        return row === undefined ? null : shadowOf(row)
      }),
  }
}

function shadowOf(row: Selectable<Schema["shadows"]>): Shadow {
  const { tenant_id: tenantId, version, at, actor } = row
  const settings =
    row.settings === null ? null : (JSON.parse(row.settings) as NonNullable<Shadow["settings"]>)
  return { tenantId, version, at, actor, settings }
}
