import { type RawBuilder, sql } from "kysely"

import type { Lease } from "./lease-in-force.ts"
import type { Engine, Store, Write } from "./records-engine.ts"

export type { Lease } from "./lease-in-force.ts"

export interface HeldLease extends Lease {
  readonly takenAt: number
  readonly heldUntil: number
}

export interface LeaseRecords {
  /**
   * Takes a lease that nobody holds, whose time is over, or that an earlier process of this holder
   * had. null: another holds it.
   */
  takeLease(of: { name: string; holder: string; forMs: number }): Promise<Lease | null>
  /**
   * Holds it from now for as long again, also where its time was over and nobody took it. false:
   * another did.
   */
  renewLease(lease: Lease, forMs: number): Promise<boolean>
  /** For the next who asks. */
  releaseLease(lease: Lease): Promise<void>
  /** Those that are held at the moment, by name. */
  leases(): Promise<HeldLease[]>
  /**
   * Whether nobody used this up before, of all who share the records; a name is forgotten when its
   * time is over.
   */
  useOnce(of: { name: string; forMs: number }): Promise<boolean>
  /** Whether it was used up, and its time is not over. */
  wasUsed(name: string): Promise<boolean>
  /**
   * Takes one attempt of each name, or none of any where one of them has none left: those who share
   * the records have `most` together, from the first on for so long. Returns null where they were
   * taken, else the milliseconds until there are some again.
   */
  takeAttempts(of: { names: readonly AttemptsOf[]; forMs: number }): Promise<number | null>
  /** Gives one attempt of each name back, of those whose time is not over. */
  giveBackAttempts(names: readonly string[]): Promise<void>
  /** Deletes what was used up, and what was counted, whose time is over. */
  forgetAttempts(): Promise<void>
}

export interface AttemptsOf {
  /** It is kept as it is: a hash where it would tell whom it is about. */
  readonly name: string
  readonly most: number
}

/** A service that shares the records with others. */
export interface NodeFacts {
  readonly id: string
  readonly host: string
  readonly version: string
  readonly indexFormat: number
  /** JSON: what it serves, and where. */
  readonly serves: string
  readonly startedAt: number
}

export interface Node extends NodeFacts {
  /** When it last wrote this row. */
  readonly seenAt: number
  /** The clock of the database minus that of the node. */
  readonly clockOffMs: number
  /** All that it decided before this moment is in the store. */
  readonly foldedAt: number
  /** It was stopped, and nothing of it is left in its journal. null: it runs, or was killed. */
  readonly leftAt: number | null
}

export interface NodeRecords {
  /** The moment, by the one clock that all nodes share. */
  databaseTime(): Promise<number>
  /** A node begins. What it decided before it was killed may be in its journal yet. */
  beginNode(facts: NodeFacts): Promise<void>
  /** A node is there. `foldedAt`: null where nothing new was brought into the store. */
  seeNode(of: { id: string; clockOffMs: number; foldedAt: number | null }): Promise<void>
  /** A node ends, and its journal is empty. */
  leaveNode(id: string): Promise<void>
  /**
   * Forgets a node that will not come back, and what is left in its journal with it. false: there
   * is none.
   */
  forgetNode(id: string): Promise<boolean>
  /** Every node that was not forgotten, by id. */
  nodes(): Promise<Node[]>
  /** What a node says of its imports, in place of what it said before; in no backup. */
  sayImports(of: Said): Promise<void>
  /** What each node said of its imports that was not forgotten, by id. */
  saidImports(): Promise<Said[]>
  /** What a node says it was asked, in place of what it said before; in no backup. */
  sayRequests(of: Said): Promise<void>
  /** What each node said it was asked, by id; also those that were forgotten since. */
  saidRequests(): Promise<Said[]>
}

/** What a node says of itself. */
export interface Said {
  readonly id: string
  readonly said: string
}

/** Begin the names under which `meta` has what nodes say of their imports, and of requests. */
const SAID_IMPORTS = "imports of "
const SAID_REQUESTS = "requests of "
/** Of one moment of these nodes, and so in no backup. */
export const SAID = [SAID_IMPORTS, SAID_REQUESTS] as const

/** Begin the names of what is good once, and of what is counted, beside those of leases. */
const ONCE = "once "
const ATTEMPTS = "attempts "

