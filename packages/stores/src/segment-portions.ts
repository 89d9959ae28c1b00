import { MalformedBytes } from "./bytes.ts"
import { isPlainHead } from "./entry.ts"
import { entryOfRow, HEAD_BYTES, type SegmentBlock } from "./segment-block.ts"

const KEY_BYTES = 16

/**
 * Cuts the rows of a segment into portions of at least `rowsMin` rows, except the last; those after
 * the first have at least `laterMin`. A portion ends where an identity does, so that all its rows
 * are in one portion. Throws MalformedBytes if keys do not ascend or a row is no entry, so that
 * merging need not check. A portion is valid until the next block is added.
 */
export class PortionCutter {
  readonly #held = new Rows()
  readonly #later: number
  #least: number
  /** Rows of the portion that was given last. */
  #given = 0

  constructor(rowsMin: number, laterMin: number = rowsMin) {
    this.#least = rowsMin
    this.#later = laterMin
  }

  /** Takes a block, and returns the portion that it completes. */
  add(block: SegmentBlock): SegmentBlock | null {
    this.#drop()
    const held = this.#held
    held.add(block)
    if (held.count < this.#least || held.whole < this.#least) return null
    this.#given = held.whole
    this.#least = this.#later
    return held.first(this.#given)
  }

  /** The rows that are in no portion yet; null: there are none. */
  rest(): SegmentBlock | null {
    this.#drop()
    return this.#held.count === 0 ? null : this.#held.first(this.#held.count)
  }

  #drop(): void {
    if (this.#given > 0) this.#held.drop(this.#given)
    this.#given = 0
  }
}

/** All portions of a segment, as the cutter makes them. */
export async function* portionsOf(
  blocks: AsyncIterable<SegmentBlock>,
  rowsMin: number,
): AsyncGenerator<SegmentBlock> {
  const cutter = new PortionCutter(rowsMin)
  for await (const block of blocks) {
    const portion = cutter.add(block)
    if (portion !== null) yield portion
  }
  const rest = cutter.rest()
  if (rest !== null) yield rest
}

/** Columns that grow as blocks come in. */
class Rows {
  count = 0
  /**
   * How many rows there are before those of the last identity, which may go on in the next block.
   */
  whole = 0
  #keys = Buffer.alloc(0)
  #heads = Buffer.alloc(0)
  #extended = new Map<number, Uint8Array>()

  add({ count, keys, heads, extended }: SegmentBlock): void {
    this.#reserve(this.count + count)
    this.#keys.set(keys.subarray(0, count * KEY_BYTES), this.count * KEY_BYTES)
    this.#heads.set(heads.subarray(0, count * HEAD_BYTES), this.count * HEAD_BYTES)
    for (const [row, bytes] of extended) this.#extended.set(this.count + row, bytes)
    const from = this.count
    this.count += count
    for (let row = from; row < this.count; row++) this.#check(row)
  }

  first(rows: number): SegmentBlock {
    return {
      count: rows,
      keys: this.#keys.subarray(0, rows * KEY_BYTES),
      heads: this.#heads.subarray(0, rows * HEAD_BYTES),
      extended: this.#extended,
    }
  }

  drop(rows: number): void {
    this.#keys.copyWithin(0, rows * KEY_BYTES, this.count * KEY_BYTES)
    this.#heads.copyWithin(0, rows * HEAD_BYTES, this.count * HEAD_BYTES)
    const rest = new Map<number, Uint8Array>()
    for (const [row, bytes] of this.#extended) if (row >= rows) rest.set(row - rows, bytes)
    this.#extended = rest
    this.count -= rows
    this.whole = 0
  }

  #check(row: number): void {
    const at = row * HEAD_BYTES
    if (!isPlainHead(this.#heads, at)) {
      entryOfRow(this.#heads.subarray(at, at + HEAD_BYTES), this.#extended.get(row), 1)
    }
    if (row === 0) return
    const order = compareKeys(this.#keys, row - 1, row)
    if (order > 0) throw new MalformedBytes("a segment out of order")
    if (order < 0) this.whole = row
  }

  #reserve(rows: number): void {
    if (rows * KEY_BYTES <= this.#keys.length) return
    const room = 2 * rows
    const [keys, heads] = [this.#keys, this.#heads]
    this.#keys = Buffer.alloc(room * KEY_BYTES)
    this.#heads = Buffer.alloc(room * HEAD_BYTES)
    this.#keys.set(keys.subarray(0, this.count * KEY_BYTES))
    this.#heads.set(heads.subarray(0, this.count * HEAD_BYTES))
  }
}

function compareKeys(keys: Uint8Array, a: number, b: number): number {
  const [atA, atB] = [a * KEY_BYTES, b * KEY_BYTES]
  for (let i = 0; i < KEY_BYTES; i++) {
    const difference = (keys[atA + i] as number) - (keys[atB + i] as number)
    if (difference !== 0) return difference
  }
  return 0
}
