import { emptyCatalogue, BatchRefused } from "../catalogue.ts"
import { MalformedBytes } from "../bytes.ts"
import { IndexDamaged, IndexUnavailable } from "../exposure-index.ts"
import { Changes } from "./changes.ts"
import type { ReadAt } from "./checked-database.ts"
import { openCurrent, type OpenGeneration } from "./generations.ts"
import {
  readDocument,
  type StoredDocument,
  Superseded,
  supersededBy,
  withLayout,
} from "./stored.ts"

/**
 * An open index, whichever of its generations is in use. When another takes its place, the read or
 * write that notices is repeated there, so that its caller notices nothing.
 */
export interface Connection {
  /**
   * Runs `read` on one state, the newest that is committed. `read` must read the catalogue, with
   * `document`.
   */
  reading<T>(read: (at: ReadAt, on: OpenGeneration) => T): T
  /**
   * Runs `read` on the state that the first such call in this turn of the event loop found, with
   * its catalogue. Beginning to read a state costs more than a look-up in it. Where this connection
   * also writes, the state is the newest one.
   */
  readingInTurn<T>(read: (at: ReadAt, on: OpenGeneration, document: StoredDocument) => T): T
  /**
   * What to look keys up in: the newest committed state with its catalogue, good until the next
   * call. null: that is for `reading` to do. No function is passed, since making it costs a good
   * part of a look-up.
   */
  newest(): Newest | null
  /**
   * Runs `write` in its own transaction; resolves when it is on the disk. If it throws, none of it
   * stays.
   */
  writing<T>(write: (changes: Changes, on: OpenGeneration) => T): Promise<T>
  /** The catalogue of the state being read. */
  document(at: ReadAt, on: OpenGeneration): StoredDocument
  /** The catalogue as the transaction being written sees it. */
  documentToChange(on: OpenGeneration): StoredDocument
  /** The generation opened last. */
  current(): OpenGeneration
  close(): Promise<void>
}

export interface Newest {
  readonly at: ReadAt
  readonly on: OpenGeneration
  readonly document: StoredDocument
}

/** An open generation with the number of its pending writes: it closes after the last of them. */
interface Held {
  readonly on: OpenGeneration
  writes: number
}

/** What the reads of one turn of the event loop share. */
interface Turn {
  readonly on: OpenGeneration
  readonly document: StoredDocument
}

/**
 * The turn that an environment's transaction for turns is in. Several connections of a process may
 * share an environment, and the one that begins a turn ends that of the others.
 */
const turnsOf = new WeakMap<OpenGeneration["turn"], Turn>()

