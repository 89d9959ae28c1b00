import type { EventData, EventKind } from "@assay/core/contract"
import { sql, type Selectable } from "kysely"

import { derivedEventId, newId } from "./event-id.ts"
import { type Change, note } from "./records-audit.ts"
import type { Database, Engine, EventInserts, Store, Write } from "./records-engine.ts"
import {
  appendEvents,
  eventOf,
  type NewEvent,
  REPLACED_BY_NEWER,
  type StoredEvent,
} from "./records-events.ts"
import type { Schema } from "./records-schema.ts"
import { disable, type Disabled, isOwned, type WebhookPlace } from "./records-webhooks.ts"

/**
 * `pending` waits for its next attempt, `delivered` was taken, `dead` was given up, and `replaced`
 * gave way to a newer event before it was taken.
 */
export type DeliveryStatus = "pending" | "delivered" | "dead" | "replaced"

/** One event for one webhook. */
export interface Delivery {
  readonly id: string
  readonly webhookId: string
  readonly event: Pick<StoredEvent, "seq" | "id" | "kind" | "at" | "ref">
  readonly status: DeliveryStatus
  /** How many scheduled attempts failed. */
  readonly attempt: number
  readonly nextAt: number | null
  readonly lastAt: number | null
  readonly lastStatus: number | null
  readonly lastError: string | null
}

/** What came of one request. */
export interface Attempt {
  readonly at: number
  /** Of the answer; null where there was none. */
  readonly status: number | null
  /** Why there was none. */
  readonly error: string | null
  readonly durationMs: number
  /** The beginning of the answer, where it may be shown. */
  readonly response: string | null
}

/** `schedule`: its turn had come; the others are single shots that somebody asked for. */
export type AttemptCause = "schedule" | "replay" | "test"

export interface LoggedAttempt extends Attempt {
  readonly cause: AttemptCause
}

/** A delivery that its claimer alone sends, until the claim runs out. */
export interface ClaimedDelivery {
  readonly id: string
  readonly webhookId: string
  readonly claim: string
  /** How many scheduled attempts failed. */
  readonly attempt: number
  readonly event: StoredEvent
}

export interface DeliveryClaim {
  readonly webhookId: string
  readonly at: number
  readonly until: number
  /** Names the claimer's turn at this: no two are alike. */
  readonly claim: string
  readonly limit: number
}

export interface Settlement extends Attempt {
  readonly id: string
  readonly claim: string
  /**
   * `gone`: the webhook said that it wants no more. Given up and gone disable it, the first only
   * where nothing was delivered since the first attempt at this.
   */
  readonly then: "delivered" | "given-up" | "gone" | { readonly retryAt: number }
}

export interface DeliveryPage {
  readonly tenantId: number | null
  readonly webhookId: string
  readonly status?: DeliveryStatus
  /** Only those of older events. */
  readonly before?: number
  readonly limit: number
}

/** Queues events of a time again. */
export interface Replay extends WebhookPlace {
  readonly at: number
  readonly since: number
  readonly until: number
  readonly kinds?: readonly EventKind[]
  /** Those that were delivered too. */
  readonly delivered: boolean
  readonly perSecond: number
  /** Goes on behind this event, with this many queued already. */
  readonly after: number
  readonly queued: number
  readonly limit: number
}

