import type { Kysely, RawBuilder, Selectable, Transaction } from "kysely"

import type { ColumnTypes } from "./records-migrations/column-types.ts"
import { leaseInForce } from "./lease-in-force.ts"
import { RecordsError, type RecordsFault } from "./records-error.ts"
import type { Schema } from "./records-schema.ts"

export type Database = Kysely<Schema>
export type Write = Transaction<Schema>

/** All that differs between the engines; every other statement is written once. */
export interface Engine {
  db: Database
  /**
   * The key under which changes are noted in the audit trail. Without one the records can be read,
   * and only what is not noted can be changed.
   */
  auditKey: Uint8Array | null
  columns: ColumnTypes
  /** Runs `work` in a transaction that only one process at a time can be in. */
  migrating: (work: (write: Write) => Promise<void>) => Promise<void>
  /** Whether a program that knows of no other one on these records is connected to them. */
  isUsedByOlder: (db: Database) => Promise<boolean>
  tableExists: (db: Database, name: keyof Schema | "assay_migration") => Promise<boolean>
  /** What an error thrown by the engine means to a caller. */
  faultOf: (error: unknown) => RecordsFault
  /** Runs `work` in a transaction that is not synced to the disk by itself. */
  unsynced: <T>(work: (write: Write) => Promise<T>) => Promise<T>
  /** Runs `work` on the state of one moment, while others may write. */
  snapshot: <T>(work: (db: Database) => Promise<T>) => Promise<T>
  /** For an `insert` that gives the numbers which the engine would otherwise count up. */
  withOwnIdentities: RawBuilder<unknown>
  /** After such an insert: counts on from the highest number there is. */
  advanceIdentities: (write: Write) => Promise<void>
  /**
   * Waits, inside a transaction, until no other process is between this call and the end of its
   * own. Turns of one purpose do not wait for those of the other.
   */
  takeTurn: (write: Write, purpose: TurnPurpose) => Promise<void>
  /** Adds reviews; one whose id is there stays as it is. */
  insertReviews: (write: Write, rows: readonly Selectable<Schema["reviews"]>[]) => Promise<void>
  /**
   * Adds events and returns those that are new, in any order. One whose id is there and one about
   * an erased identity is left out.
   */
  insertEvents: (write: Write, rows: readonly EventRow[]) => Promise<InsertedEvent[]>
  /** The database's clock, in epoch milliseconds: not the time at which its transaction began. */
  databaseMs: RawBuilder<number>
  /** Ends a `select` whose rows nobody may change until this transaction ends. */
  forShare: RawBuilder<unknown>
  /** Ends a `select` whose rows this transaction takes, once others have let go of them. */
  forUpdate: RawBuilder<unknown>
  /** Ends a `select` whose rows this transaction takes, leaving those that another has taken. */
  skipLocked: RawBuilder<unknown>
  /** Removes deleted bytes from the files, if deleting a row leaves them behind. */
  scrub: () => Promise<void>
}

export type EventRow = Omit<Selectable<Schema["events"]>, "seq">
export type InsertedEvent = Pick<
  Selectable<Schema["events"]>,
  "seq" | "tenant_id" | "kind" | "at" | "identity_key"
>
/** What whoever adds events needs of an engine. */
export type EventInserts = Pick<Engine, "takeTurn" | "insertEvents">

export type TurnPurpose = "costs" | "events"

/** How the port's methods reach an engine. Its errors are turned into a `RecordsError`. */
export interface Store {
  read: <T>(work: (db: Database) => Promise<T>) => Promise<T>
  /** Runs `work` in one transaction. */
  write: <T>(work: (write: Write) => Promise<T>) => Promise<T>
  /**
   * The same, but does not wait for the disk: the next `write` takes it there. If the power fails
   * before, all of it is gone. Only for what would be found out again.
   */
  writeUnsynced: <T>(work: (write: Write) => Promise<T>) => Promise<T>
}

/** `onEvents` is called after each commit in which events or deliveries may have been added. */
export function storeOf(engine: Engine, onEvents: () => void = () => undefined): Store {
  return {
    read: (work) => explained(engine, () => work(engine.db)),
    async write(work) {
      const { result, addedEvents } = await explained(engine, () =>
        engine.db.transaction().execute(async (write) => {
          await requireLease(write, engine)
          noteUnder(write, engine.auditKey)
          return { result: await work(write), addedEvents: withTurnOfEvents.has(write) }
        }),
      )
      if (addedEvents) onEvents()
      return result
    },
    writeUnsynced: (work) =>
      explained(engine, () =>
        engine.unsynced(async (write) => {
          await requireLease(write, engine)
          return await work(write)
        }),
      ),
  }
}

/** Called first in each transaction that writes. Until it ends, nobody else can take the lease. */
async function requireLease(write: Write, { databaseMs, forShare }: Engine): Promise<void> {
  const lease = leaseInForce()
  if (lease === null) return
  const held = await write
    .selectFrom("leases")
    .select("fence")
    .where("name", "=", lease.name)
    .where("fence", "=", lease.fence)
    .where("holder", "=", lease.holder)
    .where("held_until", ">", databaseMs)
    .modifyEnd(forShare)
    .executeTakeFirst()
  if (held === undefined)
    throw new RecordsError("lease-lost", "Another node does this meanwhile; nothing was written")
}

/** Transactions under way that may add events. */
const withTurnOfEvents = new WeakSet<Write>()

/** The engine, with turns by which a store knows in which transactions events are added. */
export function notingTurns(engine: Engine): Engine {
  return {
    ...engine,
    async takeTurn(write, purpose) {
      await engine.takeTurn(write, purpose)
      if (purpose === "events") withTurnOfEvents.add(write)
    },
  }
}

/** The key of each transaction under way, so that whatever changes something can note it. */
const auditKeys = new WeakMap<Write, Uint8Array>()

function noteUnder(write: Write, auditKey: Uint8Array | null): void {
  if (auditKey !== null) auditKeys.set(write, auditKey)
}

export function auditKeyOf(write: Write): Uint8Array {
  const key = auditKeys.get(write)
  if (key !== undefined) return key
  throw new RecordsError("read-only", "The records were opened without the key of the audit trail")
}

const meanings: Partial<Record<RecordsFault, string>> = {
  "not-found": "A row names a key or tenant that does not exist",
  "read-only": "The records were opened for reading only",
}

/** Translates errors of the engine; refusals of the port itself pass through unchanged. */
export async function explained<T>(
  engine: Pick<Engine, "faultOf">,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RecordsError) throw error
    const fault = engine.faultOf(error)
    throw new RecordsError(fault, meanings[fault] ?? "The records cannot be reached", {
      cause: error,
    })
  }
}
