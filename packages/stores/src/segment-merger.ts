import { MalformedBytes, putVarint } from "./bytes.ts"
import type { Batch } from "./catalogue.ts"
import { type Entry, ENTRY_BYTES_MAX, isExtendedHead } from "./entry.ts"
import { type BatchState, entriesStart, mergedEntrySet } from "./entry-set.ts"
import { compareSpans, readSpan, span } from "./entry-spans.ts"
import { entryOfRow, HEAD_BYTES, type SegmentBlock } from "./segment-block.ts"
import { UnknownBatch } from "./stored-set.ts"

/**
 * Values up to this length are lent from views made once: making one costs as much as filling it.
 */
const VIEWS_MAX = 256

/**
 * Merges the rows of one batch, taken from a segment, into the stored sets of their identities.
 * Gives the same bytes as mergedEntrySet, but for nearly all identities without reading an entry: a
 * new identity's set is its rows with the batch written in, a known one's is a merge of two sorted
 * lists. Cases that need a decision (something to cut, something cut before, something of a removed
 * batch) take the general path. Returned bytes are valid until the next call.
 */
export class SegmentMerger {
  readonly #batchId: number
  readonly #batchBytes: Uint8Array
  readonly #entriesMax: number
  /** The set of an identity that is not stored yet; `#ends` has the end of each entry. */
  readonly #fresh: Buffer
  readonly #ends: Uint32Array
  readonly #joined: Buffer
  readonly #freshViews: Uint8Array[] = []
  readonly #joinedViews: Uint8Array[] = []
  #batches: ReadonlyMap<number, Batch> = new Map()
  /** Live batches of the same source: an entry that one of them has too counts as known. */
  #siblings: ReadonlySet<number> = new Set()
  #portion: SegmentBlock | null = null
  #from = 0
  #to = 0
  /**
   * True once the rows stand in `#fresh`; false if there are too many, or they are not in the order
   * of a set.
   */
  #spelled = false

  constructor(batchId: number, entriesMax: number) {
    this.#batchId = batchId
    const bytes = Buffer.alloc(5)
    this.#batchBytes = bytes.subarray(0, putVarint(batchId, bytes, 0))
    this.#entriesMax = entriesMax
    // Room for the most entries a set has, and for as many again that the long way would cut.
    this.#fresh = Buffer.allocUnsafeSlow(1 + entriesMax * ENTRY_BYTES_MAX)
    this.#joined = Buffer.allocUnsafeSlow(1 + 2 * entriesMax * ENTRY_BYTES_MAX)
    this.#ends = new Uint32Array(entriesMax + 1)
    this.#fresh[0] = 0
    this.#joined[0] = 0
  }

