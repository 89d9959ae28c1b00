import type { EventKind } from "@assay/core/contract"
import type { Selectable } from "kysely"

import { holdDeliveries } from "./hold-deliveries.ts"
import { newId } from "./event-id.ts"
import type {
  Database,
  Engine,
  EventInserts,
  EventRow,
  InsertedEvent,
  Store,
  Write,
} from "./records-engine.ts"
import type { Schema } from "./records-schema.ts"

/** Something that happened, as its maker describes it. */
export interface NewEvent {
  /** From `eventId` or `derivedEventId`: an event whose id is there already is the same event. */
  readonly id: string
  /** null: of the service itself. */
  readonly tenantId: number | null
  readonly kind: EventKind
  readonly at: number
  /** The tenant's own name of what it is about. */
  readonly ref: string | null
  /** Whom it is about: events about one identity are told in order, and go when it is erased. */
  readonly identityKey: Uint8Array | null
  /** The identity itself, sealed, for tenants that asked for it. */
  readonly sealed: Uint8Array | null
  /** The payload's `data`. Holds no identity. */
  readonly data: object
}

export interface StoredEvent extends NewEvent {
  /** Grows in the order of commits. */
  readonly seq: number
}

export interface EventPage {
  readonly tenantId: number | null
  /** Only events with greater numbers. */
  readonly after: number
  readonly kinds?: readonly EventKind[]
  readonly limit: number
}

export interface EventRecords {
  /** Returns how many were new. All of them or none. */
  addEvents(events: readonly NewEvent[]): Promise<number>
  /** One owner's events, the oldest first. */
  eventsAfter(page: EventPage): Promise<StoredEvent[]>
  /** An owner's newest events, the oldest of them first. */
  newestEvents(page: Omit<EventPage, "after">): Promise<StoredEvent[]>
  /** null where the owner has no such event. */
  event(of: { tenantId: number | null; id: string }): Promise<StoredEvent | null>
  /** The number of the newest event, of one owner or of any; 0 where there is none. */
  newestEvent(of?: { tenantId: number | null }): Promise<number>
  /**
   * Deletes the oldest events from before a moment, at most `rowsMax`, with what became of telling
   * them. Returns how many there were.
   */
  forgetEvents(of: { before: number; rowsMax: number }): Promise<number>
  /**
   * Keeps the event of a day's digest of the drop in place of the one before: a row of them would
   * show on which days somebody wrote, which the drop's own file does not.
   */
  setDropDigest(event: NewEvent): Promise<void>
}

/** Of these only the newest is worth telling: it says what is true now. */
export const REPLACED_BY_NEWER: readonly EventKind[] = ["risk.email.changed", "risk.phone.changed"]

/** Kept until the next one, and in no backup. */
export const DROP_DIGEST: EventKind = "drop.digest"

/** Few enough for the parameters of one statement. */
const ROWS_AT_ONCE = 500

