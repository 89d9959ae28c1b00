import type { EventKind } from "@assay/core/contract"
import type { Selectable } from "kysely"

import { type Change, note } from "./records-audit.ts"
import type { Database, Engine, Store, Write } from "./records-engine.ts"
import { RecordsError } from "./records-error.ts"
import type { Schema } from "./records-schema.ts"

export type StreamMethod = "push" | "poll"
export type StreamDialect = "standard" | "okta"
export type StreamStatus = "enabled" | "paused" | "disabled"
export type SubjectFormat = "iss_sub" | "opaque"

/** A receiver of a tenant's events by OpenID Shared Signals, and how far it is. */
export interface SharedStream {
  readonly id: string
  readonly tenantId: number
  /** One text, or a list where the owner gave one. */
  readonly audience: string | readonly string[]
  readonly method: StreamMethod
  /** Where events are sent; null of a stream that is polled. */
  readonly url: string | null
  /** The header that the receiver wants, encrypted; this port does not look into it. */
  readonly authorization: Uint8Array | null
  readonly description: string
  readonly dialect: StreamDialect
  readonly subjectFormat: SubjectFormat
  /** Whose names the refs are; null: of the service itself. */
  readonly subjectIssuer: string | null
  /** Types of events that were asked for, also those that nobody knows here. */
  readonly events: readonly string[]
  readonly status: StreamStatus
  readonly reason: string | null
  readonly statusAt: number
  readonly createdAt: number
  readonly changedAt: number
  /** All events up to this number are taken, or give nothing to take. */
  readonly seq: number
  readonly verification: { readonly askedAt: number; readonly takenAt: number | null } | null
  /** When the receiver last took anything. */
  readonly takenAt: number | null
  /** What went wrong last; null where all went well since. */
  readonly fault: { readonly at: number; readonly code: string } | null
  /** Failures to push since the last success. */
  readonly failures: number
  readonly nextAt: number | null
}

/** What an owner or a receiver says of a stream. */
export interface StreamSettings {
  readonly audience: string | readonly string[]
  readonly method: StreamMethod
  readonly url: string | null
  readonly authorization: Uint8Array | null
  readonly description: string
  readonly dialect: StreamDialect
  readonly subjectFormat: SubjectFormat
  readonly subjectIssuer: string | null
  readonly events: readonly string[]
}

export interface NewStream extends Change, StreamSettings {
  readonly id: string
  readonly tenantId: number
}

/** Which stream, of whom. */
export interface StreamPlace {
  readonly tenantId: number
  readonly id: string
}

export interface StreamChange extends Change, StreamPlace {
  readonly tenantId: number
  readonly set?: Partial<StreamSettings>
  readonly status?: { readonly status: StreamStatus; readonly reason: string | null }
  /** The receiver is told of its new status by this; without it, it did so itself. */
  readonly note?: NewStreamNote
}

/** What is told to a receiver about its stream and about nobody. */
export interface StreamNote {
  readonly id: string
  readonly kind: "verification" | "stream-updated"
  readonly at: number
  readonly data: Readonly<Record<string, unknown>>
}
export type NewStreamNote = Omit<StreamNote, "at">

/** A pair of keys that signs for all streams of the service. */
export interface SharedKey {
  readonly id: string
  /** The private key, encrypted; this port does not look into it. */
  readonly sealed: Uint8Array
  /** As a JSON Web Key. */
  readonly publicKey: Readonly<Record<string, unknown>>
  readonly createdAt: number
  /** It is published before. */
  readonly signsFrom: number
}

/** What came of pushing. */
export interface StreamSettlement {
  readonly id: string
  readonly claim: string
  /** Of the stream as it was claimed: of one that was changed since, no failure is held. */
  readonly changedAt: number
  readonly at: number
  /** Up to where events were taken, or gave nothing. */
  readonly seq: number
  /** Whether the receiver took anything. */
  readonly taken: boolean
  /** null: all went well. */
  readonly fault: { readonly code: string; readonly nextAt: number } | null
  /** Notes that were taken, or refused, which ends them as well. */
  readonly notes: readonly Pick<StreamNote, "id">[]
  readonly verified: boolean
  /** The stream is paused, with this reason: the receiver takes nothing, and nothing is lost. */
  readonly pause: { readonly reason: string; readonly note: NewStreamNote } | null
}

