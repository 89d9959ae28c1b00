import { randomBytes } from "node:crypto"
import {
  close,
  closeSync,
  fdatasync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs"
import { join } from "node:path"
import { setImmediate as endOfTurn } from "node:timers/promises"
import { promisify } from "node:util"
import { lockDataDirectory } from "@assay/runtime/data-directory"
import { NEW_PREFIX, type Segment, segmentPath } from "./journal-files.ts"
import { JOURNAL_HEADER } from "./journal-line.ts"
import { Explained } from "@assay/runtime/explained"

/** What a worker appends its decisions to. */
export interface Journal {
  /**
   * Resolves when the line is with the operating system: from then on the death of any process
   * leaves it there. Rejects where that fails, and then nothing of the line stays. The lines of one
   * turn of the event loop go in one write and share its promise.
   */
  append(line: string): Promise<void>
  /**
   * Called each second: brings what was appended to the disk, off the loop, and closes a file that
   * has become old.
   */
  keep(): Promise<void>
  close(): Promise<void>
}

interface JournalOptions {
  /**
   * A file larger than this is closed. A closed file is deleted once its decisions are in the
   * store.
   */
  readonly fileBytes?: number
  /**
   * A file is also closed after this many calls of `keep`, so that an idle worker keeps no old
   * decisions.
   */
  readonly fileAge?: number
}

const sync = promisify(fdatasync)
const closeLater = promisify(close)

/**
 * Opens at the first append, so that a disk that is full or read-only keeps no worker from
 * starting.
 */
export function openJournal(path: string, options: JournalOptions = {}): Journal {
  const { fileBytes = 4 * 1024 * 1024, fileAge = 60 } = options
  const buffer = Buffer.allocUnsafe(64 * 1024)
  let home: { readonly directory: string; readonly lock: { release(): void } } | null = null
  let file: JournalFile | null = null
  let files = 0
  // After a failure nothing is tried until the next second: a full disk is not asked again by every
  // request.
  let failure: unknown = null
  let gathered = ""
  let turn: Promise<void> | null = null
  let retiring: Promise<void> = Promise.resolve()

  /**
   * Nothing is appended to it after this. What it holds is synced before it is let go, without
   * being waited for.
   */
  function retire(old: JournalFile): void {
    file = null
    retiring = Promise.all([retiring, old.retire()]).then(() => undefined)
    // The next `keep` or `close` awaits this and reports the error.
    retiring.catch(() => undefined)
  }

  function writeGathered(): void {
    const lines = gathered
    gathered = ""
    turn = null
    if (failure !== null) throw failure as Error
    try {
      home ??= newHome(path)
      file ??= openFile({ directory: home.directory, number: ++files, closed: false })
      // Most turns fit; a new buffer for each would cost more than the write.
      const fits = lines.length * 3 <= buffer.length
      const bytes = fits ? buffer : Buffer.from(lines)
      file.append(bytes, fits ? buffer.write(lines) : bytes.length)
      if (file.size > fileBytes) retire(file)
    } catch (error) {
      failure = error
      // A file that could not be cut back to whole lines is not appended to any more.
      if (file?.damaged === true) retire(file)
      throw error
    }
  }

  return {
    append(line) {
      gathered += line
      // After all sockets that had something to read in this turn, so that their requests share the
      // write.
      return (turn ??= endOfTurn().then(writeGathered))
    },
    async keep() {
      failure = null
      const current = file
      const earlier = retiring
      retiring = Promise.resolve()
      if (current !== null && ++current.age >= fileAge) retire(current)
      else {
        await current?.sync().catch((error: unknown) => {
          // After a failed sync the disk may report lost bytes as written next time: append no more
          // to this file.
          if (file === current) retire(current)
          throw error
        })
      }
      await earlier
    },
    async close() {
      // The caller of `append` gets this error.
      await turn?.catch(() => undefined)
      if (file !== null) retire(file)
      await retiring.finally(() => home?.lock.release())
      home = null
    },
  }
}

/**
 * A directory of this worker alone. It gets its name only when it is locked: without a lock it
 * would pass for a dead one's.
 */
function newHome(path: string): { directory: string; lock: { release(): void } } {
  const name = randomBytes(8).toString("hex")
  const unnamed = join(path, NEW_PREFIX + name)
  mkdirSync(unnamed, { recursive: true, mode: 0o700 })
  const lock = lockDataDirectory(unnamed)
  if (lock === null)
    throw new Explained("data-directory", "A new journal is locked by another process")
  const directory = join(path, name)
  try {
    renameSync(unnamed, directory)
  } catch (error) {
    lock.release()
    throw error
  }
  return { directory, lock }
}

interface JournalFile {
  readonly size: number
  /** It holds part of a line and could not be cut back. */
  readonly damaged: boolean
  age: number
  append(bytes: Buffer, length: number): void
  sync(): Promise<void>
  retire(): Promise<void>
}

function openFile(segment: Segment): JournalFile {
  const path = segmentPath(segment)
  const fd = openSync(path, "ax", 0o600)
  const header = Buffer.from(JOURNAL_HEADER)
  try {
    writeWhole(fd, header, header.length)
  } catch (error) {
    closeSync(fd)
    rmSync(path, { force: true })
    throw error
  }
  let syncing: Promise<void> = Promise.resolve()
  // One after the other: the file may be closed only when no sync is under way on its number.
  const syncNext = (): Promise<void> => (syncing = syncing.then(() => sync(fd)))
  const file = {
    size: header.length,
    damaged: false,
    age: 0,
    append(bytes: Buffer, length: number): void {
      try {
        writeWhole(fd, bytes, length)
        file.size += length
      } catch (error) {
        file.damaged = !cutBack(fd, file.size)
        throw error
      }
    },
    sync: syncNext,
    async retire(): Promise<void> {
      const synced = syncNext()
      try {
        renameSync(path, segmentPath({ ...segment, closed: true }))
      } finally {
        await synced.finally(() => closeLater(fd))
      }
    },
  }
  return file
}

/** A disk that is filling up takes a part first and refuses the rest. */
function writeWhole(fd: number, bytes: Buffer, length: number): void {
  for (let at = 0; at < length;) at += writeSync(fd, bytes, at, length - at)
}

/**
 * Whether the file ends with its last whole line again. Report the original failure, not one in
 * here.
 */
function cutBack(fd: number, size: number): boolean {
  try {
    ftruncateSync(fd, size)
    return true
  } catch {
    return false
  }
}
