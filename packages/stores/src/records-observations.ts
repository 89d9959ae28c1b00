import type { Selectable } from "kysely"

import type { Database, Engine, Store, Write } from "./records-engine.ts"
import {
  answerClaim,
  takeClaim,
  type ClaimOutcome,
  type IdempotencyClaim,
} from "./records-idempotency.ts"
import type { Schema } from "./records-schema.ts"

/**
 * One thing a tenant observed of an identity, and the tenant's own name for where it has it from.
 */
export interface SentObservation {
  readonly identityKey: Uint8Array
  readonly source: string
  /** Entry v1 under batch 1: which batch it belongs to, only the index knows. */
  readonly entry: Uint8Array
}

/** An observation as it is kept. */
export interface Observed extends SentObservation {
  readonly tenantId: number
  readonly keyId: string
  readonly receivedAt: number
}

/** A line that holds no observation; why is the caller's text, kept to answer the request again. */
export interface RefusedLine {
  readonly refusal: string
}

/** What became of a line. Content that is there already, or stands in an earlier line, is known. */
export type LineOutcome = "stored" | "known" | RefusedLine

/** The lines of one request, in order. */
export interface SentLines {
  readonly tenantId: number
  readonly keyId: string
  readonly receivedAt: number
  readonly lines: readonly (SentObservation | RefusedLine)[]
}

export type LinesOutcome =
  | { readonly state: "taken" | "done"; readonly outcomes: readonly LineOutcome[] }
  | Exclude<ClaimOutcome, { readonly state: "taken" | "done" }>

/**
 * What tenants observed and sent. The index shows it, so each row is *due* until
 * `settleObservations` says that the index has it.
 */
export interface ObservationRecords {
  /** Stores what is new among the lines, due at once, unless the claim was taken before. */
  addObservations(sent: SentLines, claim: IdempotencyClaim | null): Promise<LinesOutcome>
  /** Tenants with observations that are due. */
  tenantsWithDueObservations(): Promise<number[]>
  /**
   * All that is due of the tenant's first `identities` identities that have any, by identity key.
   */
  dueObservations(of: { tenantId: number; identities: number }): Promise<Observed[]>
  /**
   * The index has what was due of the tenant's identities up to and with this key. With nothing
   * left, the tenant's claims are done.
   */
  settleObservations(of: { tenantId: number; through: Uint8Array }): Promise<void>
  /** All that a tenant sent about an identity, or every tenant, by tenant and source. */
  observationsOf(identityKey: Uint8Array, tenantId?: number): Promise<Observed[]>
  /**
   * All observations of the first `identities` identities behind `after`, by identity key and
   * tenant.
   */
  observationsAfter(of: { after: Uint8Array | null; identities: number }): Promise<Observed[]>
  /**
   * Deletes what a tenant sent about an identity, or every tenant, and returns how much that was.
   * On SQLite the bytes are gone from the files too; on PostgreSQL they go when the server reuses
   * the space.
   */
  forgetObservations(identityKey: Uint8Array, tenantId?: number): Promise<number>
}

/** Names the operation in claims. */
export const EVIDENCE_ROUTE = "POST /api/v1/evidence"

/** Few enough for the 32,766 parameters of a statement on SQLite. */
const ROWS_AT_ONCE = 500

