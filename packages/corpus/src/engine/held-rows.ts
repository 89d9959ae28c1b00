import type { KeyedRows } from "./keyed-rows.ts"
import {
  BlockBuilder,
  compareExtended,
  compareKeyed,
  EXTENDED_WORD,
  ROW_WORDS,
  wordsOf,
} from "./row-words.ts"

/**
 * Rows that arrive are put into buckets by the first bits of their keys. Keys are hashes, so
 * buckets fill evenly, and each is sorted by itself, in memory that a processor keeps close.
 */
const BUCKET_BITS = 9
const BUCKETS = 1 << BUCKET_BITS
const CHUNK_WORDS = 512 * ROW_WORDS
/** Memory is asked for in pieces of so many chunks: a small import takes little. */
const CHUNKS_AT_ONCE = 64
/** A bucket's rows are told apart by at most so many bits more before any two are compared. */
const SLOT_BITS_MAX = 16
/** More rows than this that begin alike are of one identity: they are sorted, not inserted. */
const INSERTED_MAX = 24

/** Keyed rows in memory, to be sorted. */
export class HeldRows {
  readonly #buckets: Uint32Array[][] = Array.from({ length: BUCKETS }, () => [])
  readonly #newest: Uint32Array[] = new Array<Uint32Array>(BUCKETS).fill(new Uint32Array(0))
  /** How many words of its newest chunk a bucket has used. */
  readonly #used = new Uint32Array(BUCKETS).fill(CHUNK_WORDS)
  readonly #free: Uint32Array[] = []
  readonly #extended = new ExtendedParts()
  #chunks = 0
  #gathered = new Uint32Array(0)
  #order = new Uint32Array(0)
  readonly #slots = new Uint32Array(1 << SLOT_BITS_MAX)

  /** What the rows take. */
  get bytes(): number {
    return this.#chunks * CHUNK_WORDS * 4 + this.#extended.bytes
  }

  /** No further frame can be taken, whatever memory there is. */
  get full(): boolean {
    return this.#extended.bytes > EXTENDED_BYTES_MAX
  }

  take({ count, keysHigh, keysLow, heads, extended }: KeyedRows): void {
    const [high, low, head] = [wordsOf(keysHigh), wordsOf(keysLow), wordsOf(heads)]
    const plain = extended.size === 0
    for (let row = 0, i = 0; row < count; row++, i += 2) {
      const first = high[i + 1] as number
      const bucket = first >>> (32 - BUCKET_BITS)
      let at = this.#used[bucket] as number
      if (at === CHUNK_WORDS) {
        this.#grow(bucket)
        at = 0
      }
      const chunk = this.#newest[bucket] as Uint32Array
      chunk[at] = first
      chunk[at + 1] = high[i] as number
      chunk[at + 2] = low[i + 1] as number
      chunk[at + 3] = low[i] as number
      chunk[at + 4] = head[i + 1] as number
      chunk[at + 5] = head[i] as number
      chunk[at + EXTENDED_WORD] = plain ? 0 : this.#extended.add(extended.get(row))
      this.#used[bucket] = at + ROW_WORDS
    }
  }

  /** All rows in order, each once; none is held any more at the end. */
  *sorted(): Generator<KeyedRows> {
    const blocks = new BlockBuilder()
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const count = this.#gather(bucket)
      this.#sort(count)
      for (let i = 0; i < count; i++) {
        const at = (this.#order[i] as number) * ROW_WORDS
        const number = this.#gathered[at + EXTENDED_WORD] as number
        blocks.add(this.#gathered, at, this.#extended.at(number))
        if (blocks.full) yield blocks.take()
      }
    }
    if (!blocks.empty) yield blocks.take()
    this.#extended.clear()
  }

  #grow(bucket: number): void {
    if (this.#free.length === 0) {
      const piece = new Uint32Array(CHUNKS_AT_ONCE * CHUNK_WORDS)
      for (let at = 0; at < piece.length; at += CHUNK_WORDS) {
        this.#free.push(piece.subarray(at, at + CHUNK_WORDS))
      }
    }
    const chunk = this.#free.pop() as Uint32Array
    this.#buckets[bucket]?.push(chunk)
    this.#newest[bucket] = chunk
    this.#chunks++
  }

