import { existsSync, mkdirSync, renameSync, rmSync, statfsSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { IDENTITY_TAGS, identityKey } from "@assay/core/identity"
import type { DataDirectory } from "@assay/runtime/data-directory"
import { sha256 } from "@assay/runtime/secrets"
import { HOUR_MS } from "@assay/runtime/time"
import { type ReaderChild, startSorter } from "./engine/children.ts"
import type { Examined } from "./engine/examine.ts"
import { ImportFailure } from "./engine/import-failure.ts"
import type { ReadTally } from "./engine/reader.ts"
import { unfinishedRejects } from "./engine/reject-file.ts"
import { bothDone } from "./engine/side-by-side.ts"
import type { SegmentWork } from "./import-request.ts"
import type { ReadResult } from "./engine/reader.ts"
import { keepSegment, type KeptSegment, segmentFile, unfinishedSegment } from "./kept-segment.ts"

/**
 * The name of what a stream gives until all of it was read: only then it is known what it is. One
 * import runs at a time, so there is one of it.
 */
export const STREAMED = "streamed"

/**
 * Reads, keys and sorts the input into a segment that lasts. `nameOf` gives its fingerprint once it
 * was read; null where the same is there already, and then nothing is kept.
 */
export async function makeSegment(
  { request, reach, watch, keyedAs, taken }: SegmentWork,
  examined: Examined,
  reader: ReaderChild,
  pids: number[],
  workName: string,
  nameOf: (digest: ReadResult["digest"]) => Promise<string | null>,
): Promise<KeptSegment | null> {
  const { directory, program, secrets, signal } = reach
  const names = request.streamed === undefined ? request.paths : [request.streamed.name]
  refuseFullDisk(directory, names, examined.totalBytes)
  const startedAtMs = request.repeats?.startedAtMs ?? reach.now()
  const rejectsOf = (name: string): string =>
    request.rejects ?? join(directory.rejects, `${name}.csv`)
  const rejects = rejectsOf(workName)
  const workDirectory = join(directory.imports, workName)
  const segment = unfinishedSegment(directory, workName)
  mkdirSync(workDirectory, { mode: 0o700 })
  const sorter = startSorter(program, reader)
  pids.push(sorter.pid)
  const endSorter = (): void => void sorter.kill()
  signal.addEventListener("abort", endSorter)
  try {
    const { identity, alias, password } = secrets.subkeys
    const domains = (await reach.watchedDomains?.()) ?? []
    const hours = Math.floor(startedAtMs / HOUR_MS)
    const sorting = sorter.sort({
      workDirectory,
      segment,
      keyCheckValue: secrets.checkValue,
      memoryMb: request.memoryMb,
      domains: domains.map((domain) =>
        Buffer.from(identityKey(sha256, identity, IDENTITY_TAGS.domain, domain)).toString("hex"),
      ),
    })
    const reading = reader.read(
      {
        paths: request.paths,
        keyer: {
          subkeys: { identity, alias, password },
          kind: keyedAs.kind ?? "breach",
          hours,
          latestHours: hours + 24,
          domains,
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
      watch.progress({ phase: "sorting", rows: read.tally.rows, done: 0, total: null })
      return read
    })
    const [{ tally, digest }, sorted] = await bothDone(sortingAlone, sorting)
    refuseNothing(tally, rejects)
    const { rows, bytes } = sorted
    const fingerprint = await nameOf(digest)
    if (fingerprint === null) return null
    if (fingerprint !== workName) {
      if (existsSync(rejects)) renameSync(rejects, rejectsOf(fingerprint))
      renameSync(segment, unfinishedSegment(directory, fingerprint))
    }
    const kept: KeptSegment = {
      startedAtMs,
      segment: { file: segmentFile(fingerprint), bytes, sha256: sorted.sha256 },
      rows,
      keyedAs,
      tally,
      rejects: rejectsOf(fingerprint),
    }
    await keepSegment(directory, fingerprint, kept)
    return kept
  } finally {
    signal.removeEventListener("abort", endSorter)
    await Promise.all([reader.kill(), sorter.kill()])
    rmSync(workDirectory, { recursive: true, force: true })
    rmSync(segment, { force: true })
    if (workName === STREAMED) rmSync(rejects, { force: true })
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
 * What an import writes, against the bytes of its input: a row of 30 bytes takes 24 where the sorter
 * spills, for a while twice that, 20 in the segment and up to 55 in the index. Packed input is taken
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
