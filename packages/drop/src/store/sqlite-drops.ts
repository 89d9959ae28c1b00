import { randomBytes, randomInt } from "node:crypto"
import type { DatabaseSync } from "node:sqlite"
import { MAILBOX_SLOTS } from "@assay/core/drop"
import type { Digest, Drops, ReplyOutcome, StoredMessage } from "./drops.ts"
import { DropsError, type DropsFault } from "./drops-error.ts"
import { openDropsFile } from "./drops-file.ts"
import {
  bytesOf,
  dueOn,
  idOf,
  isMessage,
  keyOf,
  messageOf,
  meta,
  one,
  piecesOf,
  put,
  refused,
  type Removal,
  run,
  set,
  stir,
  STIR_BYTES,
  strayPieces,
  wasPosted,
} from "./drops-rows.ts"

/**
 * A message is deleted up to seven days late, so that the day it goes does not reveal the day it
 * came.
 */
const FUZZ_DAYS = 8

interface Options {
  /** From 0 to 7, each as likely as the other. */
  readonly fuzz?: () => number
}

/** The drop in one SQLite file of `folder`, which one process at a time has open. */
export async function openSqliteDrops(
  folder: string,
  { fuzz = () => randomInt(FUZZ_DAYS) }: Options = {},
): Promise<Drops> {
  const file = explained(() => openDropsFile(folder))
  const turn = openWritingTurn(() => file.database)
  const read = async <T>(work: (db: DatabaseSync) => T): Promise<T> =>
    explained(() => work(file.database))
  const write = async <T>(work: (db: DatabaseSync) => T): Promise<T> => {
    try {
      return await turn.write(work)
    } catch (error) {
      throw faultOf(error)
    }
  }
  /**
   * Deletes all in one transaction, or on a full disk each in its own, in the room kept for that.
   * Each removal is small. The first one orphans the rows of the others, so that the next opening
   * removes what a crash leaves.
   */
  const remove = async (pieces: readonly Removal[]): Promise<void> => {
    if (pieces.length === 0) return
    try {
      await write((db) => {
        for (const piece of pieces) piece(db)
      })
    } catch (error) {
      if ((error as DropsError).code !== "full") throw error
      explained(() => file.inReserve(() => pieces.forEach(turn.writeNow)))
    }
  }
  const purgeDayOf = ({ today, retentionDays }: { today: number; retentionDays: number }): number =>
    today + retentionDays + fuzz()

  // Pieces of uploads that a crash cut off belong to no message.
  await remove(await read(strayPieces))
  await write((db) => {
    put(db, "drop-id", randomBytes(16))
    put(db, "signing-secret", randomBytes(32))
    put(db, "stirred", randomBytes(STIR_BYTES))
    for (const name of ["unordered", "expired-unread", "telling", "told-day"]) put(db, name, 0)
  })

  return {
    dropId: () => read((db) => bytesOf(meta(db, "drop-id"))),
    signingSecret: () => read((db) => bytesOf(meta(db, "signing-secret"))),

    appendPiece: (id, index, piece) =>
      write((db) => {
        const key = keyOf(id)
        const { n } = one(db, "select count(*) as n from chunk where id = ?", key)
        if (n !== index || isMessage(db, key)) throw refused()
        run(db, "insert into chunk values (?, ?, ?)", key, index, piece)
      }),

    finishUpload: ({ id, size, withdrawVerifier, effort, ...days }) =>
      write((db) => {
        const key = keyOf(id)
        const { held } = one(db, "select sum(length(data)) as held from chunk where id = ?", key)
        if (held !== size || isMessage(db, key)) throw refused()
        const purgeDay = purgeDayOf(days)
        run(
          db,
          "insert into blob values (?, ?, ?, ?, 1, ?)",
          key,
          size,
          purgeDay,
          effort,
          withdrawVerifier,
        )
        run(db, "update meta set value = value + 1 where name = 'unordered'")
      }),

    abandonUpload: async (id) => {
      const key = explained(() => keyOf(id))
      await remove(await read((db) => (isMessage(db, key) ? [] : piecesOf(db, key))))
    },

    messages: () =>
      read((db) =>
        db
          .prepare("select id, size, purge_day, effort, unread from blob order by id")
          .all()
          .map((row): StoredMessage => ({
            id: idOf(row["id"]),
            size: Number(row["size"]),
            purgeDay: Number(row["purge_day"]),
            effort: Number(row["effort"]),
            unread: row["unread"] === 1,
          })),
      ),

    piece: (id, index) =>
      read((db) => {
        const statement = `select data from chunk where id = ? and i = ? and exists (select 1 from blob where blob.id = chunk.id)`
        const row = db.prepare(statement).get(keyOf(id), index)
        return row === undefined ? null : bytesOf(row["data"])
      }),

    reseal: (id, upload, size) =>
      write((db) => {
        const [key, from] = [keyOf(id), keyOf(upload)]
        const { held } = one(db, "select sum(length(data)) as held from chunk where id = ?", from)
        if (held !== size || isMessage(db, from)) throw refused()
        if (!isMessage(db, key)) return false
        run(db, "delete from chunk where id = ?", key)
        run(db, "update chunk set id = ? where id = ?", key, from)
        run(db, "update blob set size = ? where id = ?", size, key)
        // Its pages lie where the newest are, as those of a message that came do.
        run(db, "update meta set value = value + 1 where name = 'unordered'")
        return true
      }),

    markRead: (ids) =>
      write((db) => {
        for (const id of ids) run(db, "update blob set unread = 0 where id = ?", keyOf(id))
      }),

    deleteMessages: async (ids) => {
      await remove(await read((db) => ids.flatMap((id) => messageOf(db, keyOf(id)))))
    },

    withdraw: async (verifiers) => {
      const found = (db: DatabaseSync, verifier: Uint8Array): Removal[] =>
        db
          .prepare("select id from blob where withdraw_verifier = ?")
          .all(verifier)
          .flatMap((row) => messageOf(db, bytesOf(row["id"])))
      const removals = await read((db) => verifiers.flatMap((verifier) => found(db, verifier)))
      await remove([...removals, stir])
    },

    replies: (tag) =>
      read((db) =>
        db
          .prepare("select data from mailbox where tag = ? order by id")
          .all(tag)
          .map((row) => bytesOf(row["data"])),
      ),

    postReply: ({ id, tag, deleteVerifier, sealed }, days) =>
      write((db): ReplyOutcome => {
        const key = keyOf(id)
        if (wasPosted(db, key)) return "known"
        const { n } = one(db, "select count(*) as n from mailbox where tag = ?", tag)
        if (Number(n) >= MAILBOX_SLOTS) return "full"
        const purgeDay = purgeDayOf(days)
        run(db, "insert into posted values (?, ?)", key, purgeDay)
        run(
          db,
          "insert into mailbox values (?, ?, ?, ?, ?)",
          tag,
          key,
          purgeDay,
          deleteVerifier,
          sealed,
        )
        return "stored"
      }),

    deleteReplies: (tag, deleteVerifier) =>
      remove([
        (db) =>
          run(db, "delete from mailbox where tag = ? and delete_verifier = ?", tag, deleteVerifier),
        // SQLite writes nothing for a deletion that finds nothing, and the caller would notice that
        // by the time.
        stir,
      ]),

    notes: () =>
      read((db) =>
        db
          .prepare("select id from note order by id")
          .all()
          .map((row) => idOf(row["id"])),
      ),

    note: (id) =>
      read((db) => {
        const row = db.prepare("select data from note where id = ?").get(keyOf(id))
        return row === undefined ? null : bytesOf(row["data"])
      }),

    putNote: ({ id, sealed }, replaces, purgeDay) =>
      write((db) => {
        const key = keyOf(id)
        if (wasPosted(db, key)) return
        for (const replaced of replaces) run(db, "delete from note where id = ?", keyOf(replaced))
        run(db, "insert into posted values (?, ?)", key, purgeDay)
        run(db, "insert into note values (?, ?, ?)", key, purgeDay, sealed)
      }),

    deleteNotes: async (ids) => {
      const keys = explained(() => ids.map(keyOf))
      await remove(keys.map((key) => (db) => run(db, "delete from note where id = ?", key)))
    },

    stir: () => write(stir),

    purge: async ({ day }) => {
      await remove(await read((db) => dueOn(db, day)))
      await remove([(db) => run(db, "delete from posted where purge_day <= ?", day)])
    },

    rewrite: async () => {
      explained(() => file.rewrite())
      await write((db) => set(db, "unordered", 0))
    },

    unordered: () => read((db) => Number(meta(db, "unordered"))),

    digest: (day) =>
      write((db): Digest | null => {
        if (Number(meta(db, "told-day")) >= day) return null
        // A message that expires unread from here on counts for the next digest, even if this one
        // is sent later.
        set(db, "telling", Number(meta(db, "telling")) + Number(meta(db, "expired-unread")))
        set(db, "expired-unread", 0)
        const { n } = one(db, "select count(*) as n from blob where unread = 1")
        return { fresh: Number(n) > 0, expiredUnread: Number(meta(db, "telling")) }
      }),

    digestSent: (day) =>
      write((db) => {
        set(db, "telling", 0)
        set(db, "told-day", day)
      }),

    async close() {
      turn.flush()
      file.close()
    },
  }
}

