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

export interface SinkRecords {
  /** Events of all owners, the oldest first. */
  eventsOfAll(of: { after: number; limit: number }): Promise<OwnedEvent[]>
  /** How many events of all owners there are after a number, counted up to a limit. */
  countEventsOfAll(of: { after: number; limit: number }): Promise<number>
  /** Where a sink stands. One that is new begins behind the newest event. */
  beginSink(of: { name: string; at: number }): Promise<SinkPosition>
  /** Moves forward, and never back. */
  moveSink(to: { name: string; seq: number; at: number }): Promise<void>
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
        return Number(count)
      }),

    beginSink: ({ name, at }) =>
      write(async (db) => {
        const newest = await db
          .selectFrom("events")
          .select("seq")
          .orderBy("seq", "desc")
          .limit(1)
          .executeTakeFirst()
        await db
          .insertInto("sinks")
          .values({ name, seq: newest?.seq ?? 0, moved_at: at })
          .onConflict((conflict) => conflict.doNothing())
          .execute()
        const row = await db
          .selectFrom("sinks")
          .selectAll()
          .where("name", "=", name)
          .executeTakeFirstOrThrow()
        return { name, seq: row.seq, movedAt: row.moved_at }
      }),

    // A move that is lost has events sent again that the receiver knows by their ids.
    moveSink: ({ name, seq, at }) =>
      writeUnsynced(async (db) => {
        await db
          .updateTable("sinks")
          .set({ seq, moved_at: at })
          .where("name", "=", name)
          .where("seq", "<", seq)
          .execute()
      }),
  }
}
