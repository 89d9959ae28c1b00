import { existsSync, mkdirSync, renameSync, rmSync, statfsSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { IDENTITY_TAGS, identityKey } from "@assay/core/identity"
import type { DataDirectory } from "@assay/runtime/data-directory"
import { sha256 } from "@assay/runtime/secrets"
import { HOUR_MS } from "@assay/runtime/time"
import type { Batch, MergedSegment, SegmentBlock } from "@assay/stores/exposure-index"
import { type ReaderChild, startSorter } from "./engine/children.ts"
import type { Examined } from "./engine/examine.ts"
import { ImportFailure } from "./engine/import-failure.ts"
import { type KeyedRows, SegmentBlocks } from "./engine/keyed-rows.ts"
import type { ReadJob, ReadResult, ReadTally } from "./engine/reader.ts"
import { unfinishedRejects } from "./engine/reject-file.ts"
import { bothDone } from "./engine/side-by-side.ts"
import { sortHere, type SortedHere } from "./engine/sort-here.ts"
import type { SortedSegment, SorterOptions, SortProgress } from "./engine/sorter.ts"
import type { SegmentWork } from "./import-request.ts"
import { keepSegment, type KeptSegment, segmentFile, unfinishedSegment } from "./kept-segment.ts"
import { isPacked, PACKED_FACTOR, readingThreads } from "./reading-threads.ts"
import { RowsExpected } from "./rows-expected.ts"
import { GROUP_ROWS } from "./segments/segment-writer.ts"

/**
 * The name of what a stream gives until all of it was read: only then it is known what it is. One
 * import runs at a time, so there is one of it.
 */
export const STREAMED = "streamed"

/** A segment that lasts, and what the index made of its rows where it has them already. */
export interface MadeSegment {
  readonly kept: KeptSegment
  readonly merged: Merged | null
}
export type Merged = { readonly batch: Batch; readonly merged: MergedSegment }

/** What is known once all is read. */
export interface AllRead {
  readonly tally: ReadTally
  readonly digest: ReadResult["digest"]
}

export interface SegmentSteps {
  /** Gives its fingerprint; null where the same is there already, and then nothing is kept. */
  readonly nameOf: (read: AllRead) => Promise<string | null>
  /** Brings rows into the index, while their segment is written or when it is kept. */
  readonly merge: (
    fingerprint: string,
    read: AllRead,
    startedAtMs: number,
    rows: SortedRows,
  ) => Promise<Merged>
}
export interface SortedRows {
  readonly blocks: AsyncIterable<SegmentBlock>
  /** How many there are at most. */
  readonly rowsMax: number
}

/**
 * Reads, keys and sorts the input into a segment that lasts, and has its rows merged. Of a large
 * input they are merged while the segment is written: whoever is killed before it is kept begins
 * anew, with another batch.
 */
export async function makeSegment(
  work: SegmentWork,
  examined: Examined,
  reader: ReaderChild,
  pids: number[],
  workName: string,
  { nameOf, merge }: SegmentSteps,
): Promise<MadeSegment | null> {
  const { request, reach, watch, keyedAs } = work
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
  const isSmall = request.streamed === undefined && examined.totalBytes <= SMALL_BYTES
  const sorter = isSmall ? null : startSorter(program, reader)
  if (sorter !== null) pids.push(sorter.pid)
  const endSorter = (): void => void sorter?.kill()
  signal.addEventListener("abort", endSorter)
  let merging: Promise<Merged> | null = null
  try {
    const { identity } = secrets.subkeys
    const domains = (await reach.watchedDomains?.()) ?? []
    const options: SorterOptions = {
      workDirectory,
      segment,
      keyCheckValue: secrets.checkValue,
      memoryMb: request.memoryMb,
      domains: domains.map((domain) =>
        Buffer.from(identityKey(sha256, identity, IDENTITY_TAGS.domain, domain)).toString("hex"),
      ),
    }
    let progressOfSorting: SortingProgress | null = null
    const onSorted = (sorted: SortProgress): void => progressOfSorting?.note(sorted)
    const sorting =
      sorter === null ? sortHere(reader, options, onSorted) : sorter.sort(options, onSorted)
    const threads = readingThreads(examined, {
      cores: availableParallelism(),
      isStream: request.streamed !== undefined,
    })
    const reading = reader.read(
      readJob(work, { startedAtMs, domains, rejects, threads }),
      ({ bytes, rows, rejected }) =>
        watch.progress({
          ...{ phase: "reading", rows, rejected },
          ...{ done: bytes, total: examined.totalBytes },
        }),
    )
    const read = await readBeside(reading, sorting)
    const { tally } = read
    const rejected = rejectedIn(tally)
    const { rows } = tally
    const { totalBytes } = examined
    watch.progress({ phase: "reading", rows, rejected, done: totalBytes, total: totalBytes })
    refuseNothing(tally, rejects)
    // Rows are merged as soon as a group of them is sorted, or when all are.
    const awaited = sorter === null ? rows : Math.min(rows, GROUP_ROWS)
    const tell = (done: number, total: number): void =>
      watch.progress({ phase: "sorting", rows, rejected, done, total })
    const sortingProgress = new SortingProgress(awaited, tell)
    progressOfSorting = sortingProgress
    const fingerprint = await nameOf(read)
    if (fingerprint === null) return null
    const keep = async ({ rows, bytes, sha256: hash }: SortedSegment): Promise<KeptSegment> => {
      if (fingerprint !== workName) {
        if (existsSync(rejects)) renameSync(rejects, rejectsOf(fingerprint))
        renameSync(segment, unfinishedSegment(directory, fingerprint))
      }
      const kept: KeptSegment = {
        startedAtMs,
        segment: { file: segmentFile(fingerprint), bytes, sha256: hash },
        rows,
        keyedAs,
        tally,
        rejects: rejectsOf(fingerprint),
      }
      await keepSegment(directory, fingerprint, kept)
      return kept
    }
    // The first sorted row shows that the sorter has all of them: the reader's memory is wanted.
    const rowsOf = (sorted: AsyncIterable<KeyedRows> | Iterable<KeyedRows>): SortedRows => ({
      blocks: segmentBlocks(sorted, () => {
        sortingProgress.end()
        void reader.kill()
      }),
      rowsMax: rows,
    })
    if (sorter === null) {
      const sorted = (await sorting) as SortedHere
      sortingProgress.end()
      const kept = await keep(sorted)
      if (sorted.kept === null) return { kept, merged: null }
      merging = merge(fingerprint, read, startedAtMs, rowsOf(sorted.kept))
      return { kept, merged: await merging }
    }
    merging = merge(fingerprint, read, startedAtMs, rowsOf(sorter.sorted()))
    const [merged, kept] = await bothDone(merging, sorting.then(keep))
    return { kept, merged }
  } finally {
    signal.removeEventListener("abort", endSorter)
    await Promise.all([reader.kill(), sorter?.kill()])
    // The index is not closed while rows are merged: they end with the sorter.
    await merging?.catch(() => undefined)
    rmSync(workDirectory, { recursive: true, force: true })
    rmSync(segment, { force: true })
    if (workName === STREAMED) rmSync(rejects, { force: true })
    // A reader that was killed could not remove it itself.
    rmSync(unfinishedRejects(rejects), { force: true })
  }
}

/** Tells how far sorting is, until the first rows of it are merged. */
class SortingProgress {
  readonly #awaited: number
  readonly #expected: RowsExpected
  readonly #tell: (done: number, total: number) => void
  #total: number
  #isOver = false

  constructor(awaited: number, tell: (done: number, total: number) => void) {
    this.#awaited = awaited
    this.#expected = new RowsExpected(awaited)
    this.#tell = tell
    this.#total = awaited
    tell(0, awaited)
  }

  note({ rows, first }: SortProgress): void {
    if (this.#isOver) return
    const done = Math.min(rows, this.#awaited)
    this.#expected.came(rows, first)
    this.#total = this.#expected.totalFor(done)
    this.#tell(done, this.#total)
  }

  end(): void {
    if (!this.#isOver) this.#tell(this.#total, this.#total)
    this.#isOver = true
  }
}

/** The result of reading, unless the sorter fails before: who caused it says why. */
async function readBeside(
  reading: Promise<ReadResult>,
  sorting: Promise<unknown>,
): Promise<ReadResult> {
  const both = bothDone(reading, sorting)
  both.catch(() => undefined)
  return await Promise.race([
    both.then(([read]) => read),
    reading.catch(async () => (await both)[0]),
  ])
}

function readJob(
  { request, reach, keyedAs, taken }: SegmentWork,
  {
    startedAtMs,
    domains,
    ...how
  }: Pick<ReadJob, "rejects" | "threads"> & {
    readonly startedAtMs: number
    readonly domains: readonly string[]
  },
): ReadJob {
  const { identity, alias, password } = reach.secrets.subkeys
  const hours = Math.floor(startedAtMs / HOUR_MS)
  return {
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
    ...how,
  }
}

async function* segmentBlocks(
  sorted: AsyncIterable<KeyedRows> | Iterable<KeyedRows>,
  onFirst: () => void,
): AsyncGenerator<SegmentBlock> {
  const made = new SegmentBlocks()
  let first = true
  for await (const rows of sorted) {
    if (first) onFirst()
    first = false
    yield made.of(rows)
  }
}

/** Below this, the files of an import as they lie on the disk are sorted by the command itself. */
const SMALL_BYTES = 4e6

export function rejectedIn({ rejects }: ReadTally): number {
  return Object.values(rejects).reduce((sum, count) => sum + count, 0)
}

function refuseNothing(tally: ReadTally, list: string): void {
  if (tally.rows > 0) return
  const rejected = rejectedIn(tally)
  throw new ImportFailure(
    "input",
    rejected === 0
      ? "There is no row in the input"
      : `None of ${rejected} rows could be imported; ${list} says why`,
  )
}

/**
 * What an import writes, against the bytes of its input: a row of 30 bytes takes 24 where the
 * sorter spills, for a while twice that, 20 in the segment and up to 55 in the index.
 */
const DISK_FACTOR = 4

function refuseFullDisk(directory: DataDirectory, paths: readonly string[], bytes: number): void {
  const needed = bytes * DISK_FACTOR * (isPacked(paths) ? PACKED_FACTOR : 1)
  const { bavail, bsize } = statfsSync(directory.path)
  if (bavail * bsize >= needed) return
  const megabytes = (count: number): string => (count / 1e6).toFixed(0)
  throw new ImportFailure(
    "disk-full",
    `The import may need ${megabytes(needed)} MB of disk, and ${megabytes(bavail * bsize)} MB are free`,
  )
}
