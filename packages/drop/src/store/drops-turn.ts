import type { DatabaseSync } from "node:sqlite"
import { DropsError } from "./drops-error.ts"

/**
 * Writes that come in one turn of the loop, committed together: fifty uploads wait for one flush of
 * the disk, not fifty.
 */
export interface WritingTurn {
  /**
   * Resolves with what `work` returned once it is on the disk. What `work` did is undone where it
   * throws.
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

export function openWritingTurn(database: () => DatabaseSync): WritingTurn {
  let waiting: Waiting[] = []

  function flush(): void {
    const batch = waiting
    waiting = []
    if (batch.length === 0 || committed(batch)) return
    // Perhaps only one of them has no room left: it must not take the others with it.
    for (const one of batch) committed([one], one.reject)
  }

  /** Whether all of them are on the disk, or refused by their own work. */
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
