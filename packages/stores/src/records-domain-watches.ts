import type { Selectable } from "kysely"

import type { Store, Write } from "./records-engine.ts"
import { RecordsError } from "./records-error.ts"
import type { Schema } from "./records-schema.ts"

/** How a tenant showed that a domain is its own. */
export type DomainProof = "dns" | "file"

/** A domain that a tenant wants to hear of as a whole. */
export interface NewDomainWatch {
  readonly id: string
  /** As its proof is asked for. */
  readonly domain: string
  /** Of the domain that addresses there are kept by. */
  readonly domainKey: Uint8Array
  readonly ref: string
}

export interface DomainWatch extends NewDomainWatch {
  readonly tenantId: number
  readonly addedAt: number
  /** When the proof was last found; null: never. */
  readonly provedAt: number | null
  readonly proof: DomainProof | null
}

/** What a look for a proof came to. */
export interface DomainCheck {
  readonly id: string
  /** null: none was found, and what was found before stays. */
  readonly proof: DomainProof | null
  readonly at: number
  /** When to look again. */
  readonly checkAt: number
}

export interface DomainWatchRecords {
  /** A tenant's, the oldest first; with `ref` those of this name only. */
  domainWatches(of: { tenantId: number; ref?: string }): Promise<DomainWatch[]>
  /** Those whose proof is to be looked for, the longest due first. */
  dueDomainWatches(of: { at: number; limit: number }): Promise<DomainWatch[]>
  /** One that was removed meanwhile stays so. */
  settleDomainCheck(check: DomainCheck): Promise<void>
  /** Everybody's whose proof was found at a moment or later. */
  provedDomains(of: { since: number }): Promise<DomainWatch[]>
}

/** Of one tenant. */
export const DOMAIN_WATCHES_MAX = 100

/** Watched domains over either engine. */
export function sqlDomainWatches({ read, write }: Store): DomainWatchRecords {
  return {
    domainWatches: ({ tenantId, ref }) =>
      read(async (db) => {
        const query = db.selectFrom("domain_watches").selectAll().where("tenant_id", "=", tenantId)
        const named = ref === undefined ? query : query.where("ref", "=", ref)
        return (await named.orderBy("id").execute()).map(watchOf)
      }),

    dueDomainWatches: ({ at, limit }) =>
      read(async (db) => {
        const rows = await db
          .selectFrom("domain_watches")
          .selectAll()
          .where("check_at", "<=", at)
          .orderBy("check_at")
          .limit(limit)
          .execute()
        return rows.map(watchOf)
      }),

    settleDomainCheck: ({ id, proof, at, checkAt }) =>
      write(async (db) => {
        await db
          .updateTable("domain_watches")
          .set({ check_at: checkAt, ...(proof !== null && { proof, proved_at: at }) })
          .where("id", "=", id)
          .execute()
      }),

    provedDomains: ({ since }) =>
      read(async (db) => {
        const rows = await db
          .selectFrom("domain_watches")
          .selectAll()
          .where("proved_at", ">=", since)
          .orderBy("id")
          .execute()
        return rows.map(watchOf)
      }),
  }
}

/**
 * Adds domains in the transaction of a watch list, and says of each whether it is new and by which
 * ref it is watched. The proof of one that is known is looked for again. Throws `too-many`.
 */
export async function putDomainWatches(
  db: Write,
  of: {
    readonly tenantId: number
    readonly at: number
    readonly domains: readonly NewDomainWatch[]
  },
): Promise<{ added: boolean; ref: string }[]> {
  const { tenantId, at, domains } = of
  const watching: { added: boolean; ref: string }[] = []
  for (const { id, domain, domainKey, ref } of domains) {
    const row = await db
      .insertInto("domain_watches")
      .values({
        ...{ id, tenant_id: tenantId, domain, domain_key: domainKey, ref, added_at: at },
        ...{ proved_at: null, proof: null, check_at: at },
      })
      .onConflict((conflict) =>
        conflict.columns(["tenant_id", "domain"]).doUpdateSet({ check_at: at }),
      )
      .returning(["id", "ref"])
      .executeTakeFirstOrThrow()
    watching.push({ added: row.id === id, ref: row.ref })
  }
  const { count } = await db
    .selectFrom("domain_watches")
    .select((row) => row.fn.countAll<number>().as("count"))
    .where("tenant_id", "=", tenantId)
    .executeTakeFirstOrThrow()
  if (domains.length > 0 && count > DOMAIN_WATCHES_MAX)
    throw new RecordsError("too-many", "The tenant watches as many domains as there may be")
  return watching
}

/** Removes a tenant's domains by name or by ref, and returns how many there were. */
export async function removeDomainWatches(
  db: Write,
  tenantId: number,
  column: "domain" | "ref",
  value: string,
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom("domain_watches")
    .where("tenant_id", "=", tenantId)
    .where(column, "=", value)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

function watchOf(row: Selectable<Schema["domain_watches"]>): DomainWatch {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    domain: row.domain,
    domainKey: row.domain_key,
    ref: row.ref,
    addedAt: row.added_at,
    provedAt: row.proved_at,
    proof: row.proof as DomainProof | null,
  }
}