/** The outbox: what is to be delivered, and what became of it. */
export interface DeliveryRecords {
  /** Enabled webhooks with deliveries that are due and not claimed. */
  dueWebhooks(at: number): Promise<{ id: string; url: string }[]>
  /**
   * Takes the oldest that are due. Of those about one identity only the first is ever claimed, and
   * the next one after that was settled.
   */
  claimDeliveries(claim: DeliveryClaim): Promise<ClaimedDelivery[]>
  /** Puts claimed ones back, as if they had never been claimed. */
  releaseDeliveries(claims: readonly { id: string; claim: string }[]): Promise<void>
  /**
   * Notes what came of an attempt, and what is next. A claim that ran out and was taken by another
   * changes nothing, unless the event was delivered. Where this disables the webhook its owner gets
   * an event that says so.
   */
  settleDelivery(settlement: Settlement): Promise<{ disabled: boolean }>
  /** An event for this webhook alone, and its delivery, which nobody claims. */
  addTest(place: WebhookPlace, event: NewEvent): Promise<ClaimedDelivery | null>
  /** For a single shot. null where the owner's webhook has no such delivery. */
  deliveryToRepeat(of: WebhookPlace & { deliveryId: string }): Promise<ClaimedDelivery | null>
  /** Notes a single shot. If it was taken the event is delivered; if not, nothing changes. */
  logShot(shot: LoggedAttempt & { deliveryId: string; delivered: boolean }): Promise<void>
  /** The newest events first. */
  deliveries(page: DeliveryPage): Promise<Delivery[]>
  delivery(of: WebhookPlace & { deliveryId: string }): Promise<Delivery | null>
  /** The newest first. */
  attempts(of: { deliveryId: string; limit: number }): Promise<LoggedAttempt[]>
  /**
   * Queues the next `limit` events of a replay, and says where it goes on; null where that is all.
   * Changes of risk that a newer one has overtaken are replaced and not sent.
   */
  queueReplay(replay: Replay): Promise<{ queued: number; after: number | null }>
  noteReplay(of: Change & WebhookPlace & { queued: number }): Promise<void>
  /** What waits for how long. */
  pendingDeliveries(): Promise<{ count: number; oldestDueAt: number | null }>
}

/** As a literal, so that both engines see that the index of these rows answers. */
const PENDING = sql.lit("pending")
const NOT_SENT = "not-sent"

