import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { readIfPresent } from "./if-present.ts"
import { oldKeysSentence } from "./old-keys.ts"
import { ownUser } from "./own-user.ts"
import { typedCommand } from "./typed-command.ts"
import { Explained } from "./explained.ts"

/**
 * Grows by one with each change of the directory's layout or of the keys in it; an older program
 * refuses. Format 1 has keys of identity/v1, which nothing can convert: identities are not kept.
 */
const FORMAT = 2

/** Where an operator puts models beside those of the program. */
export const MODELS_FOLDER = "models"

/** The file by which one process at a time has the right to write into the directory. */
export const LOCK = "lock"

/** The file by which processes take turns in opening and closing what lies beside it. */
export const TURN = "turn"

/**
 * A file of this name stands in a directory while it is being made of another, and nothing starts
 * over it.
 */
export const RESTORING = "restoring"
export const REKEYING = "rekeying"
const UNFINISHED = {
  [RESTORING]: `A backup was being restored into it and was not finished; run ${typedCommand("restore")} again`,
  [REKEYING]: `A corpus was being rekeyed into it and was not finished; run ${typedCommand("corpus rekey")} again`,
} as const

export interface DataDirectory {
  readonly path: string
  readonly index: string
  readonly records: string
  readonly journal: string
  readonly decisions: string
  readonly lists: string
  readonly models: string
  readonly context: string
  /** What the service measured of itself. */
  readonly levels: string
  readonly controlSocket: string
  /** Where uploads of files to import are handed over. No longer than the path of the other one. */
  readonly uploadSocket: string
  /** The anonymous drop's own: its file, its keys, its sockets. In no backup. */
  readonly drop: string
  readonly compiledCode: string
  /** What imports brought, a file a batch. */
  readonly segments: string
  /** Where an import works: keyed rows, never anything else. */
  readonly imports: string
  /** What became of the last imports over HTTP. */
  readonly importStates: string
  /** Which rows of which import were rejected, and why. */
  readonly rejects: string
  /** Demo data was loaded into it; production refuses such a directory. */
  readonly demo: boolean
  markDemo(): void
  /**
   * Called once the index is open; later its absence is a fault, because an empty one would read as
   * CLEAN.
   */
  markIndexed(): void
}

/**
 * Opens the directory, creating it if missing, readable by its owner only. An unfinished restore or
 * rekeying may only be opened by the command that completes it.
 */
export function openDataDirectory(
  path: string,
  { completing }: { readonly completing?: keyof typeof UNFINISHED } = {},
): DataDirectory {
  makeOwnDirectory(path)
  for (const mark of [RESTORING, REKEYING] as const) {
    if (mark !== completing && existsSync(join(path, mark)))
      throw new Explained("data-directory", `${path} cannot be used. ${UNFINISHED[mark]}`)
  }
  const formatFile = join(path, "format.json")
  const found = readFormat(formatFile)
  if (found !== null && found.format > FORMAT) {
    throw new Explained(
      "data-directory",
      `${path} has format ${found.format}; this program knows formats up to ${FORMAT}. Use a newer Assay.`,
    )
  }
  if (found !== null && found.format < FORMAT) {
    throw new Explained(
      "data-directory",
      oldKeysSentence(path, "Name a new directory with ASSAY_DATA"),
    )
  }
  const write = (next: Format): void => {
    writeFileSync(`${formatFile}.new`, `${JSON.stringify(next)}\n`, { mode: 0o600, flush: true })
    renameSync(`${formatFile}.new`, formatFile)
    state = next
  }
  let state: Format = found ?? { format: FORMAT, demo: false, indexed: false }
  if (found === null) write(state)
  const index = join(path, "index")
  if (state.indexed && !existsSync(index)) {
    throw new Explained(
      "data-directory",
      `${path} has lost its index. Restore it: an empty one would call everyone clean.`,
    )
  }
  return {
    path,
    index,
    records: join(path, "records.sqlite"),
    journal: join(path, "journal"),
    decisions: join(path, "decisions"),
    lists: join(path, "lists"),
    models: join(path, MODELS_FOLDER),
    context: join(path, "context"),
    levels: join(path, "levels.log"),
    controlSocket: join(path, "control.sock"),
    uploadSocket: join(path, "upload.sock"),
    drop: join(path, "drop"),
    compiledCode: join(path, "compiled-code"),
    segments: join(path, "segments"),
    imports: join(path, "import"),
    importStates: join(path, "imports.json"),
    rejects: join(path, "rejects"),
    get demo() {
      return state.demo
    },
    markDemo() {
      if (!state.demo) write({ ...state, demo: true })
    },
    markIndexed() {
      if (!state.indexed) write({ ...state, indexed: true })
    },
  }
}

