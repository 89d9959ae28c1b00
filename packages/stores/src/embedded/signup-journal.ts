import {
  closeSync,
  createReadStream,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
} from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { crc32 } from "node:zlib"
import { isMissing } from "@assay/runtime/if-present"
import type { Log } from "@assay/runtime/log"
import { DAY_MS, HOUR_MS } from "@assay/runtime/time"
import { type ContextEvent, NAMES_BYTES } from "../counters.ts"

/** Recorded sign-ups on disk, so that velocity outlives the process. Names and times only. */
export interface SignupJournal {
  /**
   * Hands over the sign-ups of the last 24 hours, in the order they were appended. Before the first
   * `append`.
   */
  replay(take: (event: ContextEvent) => Promise<unknown>): Promise<void>
  /**
   * Resolves when the sign-up outlives the process; a power cut may take the last second. Throws if
   * it cannot be written.
   */
  append(event: ContextEvent): Promise<void>
  /**
   * Deletes files begun 47 hours ago or earlier: called every hour, no line is kept for more than
   * 48.
   */
  forget(): void
  close(): Promise<void>
}

interface SignupJournalOptions {
  readonly directory: string
  readonly now: () => number
  readonly log: Log
}

const SYNC_MS = 1000
/** An event may be this much ahead of the hour it is written in. */
const AHEAD_MS = 5 * 60_000
const FILE = /^(\d{4}-\d{2}-\d{2}T\d{2})\.log$/

export function openSignupJournal({ directory, now, log }: SignupJournalOptions): SignupJournal {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  let file: { readonly name: string; readonly handle: FileHandle } | null = null
  let waiting: { lines: string; readonly written: Promise<void> } | null = null
  let writing: Promise<void> = Promise.resolve()
  let syncing: NodeJS.Timeout | null = null

  const names = (): string[] =>
    readdirSync(directory)
      .filter((name) => FILE.test(name))
      .sort()

  const sync = async (): Promise<void> => {
    syncing = null
    await file?.handle.datasync()
  }
  const closeFile = async (): Promise<void> => {
    if (syncing !== null) clearTimeout(syncing)
    const closing = file
    try {
      await sync()
    } finally {
      file = null
      await closing?.handle.close()
    }
  }
  const fileOfNow = async (): Promise<FileHandle> => {
    const name = fileName(now())
    if (file?.name === name) return file.handle
    await closeFile()
    const path = join(directory, name)
    cutTornLine(path)
    const handle = await open(path, "a", 0o600)
    file = { name, handle }
    if ((await handle.stat()).size === 0) await handle.appendFile(`${HEADER}\n`)
    return handle
  }
  const write = async (lines: string): Promise<void> => {
    try {
      const handle = await fileOfNow()
      await handle.appendFile(lines)
    } catch (error) {
      // Part of the lines may be written. Opening the file again cuts a broken line off.
      await closeFile().catch((closing: unknown) =>
        log.warn("a file of sign-ups could not be closed", { error: closing }),
      )
      throw error
    }
    syncing ??= setTimeout(() => {
      sync().catch((error: unknown) => log.error("sign-ups could not be synced", { error }))
    }, SYNC_MS)
  }

  return {
    async replay(take) {
      const from = fileName(now() - DAY_MS - AHEAD_MS)
      for (const name of names())
        if (name >= from) await replayFile(join(directory, name), name, take, log)
    },
    append(event) {
      const line = `${signupLine(event)}\n`
      if (waiting !== null) {
        waiting.lines += line
        return waiting.written
      }
      // Lines that arrive while others are being written are written together, after them.
      const written = writing.then(async () => {
        const lines = waiting?.lines ?? ""
        waiting = null
        await write(lines)
      })
      waiting = { lines: line, written }
      // The callers of append() get this error; the next batch tries again.
      writing = written.catch(() => undefined)
      return written
    },
    forget() {
      const last = fileName(now() - 47 * HOUR_MS)
      for (const name of names()) if (name <= last) rmSync(join(directory, name))
    },
    async close() {
      await writing
      await closeFile()
    },
  }
}

/** The file of an hour. Names sort by time. */
function fileName(ms: number): string {
  return `${new Date(Math.floor(ms / HOUR_MS) * HOUR_MS).toISOString().slice(0, 13)}.log`
}

const TAIL_BYTES = 4096

/** Cuts what a killed process left of its last line, so that the next one does not continue it. */
function cutTornLine(path: string): void {
  let descriptor: number
  try {
    descriptor = openSync(path, "r+")
  } catch (error) {
    if (isMissing(error)) return
    throw error
  }
  try {
    const { size } = fstatSync(descriptor)
    const tail = Buffer.alloc(Math.min(TAIL_BYTES, size))
    const from = size - tail.length
    readSync(descriptor, tail, 0, tail.length, from)
    const end = from + tail.lastIndexOf("\n") + 1
    if (end < size) ftruncateSync(descriptor, end)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Damage costs counts, never the start: it is logged with the file's name and the number of lines.
 */
async function replayFile(
  path: string,
  name: string,
  take: (event: ContextEvent) => Promise<unknown>,
  log: Log,
): Promise<void> {
  let number = 0
  let damaged = 0
  // The last line may be cut short by the end of the process that wrote it; a broken line is damage
  // only if more lines follow.
  let lastIsWhole = true
  try {
    for await (const line of createInterface({ input: createReadStream(path) })) {
      number++
      if (!lastIsWhole) damaged++
      if (number === 1) {
        if (line === HEADER) continue
        // A process that ended while it began the file left a part of the header and nothing else.
        if (!HEADER.startsWith(line))
          log.error("a file of sign-ups has an unknown format: velocity is too low", {
            store: `context/${name}`,
          })
        return
      }
      const event = readSignupLine(line)
      lastIsWhole = event !== null
      if (event !== null) await take(event)
    }
  } catch (error) {
    log.error("a file of sign-ups cannot be read: velocity is too low", {
      store: `context/${name}`,
      error,
    })
    return
  }
  if (damaged > 0)
    log.error("a file of sign-ups is damaged: velocity is too low", {
      store: `context/${name}`,
      count: damaged,
    })
}

/**
 * The first line of a file: its name and format. With another number the lines are read
 * differently.
 */
export const HEADER = "assay context 1"

/**
 * One sign-up on one line: tenant, seconds since 1970, names in base64, and a checksum over these.
 */
export function signupLine({ tenantId, atSeconds, names }: ContextEvent): string {
  const text = `${tenantId} ${atSeconds} ${Buffer.from(names).toString("base64")}`
  return `${text} ${checksum(text)}`
}

const LINE = /^((\d{1,15}) (\d{1,10}) ([A-Za-z0-9+/]{128})) ([0-9a-f]{8})$/

/** The sign-up of a line, or null where the line is not one. */
export function readSignupLine(line: string): ContextEvent | null {
  const [, text = "", tenantId, atSeconds, names = "", sum] = LINE.exec(line) ?? []
  if (sum === undefined || sum !== checksum(text)) return null
  const bytes = Buffer.from(names, "base64")
  if (bytes.length !== 2 * NAMES_BYTES) return null
  return {
    tenantId: Number(tenantId),
    atSeconds: Number(atSeconds),
    isRecorded: true,
    names: bytes,
  }
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, "0")
}
