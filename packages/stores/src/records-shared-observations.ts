import type { Selectable } from "kysely"

import type { Database, Engine, Store, Write } from "./records-engine.ts"
import type { Schema } from "./records-schema.ts"

/** One thing a source notified us of, about an identity and for everybody. */
export interface SharedObservation {
  readonly identityKey: Uint8Array
  readonly source: string
  /** Entry v1 under batch 1: which batch it belongs to, only the index knows. */
  readonly entry: Uint8Array
  /** Stands for the notification itself among all of its source. */
  readonly event: Uint8Array
}

/** A shared observation as it is kept. */
export interface SharedObserved extends SharedObservation {
  readonly receivedAt: number
}

/**
 * What became of a notification. `known`: it, or its content, was there already. `erased`: the
 * subject had their data erased, so nothing was kept.
 */
export type NotificationOutcome = "stored" | "known" | "erased"

/**
 * Observations for everybody that arrive one by one. The index shows them, so each is *due* until
 * `settleSharedObservations` says that the index has it. None is ever held of a subject that was
 * erased.
 */
export interface SharedObservationRecords {
  /**
   * Stores what is new, due at once, all or nothing; the outcomes are in the order of the
   * observations.
   */
  addSharedObservations(
    observations: readonly SharedObservation[],
    receivedAt: number,
  ): Promise<NotificationOutcome[]>
  /** All that is due of the first `identities` identities that have any, by identity key. */
  dueSharedObservations(of: { identities: number }): Promise<SharedObserved[]>
  /** The index has what was due of the identities up to and with this key. */
  settleSharedObservations(of: { through: Uint8Array }): Promise<void>
  /** All observations of the first `identities` identities behind `after`, by identity key. */
  sharedObservationsAfter(of: {
    after: Uint8Array | null
    identities: number
  }): Promise<SharedObserved[]>
  /**
   * Deletes what a source notified us of up to this moment, and returns how much that was. On
   * SQLite the bytes are gone from the files too; on PostgreSQL they go when the server reuses the
   * space.
   */
  forgetSharedSource(of: { source: string; receivedUpTo: number }): Promise<number>
}

/** Few enough for the 32,766 parameters of a statement on SQLite. */
const ROWS_AT_ONCE = 500

/** Shared observations over either engine. */
export function sqlSharedObservations(
  { read, write }: Store,
  { scrub }: Pick<Engine, "scrub">,
): SharedObservationRecords {
  return {
    addSharedObservations: (observations, receivedAt) =>
      write(async (db) => {
        const outcomes: NotificationOutcome[] = []
        for (let from = 0; from < observations.length; from += ROWS_AT_ONCE) {
          const some = observations.slice(from, from + ROWS_AT_ONCE)
          outcomes.push(...(await insertNew(db, some, receivedAt)))
        }
        return outcomes
      }),

    dueSharedObservations: ({ identities }) =>
      read((db) =>
        observationsOfFirst(
          () => db.selectFrom("shared_observations").where("due_at", "is not", null),
          identities,
        ),
      ),

    settleSharedObservations: ({ through }) =>
      write(async (db) => {
        await db
          .updateTable("shared_observations")
          .set({ due_at: null })
          .where("due_at", "is not", null)
          .where("identity_key", "<=", through)
          .execute()
      }),

    sharedObservationsAfter: ({ after, identities }) =>
      read((db) => observationsOfFirst(() => behind(db, after), identities)),

    async forgetSharedSource({ source, receivedUpTo }) {
      const { numDeletedRows } = await write((db) =>
        db
          .deleteFrom("shared_observations")
          .where("source", "=", source)
          .where("received_at", "<=", receivedUpTo)
          .executeTakeFirstOrThrow(),
      )
      await read(scrub)
      return Number(numDeletedRows)
    },
  }
}

async function insertNew(
  db: Write,
  observations: readonly SharedObservation[],
  receivedAt: number,
): Promise<NotificationOutcome[]> {
  const erased = await erasedAmong(db, observations)
  const isErased = ({ identityKey }: SharedObservation): boolean => erased.has(hex(identityKey))
  const held = observations.filter((each) => !isErased(each))
  const stored = new Set<string>()
  if (held.length > 0) {
    const rows = await db
      .insertInto("shared_observations")
      .values(
        held.map(({ identityKey, source, entry, event }) => ({
          identity_key: identityKey,
          source,
          entry,
          event,
          received_at: receivedAt,
          due_at: receivedAt,
        })),
      )
      .onConflict((conflict) => conflict.doNothing())
      .returning(["source", "event"])
      .execute()
    for (const row of rows) stored.add(nameOf(row))
  }
  // Of notifications with one name the first was stored; the others then find it known.
  return observations.map((each) =>
    isErased(each) ? "erased" : stored.delete(nameOf(each)) ? "stored" : "known",
  )
}

async function erasedAmong(
  db: Write,
  observations: readonly SharedObservation[],
): Promise<Set<string>> {
  const rows = await db
    .selectFrom("tombstones")
    .select("identity_key")
    .where(
      "identity_key",
      "in",
      observations.map(({ identityKey }) => identityKey),
    )
    .execute()
  return new Set(rows.map(({ identity_key: key }) => hex(key)))
}

function behind(db: Database, after: Uint8Array | null) {
  const query = db.selectFrom("shared_observations")
  return after === null ? query : query.where("identity_key", ">", after)
}

/** All rows of a query's first identities: those of one identity are never apart. */
async function observationsOfFirst(
  query: () => ReturnType<typeof behind>,
  identities: number,
): Promise<SharedObserved[]> {
  const keys = await query()
    .select("identity_key")
    .distinct()
    .orderBy("identity_key")
    .limit(identities)
    .execute()
  const last = keys.at(-1)?.identity_key
  if (last === undefined) return []
  const rows = await query()
    .selectAll()
    .where("identity_key", "<=", last)
    .orderBy("identity_key")
    .orderBy("source")
    .orderBy("entry")
    .execute()
  return rows.map(observedOf)
}

function nameOf({ source, event }: Pick<SharedObservation, "source" | "event">): string {
  return `${source} ${hex(event)}`
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex")
}

function observedOf(row: Selectable<Schema["shared_observations"]>): SharedObserved {
  return {
    identityKey: row.identity_key,
    source: row.source,
    entry: row.entry,
    event: row.event,
    receivedAt: row.received_at,
  }
}