  /** The catalogue that holds from here on. */
  useBatches(batches: ReadonlyMap<number, Batch>): void {
    this.#batches = batches
    const sourceId = batches.get(this.#batchId)?.sourceId
    const siblings = new Set<number>()
    for (const { id, state, sourceId: of } of batches.values()) {
      if (of === sourceId && state === "live" && id !== this.#batchId) siblings.add(id)
    }
    this.#siblings = siblings
  }

  /** Sets the rows for the next calls: all rows of one identity. */
  take(portion: SegmentBlock, from: number, to: number): void {
    this.#portion = portion
    this.#from = from
    this.#to = to
    this.#spelled = to - from <= this.#entriesMax && this.#spell(portion, from, to)
  }

  /** The set of an identity of which nothing is stored. */
  freshSet(): Uint8Array {
    return this.spelledSet() ?? this.#longWay(undefined)
  }

  /** The same, or null where making it needs the catalogue. */
  spelledSet(): Uint8Array | null {
    if (!this.#spelled) return null
    return view(this.#fresh, this.#freshViews, this.#ends[this.#to - this.#from] as number)
  }

  /** The stored set with the rows added, or null if it has them all. */
  joinedSet(stored: Uint8Array): Uint8Array | null {
    const length = this.#spelled ? this.#join(stored) : UNDECIDED
    if (length === UNCHANGED) return null
    if (length > 0) return view(this.#joined, this.#joinedViews, length)
    const joined = this.#longWay(Uint8Array.prototype.slice.call(stored, 0, stored.length))
    return Buffer.compare(joined, stored.subarray(0, stored.length)) === 0 ? null : joined
  }

  /** How many of the rows another live batch of the same source has too. */
  countKnown(stored: Uint8Array): number {
    if (this.#siblings.size === 0 || this.#portion === null) return 0
    const length = stored.length
    const said: number[] = []
    for (let at = entriesStart(stored); at < length;) {
      const end = readSpan(stored, at, length)
      if (end < 0) throw new MalformedBytes("a set that cannot be read")
      if (this.#siblings.has(span.batchId)) said.push(at, span.extendedAt, end)
      at = end
    }
    let known = 0
    for (let row = this.#from; said.length > 0 && row < this.#to; row++) {
      for (let i = 0; i < said.length; i += 3) {
        if (!saysSame(this.#portion, row, stored, said[i], said[i + 1], said[i + 2])) continue
        known++
        break
      }
    }
    return known
  }

  #spell({ heads, extended }: SegmentBlock, from: number, to: number): boolean {
    const into = this.#fresh
    const batch = this.#batchBytes
    let at = 1
    this.#ends[0] = 1
    for (let row = from; row < to; row++) {
      const start = at
      for (let i = row * HEAD_BYTES, end = i + HEAD_BYTES; i < end; i++) {
        into[at++] = heads[i] as number
      }
      for (let i = 0; i < batch.length; i++) into[at++] = batch[i] as number
      if (isExtendedHead(into, start)) {
        const rest = extended.get(row)
        if (rest === undefined) return false
        into.set(rest, at)
        at += rest.length
      }
      const count = row - from
      this.#ends[count + 1] = at
      if (count > 0) {
        const before = this.#ends[count - 1] as number
        if (compareSpans(into, before, start, into, start, at) >= 0) return false
      }
    }
    return true
  }

  /**
   * The length of the result in `#joined`; UNCHANGED; or UNDECIDED if it needs the general path.
   */
  #join(stored: Uint8Array): number {
    if (stored[0] !== 0) return UNDECIDED
    const length = stored.length
    const into = this.#joined
    const count = this.#to - this.#from
    let next = 0
    let added = 0
    let entries = 0
    let to = 1
    for (let at = 1; at < length;) {
      const end = readSpan(stored, at, length)
      if (end < 0) return UNDECIDED
      const state = this.#batches.get(span.batchId)?.state
      if (state === undefined || state === "removed") return UNDECIDED
      while (next < count) {
        const start = this.#ends[next] as number
        const stop = this.#ends[next + 1] as number
        const order = compareSpans(this.#fresh, start, stop, stored, at, end)
        if (order > 0) break
        next++
        if (order === 0) break
        to = copySpan(this.#fresh, start, stop, into, to)
        added++
      }
      to = copySpan(stored, at, end, into, to)
      // Beyond the maximum something must be cut, which the general path does; it would not fit
      // here.
      if (++entries + added > this.#entriesMax) return UNDECIDED
      at = end
    }
    if (entries + added + count - next > this.#entriesMax) return UNDECIDED
    if (next < count) {
      const stop = this.#ends[count] as number
      to = copySpan(this.#fresh, this.#ends[next] as number, stop, into, to)
      added += count - next
    }
    return added === 0 ? UNCHANGED : to
  }

  #longWay(stored: Uint8Array | undefined): Uint8Array {
    const stateOf = (batchId: number): BatchState => {
      const batch = this.#batches.get(batchId)
      if (batch === undefined) throw new UnknownBatch("entry of an unknown batch")
      return batch.state
    }
    return mergedEntrySet(stored, this.#entries(), this.#entriesMax, stateOf)
  }

  #entries(): Entry[] {
    const entries: Entry[] = []
    const { heads, extended } = this.#portion as SegmentBlock
    for (let row = this.#from; row < this.#to; row++) {
      const head = heads.subarray(row * HEAD_BYTES, (row + 1) * HEAD_BYTES)
      entries.push(entryOfRow(head, extended.get(row), this.#batchId))
    }
    return entries
  }
}

const UNCHANGED = 0
const UNDECIDED = -1

function saysSame(
  { heads, extended }: SegmentBlock,
  row: number,
  stored: Uint8Array,
  start = 0,
  extendedAt = 0,
  end = 0,
): boolean {
  const head = row * HEAD_BYTES
  if (compareSpans(heads, head, head + HEAD_BYTES, stored, start, start + HEAD_BYTES) !== 0) {
    return false
  }
  const rest = extended.get(row)
  if (rest === undefined) return extendedAt === end
  return compareSpans(rest, 0, rest.length, stored, extendedAt, end) === 0
}

function copySpan(
  from: Uint8Array,
  start: number,
  end: number,
  into: Uint8Array,
  at: number,
): number {
  for (let i = start; i < end; i++) into[at++] = from[i] as number
  return at
}

function view(bytes: Buffer, views: Uint8Array[], length: number): Uint8Array {
  if (length > VIEWS_MAX) return bytes.subarray(0, length)
  return (views[length] ??= bytes.subarray(0, length))
}
