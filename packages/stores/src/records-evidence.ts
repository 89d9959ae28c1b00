import { randomInt } from "node:crypto"
import type { Selectable } from "kysely"

import type { Owner } from "./exposure-index.ts"
import type { Database, Engine, Store, Write } from "./records-engine.ts"
import {
  answerClaim,
  takeClaim,
  type ClaimOutcome,
  type IdempotencyClaim,
} from "./records-idempotency.ts"
import type { Schema } from "./records-schema.ts"
import { dueIdentities, touchWatched } from "./records-watch.ts"

/** One observation about an identity, and its owner's name for the source. */
export interface SentEvidence {
  readonly identityKey: Uint8Array
  readonly source: string
  /** Entry v1 under batch 1: which batch it belongs to, only the index knows. */
  readonly entry: Uint8Array
  /** Names the message that brought it among all of its source, where messages have names. */
  readonly event?: Uint8Array
}

/** Evidence as stored. */
export interface KeptEvidence extends SentEvidence {
  readonly owner: Owner
  /** The tenant's key that sent it; null for shared evidence. */
  readonly keyId: string | null
  readonly receivedAt: number
}

/** Evidence that the index may not have. */
export interface DueEvidence extends KeptEvidence {
  /** Names the write that brought it. */
  readonly due: number
}

/** A line that holds no evidence; why is the caller's text, kept to answer the request again. */
export interface RefusedLine {
  readonly refusal: string
}

/**
 * What became of evidence. `known`: its content or its event was there already, or stands in an
 * earlier line. `erased`: the subject had their data erased, so nothing was kept.
 */
export type EvidenceOutcome = "stored" | "known" | "erased"
export type LineOutcome = EvidenceOutcome | RefusedLine

/** The lines of one request, in order. */
export interface SentLines {
  readonly owner: Owner
  readonly keyId: string | null
  readonly receivedAt: number
  readonly lines: readonly (SentEvidence | RefusedLine)[]
}

export type LinesOutcome =
  | { readonly state: "taken" | "done"; readonly outcomes: readonly LineOutcome[] }
  | Exclude<ClaimOutcome, { readonly state: "taken" | "done" }>

/**
 * Evidence that arrives all the time: what tenants send for themselves, and what carriers notify us
 * of for everybody. The index shows it, so each row is *due* until `settleEvidence` confirms that
 * the index has it. Evidence about an erased subject is never stored.
 */
export interface EvidenceRecords {
  /**
   * Stores the new ones among the lines, due at once, all or nothing, unless the claim was taken
   * before.
   */
  addEvidence(sent: SentLines, claim: IdempotencyClaim | null): Promise<LinesOutcome>
  /** Owners with evidence that is due; shared evidence comes first. */
  ownersWithDueEvidence(): Promise<Owner[]>
  /** All that is due of the owner's first `identities` identities with any, by identity key. */
  dueEvidence(of: { owner: Owner; identities: number }): Promise<DueEvidence[]>
  /**
   * Confirms that the index has the due evidence about the owner's identities up to and including
   * this key, of those writes that `due` of the evidence named: another node may have added some
   * since. If nothing is left, the claims of a tenant are done. If the power fails soon after, the
   * evidence is due again.
   */
  settleEvidence(of: { owner: Owner; through: Uint8Array; due: readonly number[] }): Promise<void>
  /**
   * All evidence about the first `identities` identities after `after`, by identity key, owner and
   * source.
   */
  evidenceAfter(of: { after: Uint8Array | null; identities: number }): Promise<KeptEvidence[]>
  /**
   * Deletes shared evidence of a source received up to this moment, and returns how much that was.
   * On SQLite the bytes are gone from the files too; on PostgreSQL they go when the server reuses
   * the space.
   */
  forgetSharedSource(of: { source: string; receivedUpTo: number }): Promise<number>
}

/** Names the operation in claims. */
export const EVIDENCE_ROUTE = "POST /api/v1/evidence"

/** Few enough for the 32,766 parameters of a statement on SQLite. */
const ROWS_AT_ONCE = 500