/** Of each tenant. */
export const STREAMS_MAX = 10
/** What may wait for a stream besides events. */
export const NOTES_MAX = 100
/** Of each stream. */
export const LEFT_OUT_MAX = 100_000

/**
 * Streams of OpenID Shared Signals. Changes are noted in the audit trail, without URLs and headers,
 * which may hold secrets.
 */
export interface SharedSignalRecords {
  /** Begins behind the newest event. Throws `name-taken` where the tenant has too many. */
  createStream(stream: NewStream): Promise<SharedStream>
  /** A tenant's, the oldest first. */
  streams(of: { tenantId: number }): Promise<SharedStream[]>
  stream(place: StreamPlace): Promise<SharedStream | null>
  /**
   * A stream that is no longer disabled begins behind the newest event. null where the tenant has
   * no such stream.
   */
  changeStream(change: StreamChange): Promise<SharedStream | null>
  /** False where there is none. */
  deleteStream(of: Change & StreamPlace): Promise<boolean>
  /** Has a verification event sent, unless one was asked for after `notAfter`, or too many wait. */
  askVerification(
    of: StreamPlace & { note: NewStreamNote; at: number; notAfter: number },
  ): Promise<"asked" | "too-soon" | "not-found">
  /** What waits for a stream besides events, the oldest first. */
  streamNotes(of: { id: string; limit: number }): Promise<StreamNote[]>
  /** How many events wait behind a number, counted up to a limit, and when the first happened. */
  waitingEvents(of: {
    tenantId: number
    after: number
    kinds: readonly EventKind[]
    limit: number
  }): Promise<{ count: number; oldestAt: number | null }>
  /** Ids of what was taken behind the stream's position. */
  streamAcks(of: { id: string }): Promise<string[]>
  /** Notes what a receiver that polls has taken, or cannot take, where `fault` says why. */
  acknowledge(
    of: StreamPlace & {
      at: number
      notes: readonly string[]
      sets: readonly { jti: string; seq: number }[]
      verified: boolean
      fault: string | null
    },
  ): Promise<void>
  /** Moves forward, and never back. */
  moveStream(to: { id: string; seq: number }): Promise<void>
  /** Of the refs, by their keyed hashes, those that a stream leaves out. */
  leftOut(of: { id: string; refHashes: readonly Uint8Array[] }): Promise<Uint8Array[]>
  /**
   * Throws `name-taken` where a stream leaves out too many. False where there is no such stream.
   */
  leaveOut(of: StreamPlace & { refHash: Uint8Array }): Promise<boolean>
  takeBackIn(of: StreamPlace & { refHash: Uint8Array }): Promise<boolean>

  /** Whether any tenant has a stream that is pushed to. */
  hasPushStream(): Promise<boolean>
  /** Of all tenants: those that are pushed to and have something due that nobody is sending. */
  dueStreams(of: { at: number; kinds: readonly EventKind[] }): Promise<StreamPlace[]>
  /** Of all tenants, those that are enabled. */
  enabledStreams(): Promise<SharedStream[]>
  /** null where somebody else sends, or it is not there any more. */
  claimStream(
    of: StreamPlace & { at: number; until: number; claim: string },
  ): Promise<SharedStream | null>
  /** Notes what came of sending and lets the stream go. */
  settleStream(settlement: StreamSettlement): Promise<void>
  /** Deletes what a receiver should have been told about its stream long ago. */
  forgetStreamNotes(of: { before: number }): Promise<void>

  /** The oldest first. */
  sharedKeys(): Promise<SharedKey[]>
  /**
   * Adds a key, unless another than `after` is the newest already: of services that rotate at the
   * same moment one does it. False where it was not added.
   */
  addSharedKey(of: Change & { key: SharedKey; after: string | null }): Promise<boolean>
  deleteSharedKeys(ids: readonly string[]): Promise<void>
}