/**
 * Writes that come in one turn of the loop, committed together: fifty uploads wait for one flush of
 * the disk, not fifty.
 */
interface WritingTurn {
  /**
   * Resolves with the result of `work` once it is on the disk. If `work` throws, its changes are
   * undone.
   */
  write<T>(work: (db: DatabaseSync) => T): Promise<T>
  /** Commits `work` by itself, before anything that waits. */
  writeNow(work: (db: DatabaseSync) => void): void
  /** Commits what still waits. */
  flush(): void
}

interface Waiting {
  readonly work: (db: DatabaseSync) => unknown
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

function openWritingTurn(database: () => DatabaseSync): WritingTurn {
  let waiting: Waiting[] = []

  function flush(): void {
    const batch = waiting
    waiting = []
    if (batch.length === 0 || committed(batch)) return
    // Perhaps only one of them has no room left: it must not make the others fail.
    for (const one of batch) committed([one], one.reject)
  }

  /** Whether all of them are on the disk, or were refused by their own work. */
  function committed(batch: readonly Waiting[], onFault?: (error: unknown) => void): boolean {
    const db = database()
    const settling: (() => void)[] = []
    try {
      db.exec("begin immediate")
      for (const { work, resolve, reject } of batch) {
        const outcome = within(db, work)
        settling.push(
          "refusal" in outcome
            ? () => reject(outcome.refusal)
            : () => resolve(outcome.value as never),
        )
      }
      db.exec("commit")
    } catch (error) {
      // A full disk ends the transaction by itself.
      if (db.isTransaction) db.exec("rollback")
      onFault?.(error)
      return false
    }
    for (const settle of settling) settle()
    return true
  }

  return {
    write: (work) =>
      new Promise((resolve, reject) => {
        waiting.push({ work, resolve, reject })
        if (waiting.length === 1) setImmediate(flush)
      }),
    writeNow(work) {
      const rethrow = (error: unknown): never => {
        throw error
      }
      committed([{ work, resolve: () => undefined, reject: rethrow }], rethrow)
    },
    flush,
  }
}

/** A refusal undoes what its own work did and nothing else; a fault of the engine ends the turn. */
function within(
  db: DatabaseSync,
  work: (db: DatabaseSync) => unknown,
): { value: unknown } | { refusal: DropsError } {
  db.exec("savepoint work")
  try {
    const value = work(db)
    db.exec("release work")
    return { value }
  } catch (error) {
    if (!(error instanceof DropsError)) throw error
    db.exec("rollback to work; release work")
    return { refusal: error }
  }
}

function explained<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw faultOf(error)
  }
}

/** SQLite's own result codes: https://www.sqlite.org/rescode.html */
const FAULTS: Readonly<Record<number, DropsFault>> = { 11: "damaged", 13: "full", 26: "damaged" }

const SENTENCES: Readonly<Record<"full" | "damaged" | "unavailable", string>> = {
  full: "The disk of the drop is full",
  damaged: "The file of the drop is damaged",
  unavailable: "The file of the drop cannot be reached",
}

/** The engine's own words are not passed on: they may name files and values. */
function faultOf(error: unknown): DropsError {
  if (error instanceof DropsError) return error
  const { errcode, code } = error as { errcode?: number; code?: string }
  const known = code === "ENOSPC" || code === "EDQUOT" ? "full" : FAULTS[(errcode ?? 0) & 0xff]
  const fault = (known ?? "unavailable") as keyof typeof SENTENCES
  return new DropsError(fault, SENTENCES[fault])
}