/** Observations over either engine. */
export function sqlObservations(
  { read, write }: Store,
  { scrub }: Pick<Engine, "scrub">,
): ObservationRecords {
  return {
    addObservations: (sent, claim) =>
      write(async (db) => {
        if (claim !== null) {
          const taken = await takeClaim(db, claim, "[]", sent.receivedAt)
          if (taken.state === "done") {
            return { state: "done", outcomes: JSON.parse(taken.response) as LineOutcome[] }
          }
          if (taken.state !== "taken") return taken
        }
        const outcomes = await insertNew(db, sent)
        if (claim !== null) {
          await answerClaim(db, claim, JSON.stringify(outcomes))
          await finishClaims(db, sent.tenantId)
        }
        return { state: "taken", outcomes }
      }),

    tenantsWithDueObservations: () =>
      read(async (db) => {
        const rows = await db
          .selectFrom("observations")
          .select("tenant_id")
          .distinct()
          .where("due_at", "is not", null)
          .orderBy("tenant_id")
          .execute()
        return rows.map(({ tenant_id: id }) => id)
      }),

    dueObservations: ({ tenantId, identities }) =>
      read(async (db) => {
        const due = db
          .selectFrom("observations")
          .where("tenant_id", "=", tenantId)
          .where("due_at", "is not", null)
        const keys = await due
          .select("identity_key")
          .distinct()
          .orderBy("identity_key")
          .limit(identities)
          .execute()
        const last = keys.at(-1)?.identity_key
        if (last === undefined) return []
        const rows = await due
          .selectAll()
          .where("identity_key", "<=", last)
          .orderBy("identity_key")
          .execute()
        return rows.map(observedOf)
      }),

    settleObservations: ({ tenantId, through }) =>
      write(async (db) => {
        await db
          .updateTable("observations")
          .set({ due_at: null })
          .where("tenant_id", "=", tenantId)
          .where("due_at", "is not", null)
          .where("identity_key", "<=", through)
          .execute()
        await finishClaims(db, tenantId)
      }),

    observationsOf: (identityKey, tenantId) =>
      read(async (db) => {
        let query = db
          .selectFrom("observations")
          .selectAll()
          .where("identity_key", "=", identityKey)
          .orderBy("tenant_id")
          .orderBy("source")
          .orderBy("entry")
        if (tenantId !== undefined) query = query.where("tenant_id", "=", tenantId)
        return (await query.execute()).map(observedOf)
      }),

    observationsAfter: ({ after, identities }) =>
      read(async (db) => {
        const keys = await behind(db, after)
          .select("identity_key")
          .distinct()
          .orderBy("identity_key")
          .limit(identities)
          .execute()
        const last = keys.at(-1)?.identity_key
        if (last === undefined) return []
        const rows = await behind(db, after)
          .selectAll()
          .where("identity_key", "<=", last)
          .orderBy("identity_key")
          .orderBy("tenant_id")
          .execute()
        return rows.map(observedOf)
      }),

    async forgetObservations(identityKey, tenantId) {
      const forgotten = await write(async (db) => {
        let query = db.deleteFrom("observations").where("identity_key", "=", identityKey)
        if (tenantId !== undefined) query = query.where("tenant_id", "=", tenantId)
        const rows = await query.returning("tenant_id").execute()
        // What is gone is no longer due, and claims may have waited for it.
        for (const id of new Set(rows.map((row) => row.tenant_id))) await finishClaims(db, id)
        return rows.length
      })
      await read(scrub)
      return forgotten
    },
  }
}

// One statement for many rows, because each statement costs more than the rows it carries.
async function insertNew(db: Write, sent: SentLines): Promise<LineOutcome[]> {
  const { tenantId, keyId, receivedAt, lines } = sent
  const fresh = new Map<string, SentObservation>()
  for (const line of lines) if (!("refusal" in line)) fresh.set(contentOf(line), line)
  const all = [...fresh.values()]
  const stored = new Set<string>()
  for (let from = 0; from < all.length; from += ROWS_AT_ONCE) {
    const rows = await db
      .insertInto("observations")
      .values(
        all.slice(from, from + ROWS_AT_ONCE).map(({ identityKey, source, entry }) => ({
          identity_key: identityKey,
          tenant_id: tenantId,
          source,
          entry,
          key_id: keyId,
          received_at: receivedAt,
          due_at: receivedAt,
        })),
      )
      .onConflict((conflict) => conflict.doNothing())
      .returning(["identity_key as identityKey", "source", "entry"])
      .execute()
    for (const row of rows) stored.add(contentOf(row))
  }
  // Of lines with one content the first was stored; the others then find it known.
  return lines.map((line) =>
    "refusal" in line ? line : stored.delete(contentOf(line)) ? "stored" : "known",
  )
}

/**
 * Claims are carried out when nothing of their tenant is due any more: its requests are taken one
 * after the other.
 */
async function finishClaims(db: Write, tenantId: number): Promise<void> {
  const due = await db
    .selectFrom("observations")
    .select("received_at")
    .where("tenant_id", "=", tenantId)
    .where("due_at", "is not", null)
    .limit(1)
    .executeTakeFirst()
  if (due !== undefined) return
  await db
    .updateTable("idempotency")
    .set({ status: "done" })
    .where("route", "=", EVIDENCE_ROUTE)
    .where("status", "=", "running")
    .where("key_id", "in", (keys) =>
      keys.selectFrom("keys").select("id").where("tenant_id", "=", tenantId),
    )
    .execute()
}

function behind(db: Database, after: Uint8Array | null) {
  const query = db.selectFrom("observations")
  return after === null ? query : query.where("identity_key", ">", after)
}

function contentOf({ identityKey, source, entry }: SentObservation): string {
  return `${latin1(identityKey)}${latin1(entry)} ${source}`
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1")
}

function observedOf(row: Selectable<Schema["observations"]>): Observed {
  return {
    tenantId: row.tenant_id,
    identityKey: row.identity_key,
    source: row.source,
    entry: row.entry,
    keyId: row.key_id,
    receivedAt: row.received_at,
  }
}
