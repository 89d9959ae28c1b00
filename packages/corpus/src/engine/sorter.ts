import { SegmentWriter, type WrittenSegment } from "../segments/segment-writer.ts"
import { HeldRows } from "./held-rows.ts"
import { DOMAIN_MARK, type KeyedRows } from "./keyed-rows.ts"
import { wordsOf } from "./row-words.ts"
import { mergeSorted, SortedRuns } from "./sorted-runs.ts"

export interface SorterOptions {
  /** A directory for what does not fit into memory: keyed rows, never anything else. */
  readonly workDirectory: string
  /** Where the segment is written. */
  readonly segment: string
  readonly keyCheckValue: string
  readonly memoryMb: number
  /** The keys of watched domains, by the numbers that marks have. */
  readonly domains: readonly string[]
}

export type SortedSegment = WrittenSegment

/** How far sorting has come: how many rows there are, and how the key of the last one begins. */
export interface SortProgress {
  readonly rows: number
  /** The first four bytes, as a number. */
  readonly first: number
}

/** Of its memory, what rows may take: the rest is for what is on its way in and out. */
const HELD_SHARE = 0.75

/** How far sorting may be ahead of whoever takes the sorted rows. */
const AHEAD_ROWS = 2_500_000

/**
 * Sorts keyed rows, drops duplicates, and writes them as a segment. The segment is on the disk when
 * this resolves. `onSorted` gets its rows in order, each group once it is written and the last one
 * when the segment is whole: a disk that has no room for a small segment is noticed before any row
 * is handed on.
 */
export async function sortIntoSegment(
  frames: AsyncIterable<KeyedRows>,
  { workDirectory, segment, keyCheckValue, memoryMb, domains }: SorterOptions,
  onSorted: (rows: KeyedRows) => Promise<void> = async () => undefined,
  onProgress: (progress: SortProgress) => void = () => undefined,
): Promise<SortedSegment> {
  const held = new HeldRows()
  const runs = new SortedRuns(workDirectory)
  const heldMax = memoryMb * 1e6 * HELD_SHARE
  for await (const frame of frames) {
    held.take(frame)
    if (held.bytes > heldMax || held.full) await runs.add(held.sorted())
  }
  const sorted = runs.none ? held.sorted() : mergeSorted([...runs.open(), held.sorted()])
  const marks = new DomainMarks(domains)
  const writer = await SegmentWriter.open(segment)
  const handed = new HandedOn(onSorted)
  try {
    let group: KeyedRows[] = []
    let written = Promise.resolve()
    let count = 0
    for await (const rows of sorted) {
      count += rows.count
      if (rows.count > 0) onProgress({ rows: count, first: lastFirst(rows) })
      const entries = marks.takenFrom(rows)
      writer.add(entries)
      group.push(entries)
      if (!writer.full) continue
      // The group before is compressed and written while this one is sorted.
      await written
      written = writer.flush()
      // The next turn reports the error.
      written.catch(() => undefined)
      handed.after(written, group)
      group = []
      await handed.atMost(AHEAD_ROWS)
    }
    await written
    const made = await writer.finish({
      key_check: keyCheckValue,
      domains: JSON.stringify(marks.counts()),
    })
    handed.after(written, group)
    await handed.atMost(0)
    return made
  } catch (error) {
    await writer.close()
    throw error
  }
}

function lastFirst({ count, keysHigh }: KeyedRows): number {
  return keysHigh.readUInt32LE((count - 1) * 8 + 4)
}

/** Hands rows on one after the other, and knows how many wait. */
class HandedOn {
  readonly #take: (rows: KeyedRows) => Promise<void>
  #waiting = 0
  #last: Promise<void> = Promise.resolve()
  readonly #ends: Promise<void>[] = []

  constructor(take: (rows: KeyedRows) => Promise<void>) {
    this.#take = take
  }

  after(written: Promise<void>, group: readonly KeyedRows[]): void {
    for (const rows of group) this.#waiting += rows.count
    this.#last = this.#handOn(this.#last, written, group)
    // `atMost` reports the error.
    this.#last.catch(() => undefined)
    this.#ends.push(this.#last)
  }

  /** Resolves when at most so many rows wait. */
  async atMost(rows: number): Promise<void> {
    while (this.#waiting > rows || (rows === 0 && this.#ends.length > 0)) await this.#ends.shift()
  }

  async #handOn(
    before: Promise<void>,
    written: Promise<void>,
    group: readonly KeyedRows[],
  ): Promise<void> {
    await before
    await written
    for (const rows of group) {
      await this.#take(rows)
      this.#waiting -= rows.count
    }
  }
}

/** Counts how many different identities are marked for each domain, and takes the marks out. */
class DomainMarks {
  readonly #domains: readonly string[]
  readonly #counts: number[]

  constructor(domains: readonly string[]) {
    this.#domains = domains
    this.#counts = domains.map(() => 0)
  }

  /** The rows of a block that are entries. */
  takenFrom(rows: KeyedRows): KeyedRows {
    if (this.#domains.length === 0) return rows
    const heads = wordsOf(rows.heads)
    const entries: number[] = []
    for (let row = 0; row < rows.count; row++) {
      if (heads[2 * row + 1] !== DOMAIN_MARK) entries.push(row)
      else this.#count(heads[2 * row] as number)
    }
    return entries.length === rows.count ? rows : only(rows, entries)
  }

  /** By key; a domain of which there is no identity is not named. */
  counts(): Record<string, number> {
    return Object.fromEntries(
      this.#domains.flatMap((key, place) => {
        const count = this.#counts[place] as number
        return count === 0 ? [] : [[key, count]]
      }),
    )
  }

  #count(place: number): void {
    const before = this.#counts[place]
    if (before !== undefined) this.#counts[place] = before + 1
  }
}

function only(rows: KeyedRows, wanted: readonly number[]): KeyedRows {
  const column = (bytes: Buffer): Buffer => {
    const taken = Buffer.allocUnsafeSlow(wanted.length * 8)
    for (const [to, row] of wanted.entries()) bytes.copy(taken, to * 8, row * 8, row * 8 + 8)
    return taken
  }
  const extended = new Map<number, Uint8Array>()
  for (const [to, row] of wanted.entries()) {
    const part = rows.extended.get(row)
    if (part !== undefined) extended.set(to, part)
  }
  return {
    count: wanted.length,
    keysHigh: column(rows.keysHigh),
    keysLow: column(rows.keysLow),
    heads: column(rows.heads),
    extended,
  }
}