/** Streams over either engine. */
export function sqlSharedSignals(
  { read, write, writeUnsynced }: Store,
  { takeTurn }: Pick<Engine, "takeTurn">,
): SharedSignalRecords {
  return {
    createStream: (stream) =>
      write(async (db) => {
        const { id, tenantId, at } = stream
        // Two that are created at once must see each other to be counted, and no event be between.
        await takeTurn(db, "events")
        const { count } = await db
          .selectFrom("ssf_streams")
          .select((row) => row.fn.countAll<number>().as("count"))
          .where("tenant_id", "=", tenantId)
          .executeTakeFirstOrThrow()
        if (count >= STREAMS_MAX)
          throw new RecordsError("name-taken", "The tenant has as many streams as there may be")
        const row = await db
          .insertInto("ssf_streams")
          .values({
            ...{ id, tenant_id: tenantId, ...columnsOf(stream) },
            ...{ status: "enabled", status_at: at, created_at: at, changed_at: at, failures: 0 },
            seq: await newestOf(db, tenantId),
          })
          .returningAll()
          .executeTakeFirstOrThrow()
        const { method, dialect, events } = stream
        await note(db, stream, "shared-signals.create", subjectOf(id), { method, dialect, events })
        return streamOf(row)
      }),

    streams: ({ tenantId }) =>
      read(async (db) => {
        const rows = await db
          .selectFrom("ssf_streams")
          .selectAll()
          .where("tenant_id", "=", tenantId)
          .orderBy("created_at")
          .orderBy("id")
          .execute()
        return rows.map(streamOf)
      }),

    stream: (place) =>
      read(async (db) => {
        const row = await placed(db, place).executeTakeFirst()
        return row === undefined ? null : streamOf(row)
      }),

    changeStream: (change) =>
      write(async (db) => {
        const { id, tenantId, at, set = {}, status } = change
        await takeTurn(db, "events")
        const before = await placed(db, change).executeTakeFirst()
        if (before === undefined) return null
        const revives = before.status === "disabled" && status && status.status !== "disabled"
        if (revives || status?.status === "disabled") await emptyStream(db, id)
        const row = await db
          .updateTable("ssf_streams")
          .set({
            ...columnsOf(set),
            ...(status && { ...status, status_at: at }),
            // It is tried at once.
            ...{ failures: 0, next_at: null, changed_at: at },
            ...(status?.status === "enabled" && { fault: null, fault_at: null }),
            ...(revives && { seq: await newestOf(db, tenantId) }),
          })
          .where("id", "=", id)
          .returningAll()
          .executeTakeFirstOrThrow()
        if (change.note !== undefined) await addNote(db, id, change.note, at)
        await note(db, change, "shared-signals.change", subjectOf(id), {
          ...auditedOf(set),
          ...(status && { status: status.status }),
        })
        return streamOf(row)
      }),

    deleteStream: (of) =>
      write(async (db) => {
        const { id } = of
        await takeTurn(db, "events")
        if ((await placed(db, of).executeTakeFirst()) === undefined) return false
        await emptyStream(db, id)
        await db.deleteFrom("ssf_left_out").where("stream_id", "=", id).execute()
        await db.deleteFrom("ssf_streams").where("id", "=", id).execute()
        await note(db, of, "shared-signals.delete", subjectOf(id), {})
        return true
      }),

    askVerification: (of) =>
      write(async (db) => {
        const { id, at, notAfter } = of
        // Whoever waits for events is told of it too.
        await takeTurn(db, "events")
        const stream = await placed(db, of).executeTakeFirst()
        if (stream === undefined) return "not-found"
        if (stream.verify_asked_at !== null && stream.verify_asked_at > notAfter) return "too-soon"
        const { count } = await db
          .selectFrom("ssf_notes")
          .select((row) => row.fn.countAll<number>().as("count"))
          .where("stream_id", "=", id)
          .executeTakeFirstOrThrow()
        if (count >= NOTES_MAX) return "too-soon"
        await db
          .updateTable("ssf_streams")
          .set({ verify_asked_at: at, verify_taken_at: null })
          .where("id", "=", id)
          .execute()
        await addNote(db, id, of.note, at)
        return "asked"
      }),

    streamNotes: ({ id, limit }) =>
      read(async (db) => {
        const rows = await db
          .selectFrom("ssf_notes")
          .selectAll()
          .where("stream_id", "=", id)
          .orderBy("at")
          .orderBy("id")
          .limit(limit)
          .execute()
        return rows.map(noteOf)
      }),

    waitingEvents: ({ tenantId, after, kinds, limit }) =>
      read(async (db) => {
        const rows = await db
          .selectFrom("events")
          .select("at")
          .where("tenant_id", "=", tenantId)
          .where("seq", ">", after)
          .where("kind", "in", kinds)
          .orderBy("seq")
          .limit(limit)
          .execute()
        return { count: rows.length, oldestAt: rows[0]?.at ?? null }
      }),

    streamAcks: ({ id }) =>
      read(async (db) => {
        const rows = await db
          .selectFrom("ssf_acks")
          .select("jti")
          .where("stream_id", "=", id)
          .execute()
        return rows.map(({ jti }) => jti)
      }),

    acknowledge: (of) =>
      write(async (db) => {
        const { id, at, notes, sets, verified, fault } = of
        if ((await placed(db, of).executeTakeFirst()) === undefined) return
        await endNotes(db, id, notes)
        for (const { jti, seq } of sets)
          await db
            .insertInto("ssf_acks")
            .values({ stream_id: id, jti, seq })
            .onConflict((conflict) => conflict.doNothing())
            .execute()
        await db
          .updateTable("ssf_streams")
          .set({
            ...(fault === null
              ? { taken_at: at, fault: null, fault_at: null }
              : { fault, fault_at: at }),
            ...(verified && { verify_taken_at: at }),
          })
          .where("id", "=", id)
          .execute()
      }),

    // A move that is lost is found out again: what was taken is in the acknowledgements.
    moveStream: ({ id, seq }) =>
      writeUnsynced(async (db) => {
        const moved = await db
          .updateTable("ssf_streams")
          .set({ seq })
          .where("id", "=", id)
          .where("seq", "<", seq)
          .returning("id")
          .executeTakeFirst()
        if (moved !== undefined) await endAcks(db, id, seq)
      }),

    leftOut: ({ id, refHashes }) =>
      read(async (db) => {
        if (refHashes.length === 0) return []
        const rows = await db
          .selectFrom("ssf_left_out")
          .select("ref_hash")
          .where("stream_id", "=", id)
          .where("ref_hash", "in", refHashes)
          .execute()
        return rows.map(({ ref_hash: hash }) => hash)
      }),

    leaveOut: (of) =>
      write(async (db) => {
        const { id, refHash } = of
        if ((await placed(db, of).executeTakeFirst()) === undefined) return false
        const { count } = await db
          .selectFrom("ssf_left_out")
          .select((row) => row.fn.countAll<number>().as("count"))
          .where("stream_id", "=", id)
          .executeTakeFirstOrThrow()
        if (count >= LEFT_OUT_MAX)
          throw new RecordsError("name-taken", "The stream leaves out as many as it may")
        await db
          .insertInto("ssf_left_out")
          .values({ stream_id: id, ref_hash: refHash })
          .onConflict((conflict) => conflict.doNothing())
          .execute()
        return true
      }),

    takeBackIn: (of) =>
      write(async (db) => {
        const { id, refHash } = of
        if ((await placed(db, of).executeTakeFirst()) === undefined) return false
        await db
          .deleteFrom("ssf_left_out")
          .where("stream_id", "=", id)
          .where("ref_hash", "=", refHash)
          .execute()
        return true
      }),

    hasPushStream: () =>
      read(async (db) => {
        const pushed = db.selectFrom("ssf_streams").select("id").where("method", "=", "push")
        return (await pushed.limit(1).executeTakeFirst()) !== undefined
      }),

    dueStreams: ({ at, kinds }) =>
      read(async (db) => {
        const rows = await db
          .selectFrom("ssf_streams as stream")
          .select(["stream.id", "stream.tenant_id"])
          .where("method", "=", "push")
          .where(({ or, eb }) => or([eb("next_at", "is", null), eb("next_at", "<=", at)]))
          .where(({ or, eb }) => or([eb("locked_until", "is", null), eb("locked_until", "<=", at)]))
          .where(({ or, and, eb, exists, selectFrom }) =>
            or([
              exists(selectFrom("ssf_notes").select("id").whereRef("stream_id", "=", "stream.id")),
              and([
                eb("status", "=", "enabled"),
                exists(
                  selectFrom("events")
                    .select("events.seq")
                    .whereRef("events.tenant_id", "=", "stream.tenant_id")
                    .whereRef("events.seq", ">", "stream.seq")
                    .where("events.kind", "in", kinds),
                ),
              ]),
            ]),
          )
          .orderBy("stream.id")
          .execute()
        return rows.map(({ id, tenant_id: tenantId }) => ({ id, tenantId }))
      }),

    enabledStreams: () =>
      read(async (db) => {
        const enabled = db.selectFrom("ssf_streams").selectAll().where("status", "=", "enabled")
        return (await enabled.orderBy("id").execute()).map(streamOf)
      }),

    // A claim that is lost has a SET sent twice, with the same id.
    claimStream: ({ id, tenantId, at, until, claim }) =>
      writeUnsynced(async (db) => {
        const row = await db
          .updateTable("ssf_streams")
          .set({ locked_until: until, claim })
          .where("id", "=", id)
          .where("tenant_id", "=", tenantId)
          .where("method", "=", "push")
          .where(({ or, eb }) => or([eb("next_at", "is", null), eb("next_at", "<=", at)]))
          .where(({ or, eb }) => or([eb("locked_until", "is", null), eb("locked_until", "<=", at)]))
          .returningAll()
          .executeTakeFirst()
        return row === undefined ? null : streamOf(row)
      }),

    settleStream: (settlement) =>
      write(async (db) => {
        const { id, claim, at, seq, taken, notes, verified, pause } = settlement
        if (pause !== null) await takeTurn(db, "events")
        const before = await db
          .selectFrom("ssf_streams")
          .selectAll()
          .where("id", "=", id)
          .executeTakeFirst()
        if (before === undefined) return
        // Whoever has it now, what was taken is taken.
        await endNotes(
          db,
          id,
          notes.map((each) => each.id),
        )
        const isOurs = before.claim === claim
        const fault = before.changed_at === settlement.changedAt ? settlement.fault : null
        const pauses = isOurs && fault !== null && pause !== null && before.status === "enabled"
        await db
          .updateTable("ssf_streams")
          .set({
            ...(seq > before.seq && { seq }),
            ...(taken && { taken_at: at }),
            ...(verified && { verify_taken_at: at }),
            ...(isOurs && {
              ...{ locked_until: null, claim: null },
              next_at: fault?.nextAt ?? null,
              failures: (taken ? 0 : before.failures) + (fault === null ? 0 : 1),
            }),
            ...(fault !== null && { fault: fault.code, fault_at: at }),
            ...(fault === null && taken && { fault: null, fault_at: null }),
            ...(pauses && { status: "paused", reason: pause.reason, status_at: at }),
          })
          .where("id", "=", id)
          .execute()
        if (seq > before.seq) await endAcks(db, id, seq)
        if (!pauses) return
        await addNote(db, id, pause.note, at)
        const by = { at, actor: "service", tenantId: before.tenant_id }
        await note(db, by, "shared-signals.pause", subjectOf(id), {})
      }),

    forgetStreamNotes: ({ before }) =>
      write(async (db) => {
        await db.deleteFrom("ssf_notes").where("at", "<", before).execute()
      }),

    sharedKeys: () =>
      read(async (db) => {
        const rows = await db
          .selectFrom("ssf_keys")
          .selectAll()
          .orderBy("signs_from")
          .orderBy("id")
          .execute()
        return rows.map(keyOf)
      }),

    addSharedKey: (of) =>
      write(async (db) => {
        const { key, after } = of
        await takeTurn(db, "events")
        const newest = await db
          .selectFrom("ssf_keys")
          .select("id")
          .orderBy("signs_from", "desc")
          .orderBy("id", "desc")
          .limit(1)
          .executeTakeFirst()
        if ((newest?.id ?? null) !== after) return false
        await db
          .insertInto("ssf_keys")
          .values({
            ...{ id: key.id, sealed: key.sealed, public_key: JSON.stringify(key.publicKey) },
            ...{ created_at: key.createdAt, signs_from: key.signsFrom },
          })
          .execute()
        await note(db, of, "shared-signals.rotate", `shared-signals-key:${key.id}`, {})
        return true
      }),

    deleteSharedKeys: (ids) =>
      write(async (db) => {
        if (ids.length > 0) await db.deleteFrom("ssf_keys").where("id", "in", ids).execute()
      }),
  }
}