/** The owner of shared evidence, in a column. Tenants count from 1. */
export const SHARED_OWNER = 0

/** Evidence over either engine. */
export function sqlEvidence(
  { read, write, writeUnsynced }: Store,
  { scrub }: Pick<Engine, "scrub">,
): EvidenceRecords {
  return {
    addEvidence: (sent, claim) =>
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
          await finishClaims(db, ownerColumn(sent.owner))
        }
        return { state: "taken", outcomes }
      }),

    ownersWithDueEvidence: () =>
      read(async (db) => {
        const rows = await db
          .selectFrom("evidence")
          .select("owner")
          .distinct()
          .where("due_at", "is not", null)
          .orderBy("owner")
          .execute()
        return rows.map(({ owner }) => ownerOf(owner))
      }),

    dueEvidence: ({ owner, identities }) =>
      read(async (db) => {
        const rows = await ofFirstIdentities(
          () =>
            db
              .selectFrom("evidence")
              .where("owner", "=", ownerColumn(owner))
              .where("due_at", "is not", null),
          identities,
        )
        return rows.map((row) => ({ ...keptOf(row), due: row.due_at ?? 0 }))
      }),

    settleEvidence: ({ owner, through, due }) =>
      writeUnsynced(async (db) => {
        for (let from = 0; from < due.length; from += ROWS_AT_ONCE) {
          const writes = due.slice(from, from + ROWS_AT_ONCE)
          await touchWatched(db, {
            owner: owner === "shared" ? null : owner,
            identityKeys: dueIdentities(db, ownerColumn(owner), through, writes),
            cause: owner === "shared" ? "carrier" : "evidence",
          })
          await db
            .updateTable("evidence")
            .set({ due_at: null })
            .where("owner", "=", ownerColumn(owner))
            .where("due_at", "is not", null)
            .where("due_at", "in", writes)
            .where("identity_key", "<=", through)
            .execute()
        }
        await finishClaims(db, ownerColumn(owner))
      }),

    evidenceAfter: ({ after, identities }) =>
      read(async (db) =>
        (await ofFirstIdentities(() => behind(db, after), identities)).map(keptOf),
      ),

    async forgetSharedSource({ source, receivedUpTo }) {
      const { numDeletedRows } = await write((db) =>
        db
          .deleteFrom("evidence")
          .where("owner", "=", SHARED_OWNER)
          .where("source", "=", source)
          .where("received_at", "<=", receivedUpTo)
          .executeTakeFirstOrThrow(),
      )
      await read(scrub)
      return Number(numDeletedRows)
    },
  }
}

/**
 * Deletes the evidence of an identity that one tenant owns, or everybody, and returns how much that
 * was.
 */
export async function deleteEvidence(
  db: Write,
  identityKey: Uint8Array,
  tenantId: number | null,
): Promise<number> {
  const rows = await db
    .deleteFrom("evidence")
    .where("identity_key", "=", identityKey)
    .$if(tenantId !== null, (query) => query.where("owner", "=", tenantId ?? SHARED_OWNER))
    .returning("owner")
    .execute()
  // Deleted rows are no longer due, and claims may have waited for them.
  for (const owner of new Set(rows.map((row) => row.owner))) await finishClaims(db, owner)
  return rows.length
}