/** Deliveries over either engine. */
export function sqlDeliveries(
  { read, write, writeUnsynced }: Store,
  { skipLocked, ...inserts }: EventInserts & Pick<Engine, "skipLocked">,
): DeliveryRecords {
  return {
    dueWebhooks: (at) =>
      read(async (db) => {
        const rows = await db
          .selectFrom("webhooks as w")
          .select(["w.id", "w.url"])
          .where("w.disabled_at", "is", null)
          .where((row) =>
            row.exists(
              row
                .selectFrom("deliveries as d")
                .select("d.id")
                .whereRef("d.webhook_id", "=", "w.id")
                .where("d.status", "=", PENDING)
                .where("d.next_at", "<=", at)
                .where((d) =>
                  d.or([d("d.locked_until", "is", null), d("d.locked_until", "<=", at)]),
                ),
            ),
          )
          .orderBy("w.id")
          .execute()
        return rows.map((row) => ({ ...row }))
      }),

    // Whoever loses a claim sends the event a second time, so a claim need not reach the disk.
    claimDeliveries: ({ webhookId, at, until, claim, limit }) =>
      writeUnsynced(async (db) => {
        const due = await db
          .selectFrom("deliveries as d")
          .select("d.id")
          .where("d.webhook_id", "=", webhookId)
          .where("d.status", "=", PENDING)
          .where("d.next_at", "<=", at)
          .where((d) => d.or([d("d.locked_until", "is", null), d("d.locked_until", "<=", at)]))
          .where((d) => d.not(d.exists(earlier(db, at))))
          .orderBy("d.next_at")
          .orderBy("d.event_seq")
          .limit(limit)
          .modifyEnd(skipLocked)
          .execute()
        if (due.length === 0) return []
        const claimed = await db
          .updateTable("deliveries")
          .set({ locked_until: until, claim })
          .where(
            "id",
            "in",
            due.map(({ id }) => id),
          )
          .returning(["id", "attempt", "event_seq"])
          .execute()
        return await withEvents(db, webhookId, claimed, claim)
      }),

    releaseDeliveries: (claims) =>
      writeUnsynced(async (db) => {
        // In the order in which whoever deletes several holds them.
        for (const { id, claim } of claims.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
          await db
            .updateTable("deliveries")
            .set({ locked_until: null, claim: null })
            .where("id", "=", id)
            .where("claim", "=", claim)
            .execute()
      }),

    settleDelivery: (settlement) => {
      const { then } = settlement
      if (then === "delivered") return writeUnsynced((db) => settleDelivered(db, settlement))
      if (then === "given-up" || then === "gone")
        return write((db) => settleGivenUp(db, inserts, settlement))
      return writeUnsynced((db) => settleFailed(db, settlement, then.retryAt))
    },

    addTest: (place, event) =>
      write(async (db) => {
        await inserts.takeTurn(db, "events")
        if (!(await isOwned(db, place))) return null
        const row = await db
          .insertInto("events")
          .values({
            id: event.id,
            tenant_id: event.tenantId,
            kind: event.kind,
            at: event.at,
            ref: event.ref,
            identity_key: null,
            data: JSON.stringify(event.data),
            sealed: null,
          })
          .returningAll()
          .executeTakeFirstOrThrow()
        const id = newId("del_")
        await db
          .insertInto("deliveries")
          .values({
            ...{ id, webhook_id: place.id, event_seq: row.seq, kind: event.kind },
            ...{ status: "dead", attempt: 0, last_error: NOT_SENT },
          })
          .execute()
        return { id, webhookId: place.id, claim: "", attempt: 0, event: eventOf(row) }
      }),

    deliveryToRepeat: ({ tenantId, id: webhookId, deliveryId }) =>
      read(async (db) => {
        if (!(await isOwned(db, { tenantId, id: webhookId }))) return null
        const rows = await db
          .selectFrom("deliveries")
          .select(["id", "attempt", "event_seq"])
          .where("id", "=", deliveryId)
          .where("webhook_id", "=", webhookId)
          .execute()
        return (await withEvents(db, webhookId, rows, ""))[0] ?? null
      }),

    logShot: (shot) =>
      write(async (db) => {
        const { deliveryId: id, delivered } = shot
        const found = await db
          .updateTable("deliveries")
          .set({
            ...lastOf(shot),
            ...(delivered && { status: "delivered", next_at: null }),
          })
          .where("id", "=", id)
          .returning("id")
          .executeTakeFirst()
        if (found !== undefined) await log(db, id, shot, shot.cause)
      }),

    deliveries: ({ tenantId, webhookId, status, before, limit }) =>
      read(async (db) => {
        if (!(await isOwned(db, { tenantId, id: webhookId }))) return []
        let query = joined(db).where("d.webhook_id", "=", webhookId)
        if (status !== undefined) query = query.where("d.status", "=", status)
        if (before !== undefined) query = query.where("d.event_seq", "<", before)
        return (await query.orderBy("d.event_seq", "desc").limit(limit).execute()).map(deliveryOf)
      }),

    delivery: ({ tenantId, id: webhookId, deliveryId }) =>
      read(async (db) => {
        if (!(await isOwned(db, { tenantId, id: webhookId }))) return null
        const row = await joined(db)
          .where("d.webhook_id", "=", webhookId)
          .where("d.id", "=", deliveryId)
          .executeTakeFirst()
        return row === undefined ? null : deliveryOf(row)
      }),

    attempts: ({ deliveryId, limit }) =>
      read(async (db) => {
        const rows = await db
          .selectFrom("attempts")
          .selectAll()
          .where("delivery_id", "=", deliveryId)
          .orderBy("id", "desc")
          .limit(limit)
          .execute()
        return rows.map(({ at, cause, status, error, duration_ms: durationMs, response }) => ({
          ...{ at, cause: cause as AttemptCause, status, error, durationMs, response },
        }))
      }),

    queueReplay: (replay) =>
      write(async (db) => {
        await inserts.takeTurn(db, "events")
        return await queueSome(db, replay)
      }),

    noteReplay: (of) =>
      write(async (db) => {
        await note(db, of, "webhook.replay", `webhook:${of.id}`, { queued: of.queued })
      }),

    pendingDeliveries: () =>
      read(async (db) => {
        const { count, oldest } = await db
          .selectFrom("deliveries")
          .select((row) => [
            row.fn.countAll<number>().as("count"),
            row.fn.min("next_at").as("oldest"),
          ])
          .where("status", "=", PENDING)
          .executeTakeFirstOrThrow()
        return { count, oldestDueAt: oldest }
      }),
  }
}

/**
 * Another about the same identity that comes before `d`: one that waits, or one that gave way while
 * it was being sent, and may still arrive.
 */
function earlier(db: Write, at: number) {
  return db
    .selectFrom("deliveries as e")
    .select("e.id")
    .whereRef("e.webhook_id", "=", sql.ref("d.webhook_id"))
    .whereRef("e.order_key", "=", sql.ref("d.order_key"))
    .whereRef("e.event_seq", "<", sql.ref("d.event_seq"))
    .where(sql<boolean>`(e.status = 'pending' or e.locked_until is not null)`)
    .where((e) => e.or([e("e.status", "=", PENDING), e("e.locked_until", ">", at)]))
}

async function withEvents(
  db: Pick<Database, "selectFrom">,
  webhookId: string,
  rows: readonly { id: string; attempt: number; event_seq: number }[],
  claim: string,
): Promise<ClaimedDelivery[]> {
  if (rows.length === 0) return []
  const seqs = rows.map(({ event_seq: seq }) => seq)
  const found = await db.selectFrom("events").selectAll().where("seq", "in", seqs).execute()
  const events = new Map(found.map((row) => [row.seq, eventOf(row)]))
  return rows
    .toSorted((a, b) => a.event_seq - b.event_seq)
    .flatMap(({ id, attempt, event_seq }) => {
      const event = events.get(event_seq)
      return event === undefined ? [] : { id, webhookId, claim, attempt, event }
    })
}

const settled = { locked_until: null, claim: null } as const

// Each settlement changes the webhook before the delivery: whoever disables a webhook changes them
// in that order too, and so neither waits for the other.

async function settleDelivered(db: Write, settlement: Settlement): Promise<{ disabled: boolean }> {
  const { id } = settlement
  await db
    .updateTable("webhooks")
    .set({ failing_since: null })
    .where("id", "in", webhookIdOf(db, id))
    .where("failing_since", "is not", null)
    .execute()
  const found = await db
    .updateTable("deliveries")
    .set({ ...settled, ...lastOf(settlement), status: "delivered", next_at: null })
    .where("id", "=", id)
    .returning("id")
    .executeTakeFirst()
  // It is gone where the person it was about had their data erased meanwhile.
  if (found !== undefined) await log(db, id, settlement, "schedule")
  return { disabled: false }
}

async function settleFailed(
  db: Write,
  settlement: Settlement,
  retryAt: number | null,
): Promise<{ disabled: boolean }> {
  const { id, claim, at, durationMs } = settlement
  const startedAt = at - durationMs
  await db
    .updateTable("webhooks")
    .set({ failing_since: startedAt })
    .where("id", "in", webhookIdOf(db, id))
    .where("failing_since", "is", null)
    .execute()
  const found = await db
    .updateTable("deliveries")
    .set((row) => ({
      ...settled,
      ...lastOf(settlement),
      attempt: sql<number>`attempt + 1`,
      first_at: row.fn.coalesce("first_at", sql.lit(startedAt)),
    }))
    .where("id", "=", id)
    .where("claim", "=", claim)
    .returning("id")
    .executeTakeFirst()
  if (found === undefined) return { disabled: false }
  // One that gave way or was disabled while it was sent stays as it is.
  await db
    .updateTable("deliveries")
    .set(retryAt === null ? { status: "dead", next_at: null } : { next_at: retryAt })
    .where("id", "=", id)
    .where("status", "=", PENDING)
    .execute()
  await log(db, id, settlement, "schedule")
  return { disabled: false }
}

async function settleGivenUp(
  db: Write,
  inserts: EventInserts,
  settlement: Settlement,
): Promise<{ disabled: boolean }> {
  const { id, at, then, status, error } = settlement
  await inserts.takeTurn(db, "events")
  await settleFailed(db, settlement, null)
  const row = await db
    .selectFrom("deliveries as d")
    .innerJoin("webhooks as w", "w.id", "d.webhook_id")
    .innerJoin("events as e", "e.seq", "d.event_seq")
    .select(["w.id", "w.tenant_id", "w.disabled_at", "w.failing_since", "d.first_at", "d.attempt"])
    .select(["e.id as event_id", "e.kind"])
    .where("d.id", "=", id)
    .executeTakeFirst()
  if (row === undefined || row.disabled_at !== null) return { disabled: false }
  // Where others were delivered meanwhile the webhook works, and only this event is refused.
  if (then !== "gone" && (row.failing_since ?? at) > (row.first_at ?? at))
    return { disabled: false }
  const reason = then === "gone" ? "gone" : "failing"
  const disabled: Disabled = {
    ...{ at, reason },
    ...{ eventId: row.event_id, kind: row.kind as EventKind, status, error },
  }
  await disable(db, row.id, disabled)
  await appendEvents(db, inserts, [
    notice(row, at, {
      webhook_id: row.id,
      reason,
      event_id: row.event_id,
      event_type: row.kind,
      attempts: row.attempt,
      last_status: status,
      last_error: error,
    }),
  ])
  const by = { at, actor: "deliveries", tenantId: row.tenant_id }
  await note(db, by, "webhook.disable", `webhook:${row.id}`, { reason })
  return { disabled: true }
}

/** What the owner's other webhooks, and whoever reads its events, are told. */
function notice(
  webhook: { id: string; tenant_id: number | null },
  at: number,
  data: EventData<"webhook.disabled">,
): NewEvent {
  return {
    id: derivedEventId(["webhook.disabled", webhook.id, at]),
    tenantId: webhook.tenant_id,
    kind: "webhook.disabled",
    at,
    ref: null,
    identityKey: null,
    sealed: null,
    data,
  }
}

async function queueSome(
  db: Write,
  replay: Replay,
): Promise<{ queued: number; after: number | null }> {
  const { tenantId, id, since, until, kinds, after, limit } = replay
  const webhook = await db
    .selectFrom("webhooks")
    .select(["kinds", "tenant_id"])
    .where("id", "=", id)
    .where("disabled_at", "is", null)
    .executeTakeFirst()
  if (webhook === undefined || webhook.tenant_id !== tenantId) return { queued: 0, after: null }
  const asked = webhook.kinds
    .trim()
    .split(" ")
    .filter((kind) => kinds?.includes(kind as EventKind) ?? true)
  if (asked.length === 0) return { queued: 0, after: null }
  let query = db
    .selectFrom("events as e")
    .leftJoin("deliveries as d", (join) =>
      join.onRef("d.event_seq", "=", "e.seq").on("d.webhook_id", "=", id),
    )
    .select(["e.seq", "e.kind", "e.identity_key", "d.id", "d.status"])
    .where("e.seq", ">", after)
    .where("e.at", ">=", since)
    .where("e.at", "<=", until)
    .where("e.kind", "in", asked)
  query =
    tenantId === null
      ? query.where("e.tenant_id", "is", null)
      : query.where("e.tenant_id", "=", tenantId)
  const rows = await query.orderBy("e.seq").limit(limit).execute()
  const newest = await newestChanges(db, tenantId, rows)
  let { queued } = replay
  const due = rows.flatMap((row) => {
    if (row.status === "pending") return []
    if (row.status === "delivered" && !replay.delivered) return []
    const isReplaced = (newest.get(changeName(row)) ?? row.seq) > row.seq
    // What was delivered stays so.
    if (isReplaced && row.status === "delivered") return []
    const next_at = isReplaced ? null : replay.at + Math.floor((queued * 1000) / replay.perSecond)
    if (!isReplaced) queued++
    return {
      ...{ id: row.id ?? newId("del_"), webhook_id: id, event_seq: row.seq, kind: row.kind },
      ...{ order_key: row.identity_key, status: isReplaced ? "replaced" : "pending" },
      ...{ attempt: 0, first_at: null, next_at, last_error: null },
    }
  })
  // In one statement: thousands of single ones over a socket are a minute.
  if (due.length > 0)
    await db
      .insertInto("deliveries")
      .values(due)
      .onConflict((conflict) =>
        conflict.column("id").doUpdateSet((row) => ({
          status: row.ref("excluded.status"),
          attempt: row.ref("excluded.attempt"),
          first_at: row.ref("excluded.first_at"),
          next_at: row.ref("excluded.next_at"),
          last_error: row.ref("excluded.last_error"),
        })),
      )
      .execute()
  const last = rows.at(-1)
  return { queued, after: rows.length < limit || last === undefined ? null : last.seq }
}

interface EventRow {
  readonly seq: number
  readonly kind: string
  readonly identity_key: Uint8Array | null
}

/** The number of the newest change of risk of each identity that these rows tell of. */
async function newestChanges(
  db: Write,
  tenantId: number | null,
  rows: readonly EventRow[],
): Promise<Map<string, number>> {
  const kinds: readonly string[] = REPLACED_BY_NEWER
  const keys = rows.flatMap(({ kind, identity_key: key }) =>
    key !== null && kinds.includes(kind) ? [key] : [],
  )
  if (tenantId === null || keys.length === 0) return new Map()
  const found = await db
    .selectFrom("events")
    .select((row) => ["kind", "identity_key", row.fn.max("seq").as("seq")])
    .where("identity_key", "in", keys)
    .where("tenant_id", "=", tenantId)
    .where("kind", "in", kinds)
    .groupBy(["identity_key", "kind"])
    .execute()
  return new Map(found.map((row) => [changeName(row), row.seq]))
}

function changeName({ kind, identity_key: key }: Omit<EventRow, "seq">): string {
  return `${kind} ${key === null ? "" : Buffer.from(key).toString("hex")}`
}

function webhookIdOf(db: Write, deliveryId: string) {
  return db.selectFrom("deliveries").select("webhook_id").where("id", "=", deliveryId)
}

async function log(db: Write, deliveryId: string, attempt: Attempt, cause: AttemptCause) {
  const { at, status, error, durationMs, response } = attempt
  await db
    .insertInto("attempts")
    .values({
      ...{ delivery_id: deliveryId, at, cause, status, error },
      ...{ duration_ms: durationMs, response },
    })
    .execute()
}

function lastOf({ at, status, error }: Attempt) {
  return { last_at: at, last_status: status, last_error: error }
}

function joined(db: Database) {
  return db
    .selectFrom("deliveries as d")
    .innerJoin("events as e", "e.seq", "d.event_seq")
    .select(["d.id", "d.webhook_id", "d.status", "d.attempt", "d.next_at"])
    .select(["d.last_at", "d.last_status", "d.last_error"])
    .select(["e.seq", "e.id as event_id", "e.kind", "e.at", "e.ref"])
}

type JoinedRow = Pick<
  Selectable<Schema["deliveries"]>,
  "id" | "webhook_id" | "status" | "attempt" | "next_at" | "last_at" | "last_status" | "last_error"
> &
  Pick<Selectable<Schema["events"]>, "seq" | "kind" | "at" | "ref"> & { event_id: string }

function deliveryOf(row: JoinedRow): Delivery {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    event: {
      seq: row.seq,
      id: row.event_id,
      kind: row.kind as EventKind,
      at: row.at,
      ref: row.ref,
    },
    status: row.status as DeliveryStatus,
    attempt: row.attempt,
    nextAt: row.next_at,
    lastAt: row.last_at,
    lastStatus: row.last_status,
    lastError: row.last_error,
  }
}