function placed(db: Pick<Database, "selectFrom">, { tenantId, id }: StreamPlace) {
  return db
    .selectFrom("ssf_streams")
    .selectAll()
    .where("tenant_id", "=", tenantId)
    .where("id", "=", id)
}

async function newestOf(db: Write, tenantId: number): Promise<number> {
  const newest = await db
    .selectFrom("events")
    .select("seq")
    .where("tenant_id", "=", tenantId)
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst()
  return newest?.seq ?? 0
}

async function addNote(db: Write, id: string, added: NewStreamNote, at: number): Promise<void> {
  const { kind, data } = added
  await db
    .insertInto("ssf_notes")
    .values({ id: added.id, stream_id: id, kind, at, data: JSON.stringify(data) })
    .execute()
}

async function endNotes(db: Write, id: string, notes: readonly string[]): Promise<void> {
  if (notes.length === 0) return
  await db.deleteFrom("ssf_notes").where("stream_id", "=", id).where("id", "in", notes).execute()
}

/** What was taken out of order is no longer, up to a number. */
async function endAcks(db: Write, id: string, seq: number): Promise<void> {
  await db.deleteFrom("ssf_acks").where("stream_id", "=", id).where("seq", "<=", seq).execute()
}

/** What waited for the stream, and what of it was taken. */
async function emptyStream(db: Write, id: string): Promise<void> {
  await db.deleteFrom("ssf_notes").where("stream_id", "=", id).execute()
  await db.deleteFrom("ssf_acks").where("stream_id", "=", id).execute()
}