export function openConnection(path: string, readOnly: boolean, mapSize: number): Connection {
  let held: Held = faultsNamed(() => ({ on: openCurrent(path, readOnly, mapSize), writes: 0 }))
  let closed = false
  // Comes from read transactions only: what a write transaction sees may still fail to commit.
  let known: StoredDocument = withLayout({ ...emptyCatalogue, version: -1 }, null)

  let turn: Turn | null = null
  let newest: Newest | null = null

  const isCurrent = (each: Turn): boolean => turnsOf.get(each.on.turn) === each
  const endTurn = (): void => {
    if (turn !== null && isCurrent(turn)) {
      turnsOf.delete(turn.on.turn)
      turn.on.turn.end()
    }
    turn = null
  }
  const follow = (): void => {
    endTurn()
    const over = held
    held = { on: openCurrent(path, readOnly, mapSize), writes: 0 }
    closeWhenIdle(over)
  }
  const closeWhenIdle = (each: Held): void => {
    if (each !== held && each.writes === 0) void each.on.close()
  }

  const documentAt = (at: ReadAt, on: OpenGeneration): StoredDocument =>
    (known = readDocument(on.meta, known, at))

  /** Runs `read` on the newest state of the generation in use, which it may hold on to. */
  const readNewest = <T>(by: "single" | "turn", read: (at: ReadAt, on: OpenGeneration) => T): T => {
    for (;;) {
      if (closed) throw new IndexUnavailable("The index is closed")
      const { on } = held
      on[by].begin()
      try {
        return read(on[by].at, on)
      } catch (error) {
        on[by].end()
        if (!(error instanceof Superseded)) throw error
      }
      follow()
    }
  }
  const readOnce = <T>(read: (at: ReadAt, on: OpenGeneration) => T): T =>
    readNewest("single", (at, on) => {
      const result = read(at, on)
      // A state that is held keeps pages from being used again.
      on.single.end()
      return result
    })
  const beginTurn = (): Turn => {
    const begun = readNewest("turn", (at, on) => ({ on, document: documentAt(at, on) }))
    turnsOf.set(begun.on.turn, begun)
    setImmediate(() => {
      if (turn === begun) endTurn()
    })
    return begun
  }

  const goToNewest = (): Newest | null => {
    for (;;) {
      if (closed) throw new IndexUnavailable("The index is closed")
      const { on } = held
      const at = on.newest.at()
      if (at === null) return null
      if (newest?.at === at) return newest
      try {
        return (newest = { at, on, document: documentAt(at, on) })
      } catch (error) {
        if (!(error instanceof Superseded)) throw error
      }
      follow()
    }
  }

  return {
    current: () => held.on,

    newest: goToNewest,

    reading: (read) => faultsNamed(() => readOnce(read)),

    readingInTurn: (read) =>
      faultsNamed(() => {
        if (!readOnly) return readOnce((at, on) => read(at, on, documentAt(at, on)))
        if (turn === null || !isCurrent(turn)) turn = beginTurn()
        return read(turn.on.turn.at, turn.on, turn.document)
      }),

    async writing(write) {
      for (;;) {
        if (closed) throw new IndexUnavailable("The index is closed")
        if (readOnly) throw new IndexUnavailable("The index is open for reading only")
        const used = held
        used.writes++
        try {
          return await used.on.root.childTransaction(() => {
            if (supersededBy(used.on.meta) !== null) throw new Superseded()
            return write(new Changes(used.on), used.on)
          })
        } catch (error) {
          if (!(error instanceof Superseded)) throw await writeFault(error)
          if (used === held) faultsNamed(follow)
        } finally {
          used.writes--
          closeWhenIdle(used)
        }
      }
    },

    documentToChange: (on) => readDocument(on.meta, known),

    document: documentAt,

    async close() {
      if (closed) return
      closed = true
      endTurn()
      await held.on.close()
    },
  }
}

async function writeFault(error: unknown): Promise<unknown> {
  // These two are about the caller's arguments, and their messages explain it.
  if (error instanceof BatchRefused || error instanceof RangeError) return error
  return named(await commitFault(error))
}

/** Runs `work` and turns errors of the store into IndexUnavailable. */
function faultsNamed<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw named(error)
  }
}

/**
 * LMDB's error codes for pages that it cannot follow: not found, corrupted, no database, too deep,
 * too full.
 */
const DAMAGE_CODES: ReadonlySet<unknown> = new Set([-30797, -30796, -30793, -30787, -30786])

/** An error of the store as IndexUnavailable. */
export function named(error: unknown): IndexUnavailable {
  if (error instanceof IndexUnavailable) return error
  if (error instanceof MalformedBytes || DAMAGE_CODES.has((error as { code?: unknown }).code)) {
    return new IndexDamaged("The index is damaged", { cause: error })
  }
  return new IndexUnavailable("The index cannot be read or written", { cause: error })
}

/**
 * lmdb rejects a failed commit with an error that holds a promise of the reason, which must be
 * caught here.
 */
async function commitFault(error: unknown): Promise<unknown> {
  const reason = (error as { commitError?: Promise<unknown> } | undefined)?.commitError
  if (reason === undefined) return error
  try {
    await reason
  } catch (cause) {
    return cause
  }
  return error
}