/** Events over either engine. */
export function sqlEvents(
  { read, write }: Store,
  { scrub, forUpdate, ...inserts }: EventInserts & Pick<Engine, "scrub" | "forUpdate">,
): EventRecords {
  return {
    addEvents: (events) => write((db) => appendEvents(db, inserts, events)),

    eventsAfter: ({ tenantId, after, kinds, limit }) =>
      read(async (db) => {
        const query = ownedBy(db, tenantId, kinds).where("seq", ">", after)
        return (await query.orderBy("seq").limit(limit).execute()).map(eventOf)
      }),

    newestEvents: ({ tenantId, kinds, limit }) =>
      read(async (db) => {
        const newest = ownedBy(db, tenantId, kinds).orderBy("seq", "desc").limit(limit)
        return (await newest.execute()).map(eventOf).toReversed()
      }),

    event: ({ tenantId, id }) =>
      read(async (db) => {
        const row = await ownedBy(db, tenantId).where("id", "=", id).executeTakeFirst()
        return row === undefined ? null : eventOf(row)
      }),

    newestEvent: (of) =>
      read(async (db) => {
        const newest = db.selectFrom("events").select("seq").orderBy("seq", "desc").limit(1)
        const row = await (
          of === undefined
            ? newest
            : newest.where("tenant_id", of.tenantId === null ? "is" : "=", of.tenantId)
        ).executeTakeFirst()
        return row?.seq ?? 0
      }),

    async forgetEvents({ before, rowsMax }) {
      const forgotten = await write(async (db) => {
        const oldest = await db
          .selectFrom("events")
          .select("seq")
          .where("at", "<", before)
          .orderBy("at")
          .limit(rowsMax)
          .execute()
        await deleteEvents(
          db,
          forUpdate,
          oldest.map(({ seq }) => seq),
        )
        return oldest.length
      })
      if (forgotten > 0) await read(scrub)
      return forgotten
    },

    async setDropDigest(event) {
      const replaced = await write(async (db) => {
        // The turn of whoever deletes a webhook or notes a failure.
        await inserts.takeTurn(db, "events")
        const older = await db
          .selectFrom("events")
          .select("seq")
          .where("tenant_id", "is", null)
          .where("kind", "=", DROP_DIGEST)
          .where("id", "!=", event.id)
          .execute()
        await deleteEvents(
          db,
          forUpdate,
          older.map(({ seq }) => seq),
        )
        await appendEvents(db, inserts, [event])
        return older.length
      })
      if (replaced > 0) await read(scrub)
    },
  }
}

function ownedBy(
  db: Pick<Database, "selectFrom">,
  tenantId: number | null,
  kinds?: readonly EventKind[],
) {
  const query = db
    .selectFrom("events")
    .selectAll()
    .where("tenant_id", tenantId === null ? "is" : "=", tenantId)
  return kinds === undefined ? query : query.where("kind", "in", kinds)
}

/**
 * Adds events in the caller's own transaction, with a delivery to each enabled webhook of the owner
 * that asks for the kind, and returns how many were new. Known ids and events about erased
 * identities are left out. A newer change of risk replaces older ones that were not delivered yet.
 *
 * From here to its end the transaction is alone among those that add events, so that `seq` follows
 * the order of commits. Call it before `note`: two transactions that take turns and the head of the
 * audit trail in different orders would wait for each other.
 */
export async function appendEvents(
  db: Write,
  { takeTurn, insertEvents }: EventInserts,
  events: readonly NewEvent[],
): Promise<number> {
  if (events.length === 0) return 0
  await takeTurn(db, "events")
  let added = 0
  for (let from = 0; from < events.length; from += ROWS_AT_ONCE)
    added += await appendSome(db, insertEvents, events.slice(from, from + ROWS_AT_ONCE))
  return added
}

async function appendSome(
  db: Write,
  insertEvents: Engine["insertEvents"],
  events: readonly NewEvent[],
): Promise<number> {
  const inserted = await insertEvents(db, rowsOf(events))
  const rows = inserted.toSorted((a, b) => a.seq - b.seq)
  for (const owner of new Set(rows.map((row) => row.tenant_id))) {
    const own = rows.filter((row) => row.tenant_id === owner)
    for (const webhook of await enabledWebhooks(db, owner)) {
      const asked = own.filter(({ kind }) => webhook.kinds.includes(` ${kind} `))
      if (asked.length > 0) await addDeliveries(db, webhook.id, asked)
    }
  }
  return rows.length
}

function rowsOf(events: readonly NewEvent[]): EventRow[] {
  // Two events about one decision hold the same data and come one after the other.
  let last = { data: {}, json: "{}" }
  return events.map((event) => {
    if (event.data !== last.data) last = { data: event.data, json: JSON.stringify(event.data) }
    return {
      id: event.id,
      tenant_id: event.tenantId,
      kind: event.kind,
      at: event.at,
      ref: event.ref,
      identity_key: event.identityKey,
      data: last.json,
      sealed: event.sealed,
    }
  })
}