const subjectOf = (id: string): string => `shared-signals-stream:${id}`

/** URLs, headers and descriptions are named and not told. */
function auditedOf(set: Partial<StreamSettings>): Record<string, unknown> {
  const told: Record<string, unknown> = {}
  const { method, dialect, events, subjectFormat } = set
  Object.assign(told, { method, dialect, events, subject_format: subjectFormat })
  for (const name of ["url", "authorization", "audience", "description", "subjectIssuer"] as const)
    if (set[name] !== undefined) told[name] = true
  return told
}

function columnsOf<S extends Partial<StreamSettings>>(set: S) {
  const { audience, method, url, authorization, description, dialect, events } = set
  const columns = {
    ...(audience !== undefined && { audience: JSON.stringify(audience) }),
    ...(method !== undefined && { method }),
    ...(url !== undefined && { url }),
    ...(authorization !== undefined && { authorization_sealed: authorization }),
    ...(description !== undefined && { description }),
    ...(dialect !== undefined && { dialect }),
    ...(set.subjectFormat !== undefined && { subject_format: set.subjectFormat }),
    ...(set.subjectIssuer !== undefined && { subject_issuer: set.subjectIssuer }),
    ...(events !== undefined && { events: JSON.stringify(events) }),
  }
  // Of whole settings, all of them are there.
  return columns as S extends StreamSettings ? Required<typeof columns> : typeof columns
}