  /** Brings the rows of a bucket together, and returns how many there are. */
  #gather(bucket: number): number {
    const chunks = this.#buckets[bucket] as Uint32Array[]
    const used = this.#used[bucket] as number
    const words = chunks.length === 0 ? 0 : (chunks.length - 1) * CHUNK_WORDS + used
    if (this.#gathered.length < words) this.#gathered = new Uint32Array(words)
    for (const [n, chunk] of chunks.entries()) {
      const rest = words - n * CHUNK_WORDS
      this.#gathered.set(rest < CHUNK_WORDS ? chunk.subarray(0, rest) : chunk, n * CHUNK_WORDS)
      this.#free.push(chunk)
    }
    this.#chunks -= chunks.length
    this.#buckets[bucket] = []
    this.#used[bucket] = CHUNK_WORDS
    return words / ROW_WORDS
  }

  /** Puts the numbers of the gathered rows into order. */
  #sort(count: number): void {
    if (this.#order.length < count) this.#order = new Uint32Array(count)
    const [words, order, slots] = [this.#gathered, this.#order, this.#slots]
    const bits = Math.min(SLOT_BITS_MAX, Math.max(1, 32 - Math.clz32(count)))
    const slotOf = (row: number): number =>
      ((words[row * ROW_WORDS] as number) << BUCKET_BITS) >>> (32 - bits)
    const all = 1 << bits
    slots.fill(0, 0, all)
    for (let row = 0; row < count; row++) {
      const slot = slotOf(row)
      slots[slot] = (slots[slot] as number) + 1
    }
    for (let slot = 0, from = 0; slot < all; slot++) {
      const rows = slots[slot] as number
      slots[slot] = from
      from += rows
    }
    // From here on a slot says where its next row goes, and in the end where the next slot begins.
    for (let row = 0; row < count; row++) {
      const slot = slotOf(row)
      const to = slots[slot] as number
      order[to] = row
      slots[slot] = to + 1
    }
    for (let slot = 0, from = 0; slot < all; slot++) {
      const to = slots[slot] as number
      if (to - from > INSERTED_MAX) {
        order.subarray(from, to).sort((a, b) => this.#compare(a, b))
      } else {
        for (let next = from + 1; next < to; next++) this.#insert(from, next)
      }
      from = to
    }
  }

  #insert(from: number, next: number): void {
    const order = this.#order
    const row = order[next] as number
    let to = next
    for (; to > from && this.#compare(order[to - 1] as number, row) > 0; to--) {
      order[to] = order[to - 1] as number
    }
    order[to] = row
  }

  #compare(a: number, b: number): number {
    const words = this.#gathered
    const [atA, atB] = [a * ROW_WORDS, b * ROW_WORDS]
    const order = compareKeyed(words, atA, words, atB)
    if (order !== 0) return order
    const [one, other] = [
      words[atA + EXTENDED_WORD] as number,
      words[atB + EXTENDED_WORD] as number,
    ]
    if (one === other) return 0
    return compareExtended(this.#extended.at(one), this.#extended.at(other))
  }
}

const PAGE_BYTES = 1 << 20
/** Their numbers have 32 bits, and a frame adds less than this leaves. */
const EXTENDED_BYTES_MAX = 2 ** 32 - 8 * PAGE_BYTES

/** Extended parts by number, each with its length before it. */
class ExtendedParts {
  #pages: Uint8Array[] = []
  #used = PAGE_BYTES

  get bytes(): number {
    return this.#pages.length * PAGE_BYTES
  }

  /** 0 for none. */
  add(part: Uint8Array | undefined): number {
    if (part === undefined) return 0
    if (this.#used + 1 + part.length > PAGE_BYTES) {
      this.#pages.push(new Uint8Array(PAGE_BYTES))
      this.#used = 0
    }
    const page = this.#pages[this.#pages.length - 1] as Uint8Array
    const at = this.#used
    page[at] = part.length
    page.set(part, at + 1)
    this.#used += 1 + part.length
    return (this.#pages.length - 1) * PAGE_BYTES + at + 1
  }

  at(number: number): Uint8Array | null {
    if (number === 0) return null
    const page = this.#pages[Math.floor((number - 1) / PAGE_BYTES)] as Uint8Array
    const at = (number - 1) % PAGE_BYTES
    return page.subarray(at + 1, at + 1 + (page[at] as number))
  }

  clear(): void {
    this.#pages = []
    this.#used = PAGE_BYTES
  }
}
