import type { Store } from "./records-engine.ts"
import { eventOf, type StoredEvent } from "./records-events.ts"

/** An event of any owner, with the name of the tenant. */
export interface OwnedEvent extends StoredEvent {
  /** null: of the service itself. */
  readonly tenant: string | null
}

/** Up to where a sink has events. */
export interface SinkPosition {
  readonly name: string
  readonly seq: number
  /** When it last moved. */
  readonly movedAt: number
}

/** Who asks to be the one that sends to a sink. */
export interface SinkHold {
  readonly name: string
  readonly holder: string
  readonly at: number
  readonly until: number
  /** No other process can be sending: whoever held it has ended. */
  readonly alone: boolean
}

export interface SinkRecords {
  /** Events of all owners, the oldest first. */
  eventsOfAll(of: { after: number; limit: number }): Promise<OwnedEvent[]>
  /** How many events of all owners there are after a number, counted up to a limit. */
  countEventsOfAll(of: { after: number; limit: number }): Promise<number>
  /** Where a sink stands; null: it has not begun. */
  sinkPosition(name: string): Promise<SinkPosition | null>
  /**
   * Holds a sink, so that no other process sends to it, and says where it stands. One that is new
   * begins behind the newest event. null: another holds it.
   */
  holdSink(of: SinkHold): Promise<SinkPosition | null>
  /** For the next who asks. */
  releaseSink(of: { name: string; holder: string }): Promise<void>
  /** Moves forward and never back. false: another holds it. */
  moveSink(to: { name: string; holder: string; seq: number; at: number }): Promise<boolean>
}

/** Positions of sinks over either engine. */
export function sqlSinks({ read, write, writeUnsynced }: Store): SinkRecords {
  return {
    eventsOfAll: ({ after, limit }) =>
      read(async (db) => {
        const rows = await db
          .selectFrom("events")
          .leftJoin("tenants", "tenants.id", "events.tenant_id")
          .selectAll("events")
          .select("tenants.name as tenant")
          .where("events.seq", ">", after)
          .orderBy("events.seq")
          .limit(limit)
          .execute()
        return rows.map((row) => ({ ...eventOf(row), tenant: row.tenant }))
      }),

    countEventsOfAll: ({ after, limit }) =>
      read(async (db) => {
        const some = db.selectFrom("events").select("seq").where("seq", ">", after).limit(limit)
        const { count } = await db
          .selectFrom(some.as("some"))
          .select((row) => row.fn.countAll<number>().as("count"))
          .executeTakeFirstOrThrow()
        return count
      }),

    sinkPosition: (name) =>
      read(async (db) => {
        const row = await db
          .selectFrom("sinks")
          .selectAll()
          .where("name", "=", name)
          .executeTakeFirst()
        return row === undefined ? null : positionOf(row)
      }),

    holdSink: ({ name, holder, at, until, alone }) =>
      write(async (db) => {
        const newest = await db
          .selectFrom("events")
          .select("seq")
          .orderBy("seq", "desc")
          .limit(1)
          .executeTakeFirst()
        await db
          .insertInto("sinks")
          .values({ name, seq: newest?.seq ?? 0, moved_at: at, holder, held_until: until })
          .onConflict((conflict) => conflict.doNothing())
          .execute()
        const row = await db
          .updateTable("sinks")
          .set({ holder, held_until: until })
          .where("name", "=", name)
          .$if(!alone, (query) =>
            query.where((row) =>
              row.or([
                row("holder", "is", null),
                row("holder", "=", holder),
                row("held_until", "<=", at),
              ]),
            ),
          )
          .returningAll()
          .executeTakeFirst()
        return row === undefined ? null : positionOf(row)
      }),

    releaseSink: ({ name, holder }) =>
      write(async (db) => {
        await db
          .updateTable("sinks")
          .set({ holder: null, held_until: 0 })
          .where("name", "=", name)
          .where("holder", "=", holder)
          .execute()
      }),

    // A move that is lost has events sent again that the receiver knows by their ids.
    moveSink: ({ name, holder, seq, at }) =>
      writeUnsynced(async (db) => {
        const { numUpdatedRows } = await db
          .updateTable("sinks")
          .set((row) => ({
            seq: row.case().when("seq", "<", seq).then(seq).else(row.ref("seq")).end(),
            moved_at: at,
          }))
          .where("name", "=", name)
          .where("holder", "=", holder)
          .executeTakeFirst()
        return numUpdatedRows > 0n
      }),
  }
}

function positionOf(row: { name: string; seq: number; moved_at: number }): SinkPosition {
  return { name: row.name, seq: row.seq, movedAt: row.moved_at }
}
