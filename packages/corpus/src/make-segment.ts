import { mkdirSync, rmSync, statfsSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import type { DataDirectory } from "@assay/runtime/data-directory"
import { HOUR_MS } from "@assay/runtime/time"
import { type ReaderChild, startSorter } from "./engine/children.ts"
import type { Examined } from "./engine/examine.ts"
import { ImportFailure } from "./engine/import-failure.ts"
import type { ReadTally } from "./engine/reader.ts"
import { unfinishedRejects } from "./engine/reject-file.ts"
import { bothDone } from "./engine/side-by-side.ts"
import type { ImportWork } from "./import-request.ts"
import { keepSegment, type KeptSegment, segmentFile, unfinishedSegment } from "./kept-segment.ts"

/** Reads, keys and sorts the input into a segment that lasts. */
export async function makeSegment(
  { request, reach, watch, keyedAs, taken, fingerprint }: ImportWork,
  examined: Examined,
  reader: ReaderChild,
  pids: number[],
): Promise<KeptSegment> {
  const { directory, program, secrets, signal } = reach
  refuseFullDisk(directory, request.paths, examined.totalBytes)
  const startedAtMs = request.repeats?.startedAtMs ?? reach.now()
  const rejects = request.rejects ?? join(directory.rejects, `${fingerprint}.csv`)
  const workDirectory = join(directory.imports, fingerprint)
  const segment = unfinishedSegment(directory, fingerprint)
  mkdirSync(workDirectory, { mode: 0o700 })
  const sorter = startSorter(program, reader)
  pids.push(sorter.pid)
  const endSorter = (): void => void sorter.kill()
  signal.addEventListener("abort", endSorter)
  try {
    const { identity, alias, password } = secrets.subkeys
    const hours = Math.floor(startedAtMs / HOUR_MS)
    const sorting = sorter.sort({
      workDirectory,
      segment,
      keyCheckValue: secrets.checkValue,
      memoryMb: request.memoryMb,
    })
    const reading = reader.read(
      {
        paths: request.paths,
        keyer: {
          subkeys: { identity, alias, password },
          kind: keyedAs.kind ?? "breach",
          hours,
          latestHours: hours + 24,
        },
        members: new Map(
          [...taken].map(([number, { kind, day, dating }]) => [
            number,
            { kind, dating, hours: day === null ? hours : Date.parse(day) / HOUR_MS },
          ]),
        ),
        threads: Math.min(THREADS_MAX, availableParallelism()),
        rejects,
      },
      ({ bytes, rows }) =>
        watch.progress({ phase: "reading", rows, done: bytes, total: examined.totalBytes }),
    )
    const sortingAlone = reading.then((read) => {
      watch.progress({ phase: "sorting", rows: read.rows, done: 0, total: null })
      return read
    })
    const [tally, sorted] = await bothDone(sortingAlone, sorting)
    refuseNothing(tally, rejects)
    const { rows, bytes, sha256 } = sorted
    const kept: KeptSegment = {
      startedAtMs,
      segment: { file: segmentFile(fingerprint), bytes, sha256 },
      rows,
      keyedAs,
      tally,
      rejects,
    }
    await keepSegment(directory, fingerprint, kept)
    return kept
  } finally {
    signal.removeEventListener("abort", endSorter)
    await Promise.all([reader.kill(), sorter.kill()])
    rmSync(workDirectory, { recursive: true, force: true })
    rmSync(segment, { force: true })
    // A reader that was killed could not remove it itself.
    rmSync(unfinishedRejects(rejects), { force: true })
  }
}

/** More threads than this would wait for the sorter. */
const THREADS_MAX = 8

function refuseNothing({ rows, rejects }: ReadTally, list: string): void {
  if (rows > 0) return
  const rejected = Object.values(rejects).reduce((sum, count) => sum + count, 0)
  throw new ImportFailure(
    "input",
    rejected === 0
      ? "There is no row in the input"
      : `None of ${rejected} rows could be imported; ${list} says why`,
  )
}

/**
 * What an import writes, against the bytes of its input: a row of 30 bytes takes 24 in the sorter's
 * table, as many when it spills, 20 in the segment and up to 55 in the index. Packed input is taken
 * for four times its size.
 */
const DISK_FACTOR = 4
const PACKED_FACTOR = 4

function refuseFullDisk(directory: DataDirectory, paths: readonly string[], bytes: number): void {
  const packed = paths.some((path) => /\.(?:gz|zst|zip)$/i.test(path))
  const needed = bytes * DISK_FACTOR * (packed ? PACKED_FACTOR : 1)
  const { bavail, bsize } = statfsSync(directory.path)
  if (bavail * bsize >= needed) return
  const megabytes = (count: number): string => (count / 1e6).toFixed(0)
  throw new ImportFailure(
    "disk-full",
    `The import may need ${megabytes(needed)} MB of disk, and ${megabytes(bavail * bsize)} MB are free`,
  )
}
