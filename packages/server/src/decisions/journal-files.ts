import { mkdirSync, renameSync, rmSync, statSync } from "node:fs"
import { basename, join } from "node:path"
import { namesIn } from "@assay/runtime/if-present"

// journal/<worker>/lock              held by the worker for as long as it lives
// journal/<worker>/00000001.closed   nothing is written to it any more
// journal/<worker>/00000002.open     the worker appends to it
// journal/.<worker>                  not locked yet: the worker is just starting, or died at that
// journal/damaged/<worker>-<number>  its beginning cannot be read; kept for a person to look at

const DAMAGED = "damaged"

/** Before its lock is held, a worker's directory has a name that nobody reads. */
export const NEW_PREFIX = "."

export interface Segment {
  readonly directory: string
  readonly number: number
  readonly closed: boolean
}

export function segmentPath({ directory, number, closed }: Segment): string {
  return join(directory, `${String(number).padStart(8, "0")}.${closed ? "closed" : "open"}`)
}

/** The directories of all workers that left anything, whether they live or not. */
export function workerDirectories(journal: string): string[] {
  return namesIn(journal)
    .filter((name) => !name.startsWith(NEW_PREFIX) && name !== DAMAGED)
    .map((name) => join(journal, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false)
}

/** Puts a file that nobody writes to where no folding looks at it again. */
export function setAside(journal: string, segment: Segment): void {
  const place = join(journal, DAMAGED)
  mkdirSync(place, { recursive: true, mode: 0o700 })
  renameSync(segmentPath(segment), join(place, `${basename(segment.directory)}-${segment.number}`))
}

/** The files that were set aside. */
export function filesSetAside(journal: string): string[] {
  return namesIn(join(journal, DAMAGED)).map((name) => join(journal, DAMAGED, name))
}

/**
 * Deletes files that were set aside, or of them those last written before a time; returns how many.
 */
export function deleteSetAside(journal: string, beforeMs = Infinity): number {
  const old = filesSetAside(journal).filter((path) => {
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats !== undefined && stats.mtimeMs < beforeMs
  })
  for (const path of old) rmSync(path, { recursive: true, force: true })
  return old.length
}

/** Removes what workers left that died before they wrote anything. */
export function removeUnnamed(journal: string): void {
  for (const name of namesIn(journal).filter((name) => name.startsWith(NEW_PREFIX)))
    rmSync(join(journal, name), { recursive: true, force: true })
}

/** The files of one worker, in the order in which they were written. */
export function segmentsOf(directory: string): Segment[] {
  return namesIn(directory)
    .map((name) => /^(\d{8})\.(open|closed)$/.exec(name))
    .filter((match) => match !== null)
    .map(([, number, state]) => ({
      directory,
      number: Number(number),
      closed: state === "closed",
    }))
}