// One statement for many rows, because each statement costs more than the rows it carries.
async function insertNew(db: Write, sent: SentLines): Promise<LineOutcome[]> {
  const { owner, keyId, receivedAt, lines } = sent
  const due = newWrite()
  const fresh = new Map<string, SentEvidence>()
  for (const line of lines) if (!("refusal" in line)) fresh.set(nameOf(line), line)
  const all = [...fresh.values()]
  const outcomes = new Map<string, "stored" | "erased">()
  for (let from = 0; from < all.length; from += ROWS_AT_ONCE) {
    const some = all.slice(from, from + ROWS_AT_ONCE)
    const erased = await erasedAmong(db, some)
    const held = some.filter((each) => {
      const isErased = erased.has(latin1(each.identityKey))
      if (isErased) outcomes.set(nameOf(each), "erased")
      return !isErased
    })
    if (held.length === 0) continue
    const rows = await db
      .insertInto("evidence")
      .values(
        held.map(({ identityKey, source, entry, event }) => ({
          identity_key: identityKey,
          owner: ownerColumn(owner),
          source,
          entry,
          event: event ?? null,
          key_id: keyId,
          received_at: receivedAt,
          due_at: due,
        })),
      )
      .onConflict((conflict) => conflict.doNothing())
      .returning(["identity_key", "source", "entry", "event"])
      .execute()
    for (const row of rows) outcomes.set(nameOf(sentOf(row)), "stored")
  }
  // Equal lines share one outcome: the first one gets it, the others then count as known.
  return lines.map((line) => {
    if ("refusal" in line) return line
    const outcome = outcomes.get(nameOf(line)) ?? "known"
    outcomes.delete(nameOf(line))
    return outcome
  })
}

/**
 * Names one write among all that are due. A moment would not: two nodes may write in the same
 * millisecond, and one of them would settle what only the other has applied.
 */
function newWrite(): number {
  return randomInt(1, 2 ** 48 - 1)
}

async function erasedAmong(db: Write, evidence: readonly SentEvidence[]): Promise<Set<string>> {
  const keys = evidence.map(({ identityKey }) => identityKey)
  const rows = await db
    .selectFrom("tombstones")
    .select("identity_key")
    .where("identity_key", "in", keys)
    .execute()
  return new Set(rows.map(({ identity_key: key }) => latin1(key)))
}

/**
 * Claims are carried out when nothing of their tenant is due any more: its requests are taken one
 * after the other.
 */
async function finishClaims(db: Write, owner: number): Promise<void> {
  if (owner === SHARED_OWNER) return
  // One statement, so that it sees no claim of another node without the evidence it came with.
  await db
    .updateTable("idempotency")
    .set({ status: "done" })
    .where("route", "=", EVIDENCE_ROUTE)
    .where("status", "=", "running")
    .where("key_id", "in", (keys) =>
      keys.selectFrom("keys").select("id").where("tenant_id", "=", owner),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("evidence")
            .select("received_at")
            .where("owner", "=", owner)
            .where("due_at", "is not", null),
        ),
      ),
    )
    .execute()
}

function behind(db: Database, after: Uint8Array | null) {
  const query = db.selectFrom("evidence")
  return after === null ? query : query.where("identity_key", ">", after)
}

/** All rows of a query's first identities: those of one identity are never apart. */
async function ofFirstIdentities(
  query: () => ReturnType<typeof behind>,
  identities: number,
): Promise<Selectable<Schema["evidence"]>[]> {
  const keys = await query()
    .select("identity_key")
    .distinct()
    .orderBy("identity_key")
    .limit(identities)
    .execute()
  const last = keys.at(-1)?.identity_key
  if (last === undefined) return []
  return await query()
    .selectAll()
    .where("identity_key", "<=", last)
    .orderBy("identity_key")
    .orderBy("owner")
    .orderBy("source")
    .orderBy("entry")
    .execute()
}

function keptOf(row: Selectable<Schema["evidence"]>): KeptEvidence {
  const { owner, key_id: keyId, received_at: receivedAt } = row
  return { ...sentOf(row), owner: ownerOf(owner), keyId, receivedAt }
}

type ContentColumns = "identity_key" | "source" | "entry" | "event"

function sentOf(row: Pick<Selectable<Schema["evidence"]>, ContentColumns>): SentEvidence {
  const { identity_key: identityKey, source, entry, event } = row
  return { identityKey, source, entry, ...(event !== null && { event }) }
}

function nameOf({ identityKey, source, entry, event }: SentEvidence): string {
  return `${latin1(identityKey)}${latin1(entry)} ${source} ${event ? latin1(event) : ""}`
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1")
}

function ownerColumn(owner: Owner): number {
  return owner === "shared" ? SHARED_OWNER : owner
}

function ownerOf(column: number): Owner {
  return column === SHARED_OWNER ? "shared" : column
}