/** A directory that cannot be used is reported in a sentence with the command that fixes it. */
function makeOwnDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    const { uid } = statSync(path)
    const own = ownUser() ?? uid
    // Its owner could put other files in place of ours.
    if (uid !== own) {
      throw new Explained(
        "data-directory",
        `${path} belongs to user ${uid}, and this is user ${own}. Run Assay as that user, or: chown -R ${own} ${path}`,
      )
    }
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    chmodSync(path, 0o700)
  } catch (error) {
    if (error instanceof Explained) throw error
    throw new Explained("data-directory", unusable(path, error as NodeJS.ErrnoException), {
      cause: error,
    })
  }
}

function unusable(path: string, { code }: NodeJS.ErrnoException): string {
  if (code === "EROFS")
    return `${path} is on a file system that is mounted read-only. Mount it for writing, or name another directory with ASSAY_DATA.`
  if (code === "EACCES" || code === "EPERM")
    return `${path} cannot be written by user ${ownUser() ?? "unknown"}. Run: chmod 700 ${path}, or name another directory with ASSAY_DATA.`
  if (code === "ENOTDIR" || code === "EEXIST")
    return `${path} is not a directory. Name one with ASSAY_DATA.`
  return `${path} cannot be used as the data directory (${code ?? "unknown fault"})`
}

/**
 * Takes the right to write into the directory, for as long as this process lives, or returns null
 * where another has it. The lock is an exclusive SQLite transaction: the kernel drops it with the
 * process, however that ends, so there is no stale lock to clean up after `kill -9`.
 */
export function lockDataDirectory(path: string): Lock | null {
  return takeLock(path, LOCK)
}

/**
 * The right to import into the directory, which one process has at a time, beside a service that
 * runs or not.
 */
export function lockImports(path: string): Lock | null {
  return takeLock(path, "import.lock")
}

/** The right to a folder within it. Null also where the folder is not there any more. */
export function lockFolder(path: string): Lock | null {
  try {
    return takeLock(path, LOCK)
  } catch (error) {
    if (existsSync(path)) throw error
    return null
  }
}

/**
 * The turn to open or close the files of a folder, which is waited for. Null also where the folder
 * is not there any more or cannot be written into.
 */
export function awaitTurn(path: string, waitMs: number): Lock | null {
  try {
    return takeLock(path, TURN, waitMs)
  } catch {
    return null
  }
}

export interface Lock {
  release(): void
}

function takeLock(path: string, name: string, waitMs = 0): Lock | null {
  const file = join(path, name)
  const database = new DatabaseSync(file)
  try {
    chmodSync(file, 0o600)
    database.exec(`PRAGMA busy_timeout = ${waitMs}; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE`)
  } catch (error) {
    database.close()
    if ((error as { errcode?: number }).errcode === 5) return null
    throw new Explained("data-directory", `${path} cannot be locked`, { cause: error })
  }
  held.add(database)
  return {
    release() {
      held.delete(database)
      database.close()
    },
  }
}

/** The garbage collector closes a database without references, and its lock goes with it. */
const held = new Set<DatabaseSync>()

interface Format {
  readonly format: number
  readonly demo: boolean
  readonly indexed: boolean
}

function readFormat(file: string): Format | null {
  const text = readIfPresent(file)
  if (text === null) return null
  try {
    const { format, demo, indexed } = JSON.parse(text) as Partial<Format>
    if (typeof format === "number")
      return { format, demo: demo === true, indexed: indexed === true }
  } catch {
    // Reported below, with the other ways a file can be unreadable.
  }
  throw new Explained("data-directory", `${file} is damaged`)
}