function streamOf(row: Selectable<Schema["ssf_streams"]>): SharedStream {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    audience: JSON.parse(row.audience) as string | string[],
    method: row.method as StreamMethod,
    url: row.url,
    authorization: row.authorization_sealed,
    description: row.description,
    dialect: row.dialect as StreamDialect,
    subjectFormat: row.subject_format as SubjectFormat,
    subjectIssuer: row.subject_issuer,
    events: JSON.parse(row.events) as string[],
    status: row.status as StreamStatus,
    reason: row.reason,
    statusAt: row.status_at,
    createdAt: row.created_at,
    changedAt: row.changed_at,
    seq: row.seq,
    verification:
      row.verify_asked_at === null
        ? null
        : { askedAt: row.verify_asked_at, takenAt: row.verify_taken_at },
    takenAt: row.taken_at,
    fault: row.fault === null ? null : { at: row.fault_at ?? 0, code: row.fault },
    failures: row.failures,
    nextAt: row.next_at,
  }
}

function noteOf(row: Selectable<Schema["ssf_notes"]>): StreamNote {
  return {
    id: row.id,
    kind: row.kind as StreamNote["kind"],
    at: row.at,
    data: JSON.parse(row.data) as Record<string, unknown>,
  }
}

function keyOf(row: Selectable<Schema["ssf_keys"]>): SharedKey {
  return {
    id: row.id,
    sealed: row.sealed,
    publicKey: JSON.parse(row.public_key) as Record<string, unknown>,
    createdAt: row.created_at,
    signsFrom: row.signs_from,
  }
}