/** Leases and nodes over either engine. */
export function sqlNodes(
  { read, write, writeUnsynced }: Store,
  engine: Engine,
): LeaseRecords & NodeRecords {
  const { databaseMs } = engine
  const until = (forMs: number) => sql<number>`${databaseMs} + ${sql.lit(Math.round(forMs))}`
  const begunAgain = (first: RawBuilder<unknown>, next: RawBuilder<unknown>) =>
    sql<number>`case when leases.held_until <= ${databaseMs} then ${first} else ${next} end`
  const oneLess = async (db: Write, names: readonly string[]): Promise<void> => {
    if (names.length === 0) return
    await db
      .updateTable("leases")
      .set((row) => ({ fence: sql<number>`${row.ref("fence")} - 1` }))
      .where("name", "in", names.toSorted())
      .where("fence", ">", 0)
      .where("held_until", ">", databaseMs)
      .execute()
  }
  /** Held by nobody, so that it is no lease to those who look. */
  const unheld = (name: string, forMs: number, fence: number) => ({
    ...{ name, holder: null, fence },
    ...{ taken_at: databaseMs, held_until: until(forMs) },
  })
  const say = async (name: string, value: string): Promise<void> =>
    await writeUnsynced(async (db) => {
      await db
        .insertInto("meta")
        .values({ name, value })
        .onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
        .execute()
    })
  const saidBy = async (begin: string): Promise<Said[]> =>
    await read(async (db) => {
      const rows = await db
        .selectFrom("meta")
        .selectAll()
        .where("name", "like", `${begin}%`)
        .orderBy("name")
        .execute()
      return rows.map(({ name, value: said }) => ({ id: name.slice(begin.length), said }))
    })
  return {
    takeLease: ({ name, holder, forMs }) =>
      write(async (db) => {
        const taken = await db
          .insertInto("leases")
          .values({ name, holder, fence: 1, taken_at: databaseMs, held_until: until(forMs) })
          .onConflict((conflict) =>
            conflict
              .column("name")
              .doUpdateSet((row) => ({
                holder,
                fence: sql<number>`${row.ref("leases.fence")} + 1`,
                taken_at: databaseMs,
                held_until: until(forMs),
              }))
              .where((row) =>
                row.or([
                  row("leases.holder", "is", null),
                  row("leases.holder", "=", holder),
                  row("leases.held_until", "<=", databaseMs),
                ]),
              ),
          )
          .returning("fence")
          .executeTakeFirst()
        return taken === undefined ? null : { name, holder, fence: taken.fence }
      }),

    renewLease: ({ name, holder, fence }, forMs) =>
      write(async (db) => {
        const { numUpdatedRows } = await db
          .updateTable("leases")
          .set({ held_until: until(forMs) })
          .where("name", "=", name)
          .where("holder", "=", holder)
          .where("fence", "=", fence)
          .executeTakeFirst()
        return numUpdatedRows > 0n
      }),

    releaseLease: ({ name, holder, fence }) =>
      write(async (db) => {
        await db
          .updateTable("leases")
          .set({ holder: null, held_until: 0 })
          .where("name", "=", name)
          .where("holder", "=", holder)
          .where("fence", "=", fence)
          .execute()
      }),

    leases: () =>
      read(async (db) => {
        const rows = await db
          .selectFrom("leases")
          .selectAll()
          .where("holder", "is not", null)
          .where("held_until", ">", databaseMs)
          .orderBy("name")
          .execute()
        return rows.map(({ name, holder, fence, taken_at: takenAt, held_until: heldUntil }) => ({
          ...{ name, holder: holder ?? "", fence, takenAt, heldUntil },
        }))
      }),

    useOnce: ({ name, forMs }) =>
      write(async (db) => {
        await db
          .deleteFrom("leases")
          .where("name", "like", `${ONCE}%`)
          .where("held_until", "<=", databaseMs)
          .execute()
        const used = await db
          .insertInto("leases")
          .values(unheld(ONCE + name, forMs, 0))
          .onConflict((conflict) => conflict.column("name").doNothing())
          .returning("name")
          .executeTakeFirst()
        return used !== undefined
      }),

    wasUsed: (name) =>
      read(async (db) => {
        const used = await db
          .selectFrom("leases")
          .select("name")
          .where("name", "=", ONCE + name)
          .where("held_until", ">", databaseMs)
          .executeTakeFirst()
        return used !== undefined
      }),

    takeAttempts: ({ names, forMs }) =>
      write(async (db) => {
        const taken: string[] = []
        const full: string[] = []
        // In one order, so that no two wait for each other.
        for (const { name, most } of names.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
          const counted = await db
            .insertInto("leases")
            .values(unheld(ATTEMPTS + name, forMs, 1))
            .onConflict((conflict) =>
              conflict
                .column("name")
                .doUpdateSet({
                  fence: begunAgain(sql`1`, sql`leases.fence + 1`),
                  held_until: begunAgain(until(forMs), sql`leases.held_until`),
                })
                .where((row) =>
                  row.or([
                    row("leases.fence", "<", most),
                    row("leases.held_until", "<=", databaseMs),
                  ]),
                ),
            )
            .returning("fence")
            .executeTakeFirst()
          ;(counted === undefined ? full : taken).push(ATTEMPTS + name)
        }
        if (full.length === 0) return null
        await oneLess(db, taken)
        const { wait } = await db
          .selectFrom("leases")
          .select(({ fn }) => sql<number>`${fn.max("held_until")} - ${databaseMs}`.as("wait"))
          .where("name", "in", full)
          .executeTakeFirstOrThrow()
        return Math.max(0, wait)
      }),

    giveBackAttempts: (names) =>
      write(async (db) => {
        await oneLess(
          db,
          names.map((name) => ATTEMPTS + name),
        )
      }),

    forgetAttempts: () =>
      write(async (db) => {
        await db
          .deleteFrom("leases")
          .where((row) =>
            row.or([row("name", "like", `${ONCE}%`), row("name", "like", `${ATTEMPTS}%`)]),
          )
          .where("held_until", "<=", databaseMs)
          .execute()
      }),

    databaseTime: () =>
      read(async (db) => {
        const { rows } = await sql<{ now: number }>`select ${databaseMs} as now`.execute(db)
        return rows[0]?.now ?? 0
      }),

    beginNode: ({ id, host, version, indexFormat, serves, startedAt }) =>
      write(async (db) => {
        const facts = { host, version, index_format: indexFormat, serves, started_at: startedAt }
        await db
          .insertInto("nodes")
          .values({ id, ...facts, seen_at: databaseMs, clock_off: 0, folded_at: 0, left_at: null })
          .onConflict((conflict) =>
            conflict.column("id").doUpdateSet({ ...facts, seen_at: databaseMs, left_at: null }),
          )
          .execute()
      }),

    seeNode: ({ id, clockOffMs, foldedAt }) =>
      writeUnsynced(async (db) => {
        await db
          .updateTable("nodes")
          .set((row) => ({
            seen_at: databaseMs,
            clock_off: clockOffMs,
            folded_at: foldedAt ?? row.ref("folded_at"),
          }))
          .where("id", "=", id)
          .execute()
      }),

    leaveNode: (id) =>
      write(async (db) => {
        await db
          .updateTable("nodes")
          .set({ left_at: databaseMs, seen_at: databaseMs })
          .where("id", "=", id)
          .execute()
      }),

    forgetNode: (id) =>
      write(async (db) => {
        const { numDeletedRows } = await db
          .deleteFrom("nodes")
          .where("id", "=", id)
          .executeTakeFirst()
        await db
          .deleteFrom("meta")
          .where("name", "=", SAID_IMPORTS + id)
          .execute()
        return numDeletedRows > 0n
      }),

    sayImports: ({ id, said }) => say(SAID_IMPORTS + id, said),
    saidImports: () => saidBy(SAID_IMPORTS),
    sayRequests: ({ id, said }) => say(SAID_REQUESTS + id, said),
    saidRequests: () => saidBy(SAID_REQUESTS),

    nodes: () =>
      read(async (db) => {
        const rows = await db.selectFrom("nodes").selectAll().orderBy("id").execute()
        return rows.map((row) => ({
          ...{ id: row.id, host: row.host, version: row.version, serves: row.serves },
          indexFormat: row.index_format,
          startedAt: row.started_at,
          seenAt: row.seen_at,
          clockOffMs: row.clock_off,
          foldedAt: row.folded_at,
          leftAt: row.left_at,
        }))
      }),
  }
}