async function enabledWebhooks(
  db: Write,
  owner: number | null,
): Promise<{ id: string; kinds: string }[]> {
  const query = db.selectFrom("webhooks").select(["id", "kinds"]).where("disabled_at", "is", null)
  const own =
    owner === null ? query.where("tenant_id", "is", null) : query.where("tenant_id", "=", owner)
  return await own.execute()
}

/** Of one webhook, due at once, in the order of the events. */
async function addDeliveries(
  db: Write,
  webhookId: string,
  rows: readonly InsertedEvent[],
): Promise<void> {
  const newest = new Map<string, number>()
  for (const kind of REPLACED_BY_NEWER) {
    const changes = rows.filter((row) => row.kind === kind && row.identity_key !== null)
    if (changes.length === 0) continue
    for (const { identity_key, seq } of changes) newest.set(`${kind} ${nameOf(identity_key)}`, seq)
    await db
      .updateTable("deliveries")
      .set({ status: "replaced", next_at: null })
      .where("webhook_id", "=", webhookId)
      .where("kind", "=", kind)
      .where(
        "order_key",
        "in",
        changes.flatMap(({ identity_key: key }) => key ?? []),
      )
      .where("status", "=", "pending")
      .execute()
  }
  await db
    .insertInto("deliveries")
    .values(
      rows.map(({ seq, kind, at, identity_key }) => {
        const isReplaced = (newest.get(`${kind} ${nameOf(identity_key)}`) ?? seq) > seq
        return {
          id: newId("del_"),
          webhook_id: webhookId,
          event_seq: seq,
          kind,
          order_key: identity_key,
          status: isReplaced ? "replaced" : "pending",
          attempt: 0,
          next_at: isReplaced ? null : at,
        }
      }),
    )
    .execute()
}

/** Deletes events with what became of telling them. */
async function deleteEvents(
  db: Write,
  forUpdate: Engine["forUpdate"],
  seqs: readonly number[],
): Promise<void> {
  for (let from = 0; from < seqs.length; from += ROWS_AT_ONCE) {
    const some = seqs.slice(from, from + ROWS_AT_ONCE)
    await holdDeliveries(db, forUpdate, { seqs: some })
    const theirs = db.selectFrom("deliveries").select("id").where("event_seq", "in", some)
    await db.deleteFrom("attempts").where("delivery_id", "in", theirs).execute()
    await db.deleteFrom("deliveries").where("event_seq", "in", some).execute()
    await db.deleteFrom("events").where("seq", "in", some).execute()
  }
}

/**
 * Deletes the events about an identity, of one tenant or of all, told or not, and returns how many
 * there were.
 */
export async function deleteEventsOf(
  db: Write,
  { takeTurn, forUpdate }: Pick<Engine, "takeTurn" | "forUpdate">,
  { identityKey, tenantId }: { identityKey: Uint8Array; tenantId: number | null },
): Promise<number> {
  // A webhook may be about to be deleted, or a failure to be noted: both take this turn.
  await takeTurn(db, "events")
  const rows = await db
    .selectFrom("events")
    .select("seq")
    .where("identity_key", "=", identityKey)
    .$if(tenantId !== null, (query) => query.where("tenant_id", "=", tenantId ?? 0))
    .execute()
  await deleteEvents(
    db,
    forUpdate,
    rows.map(({ seq }) => seq),
  )
  return rows.length
}

function nameOf(key: Uint8Array | null): string {
  return key === null ? "" : Buffer.from(key).toString("hex")
}

export function eventOf(row: Selectable<Schema["events"]>): StoredEvent {
  return {
    seq: row.seq,
    id: row.id,
    tenantId: row.tenant_id,
    kind: row.kind as EventKind,
    at: row.at,
    ref: row.ref,
    identityKey: row.identity_key,
    sealed: row.sealed,
    data: JSON.parse(row.data) as object,
  }
}
