import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"

/** Grows by one with each change of the directory's layout; a newer program migrates forward, an older one refuses. */
const FORMAT = 1

export interface DataDirectory {
  readonly path: string
  readonly index: string
  readonly records: string
  readonly lists: string
  readonly controlSocket: string
  /** Demo data was loaded into it; production refuses such a directory. */
  readonly demo: boolean
  markDemo(): void
}

export class DataDirectoryError extends Error {
  override readonly name = "DataDirectoryError"
}

/** Opens the directory, creating it where it is missing, readable by its owner only. */
export function openDataDirectory(path: string): DataDirectory {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  chmodSync(path, 0o700)
  const formatFile = join(path, "format.json")
  const found = readFormat(formatFile)
  if (found !== null && found.format > FORMAT) {
    throw new DataDirectoryError(
      `${path} has format ${found.format}; this program knows formats up to ${FORMAT}. Use a newer Assay.`,
    )
  }
  const write = (demo: boolean): void => {
    writeFileSync(`${formatFile}.new`, `${JSON.stringify({ format: FORMAT, demo })}\n`, {
      mode: 0o600,
      flush: true,
    })
    renameSync(`${formatFile}.new`, formatFile)
  }
  if (found === null) write(false)
  let demo = found?.demo ?? false
  return {
    path,
    index: join(path, "index"),
    records: join(path, "records.sqlite"),
    lists: join(path, "lists"),
    controlSocket: join(path, "control.sock"),
    get demo() {
      return demo
    },
    markDemo() {
      if (!demo) write(true)
      demo = true
    },
  }
}

/**
 * Takes the right to write into the directory, for as long as this process lives, or returns null where another has
 * it. The lock is an exclusive SQLite transaction: the kernel drops it with the process, however that ends, so there
 * is no stale lock to clean up after `kill -9`.
 */
export function lockDataDirectory(path: string): { release(): void } | null {
  const file = join(path, "lock")
  const database = new DatabaseSync(file)
  chmodSync(file, 0o600)
  try {
    database.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE")
  } catch (error) {
    database.close()
    if ((error as { errcode?: number }).errcode === 5) return null
    throw new DataDirectoryError(`${path} cannot be locked`, { cause: error })
  }
  return { release: () => database.close() }
}

function readFormat(file: string): { format: number; demo: boolean } | null {
  let text: string
  try {
    text = readFileSync(file, "utf8")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null
    throw error
  }
  const { format, demo } = JSON.parse(text) as { format?: unknown; demo?: unknown }
  if (typeof format !== "number" || typeof demo !== "boolean")
    throw new DataDirectoryError(`${file} is not readable as a format file`)
  return { format, demo }
}
