import { BLOCK_ROWS } from "../segments/segment-writer.ts"
import type { KeyedRows } from "./keyed-rows.ts"

/**
 * Rows as the sorter holds them: one after the other, each as words of 32 bits. High and low half
 * of the key and the head, each with its more significant word first, so that rows compare word by
 * word; then the number of the extended part, 0 for none, in a table of whoever holds the rows.
 */
export const ROW_WORDS = 7
const KEYED_WORDS = 6
export const EXTENDED_WORD = 6

/** A column of 64-bit little-endian numbers as words: of each the less significant first. */
export function wordsOf(column: Buffer): Uint32Array {
  const { buffer, byteOffset, length } = column
  // Pieces of a stream begin anywhere.
  return byteOffset % 4 === 0
    ? new Uint32Array(buffer, byteOffset, length / 4)
    : new Uint32Array(Uint8Array.from(column).buffer)
}

/** The order of two rows but for their extended parts. */
export function compareKeyed(a: Uint32Array, atA: number, b: Uint32Array, atB: number): number {
  for (let i = 0; i < KEYED_WORDS; i++) {
    const [one, other] = [a[atA + i] as number, b[atB + i] as number]
    if (one !== other) return one < other ? -1 : 1
  }
  return 0
}

/** The order of extended parts: by their bytes, and a row without one comes last. */
export function compareExtended(a: Uint8Array | null, b: Uint8Array | null): number {
  if (a === null || b === null) return (a === null ? 1 : 0) - (b === null ? 1 : 0)
  return Buffer.compare(a, b)
}

/** Collects rows that come in order into blocks, each row once. */
export class BlockBuilder {
  #block = newBlock()
  #count = 0
  readonly #last = new Uint32Array(KEYED_WORDS)
  #lastExtended: Uint8Array | null = null
  #any = false

  get full(): boolean {
    return this.#count === BLOCK_ROWS
  }

  get empty(): boolean {
    return this.#count === 0
  }

  add(words: Uint32Array, at: number, extended: Uint8Array | null): void {
    const last = this.#last
    if (
      this.#any &&
      last[3] === words[at + 3] &&
      compareKeyed(last, 0, words, at) === 0 &&
      compareExtended(this.#lastExtended, extended) === 0
    ) {
      return
    }
    this.#any = true
    this.#lastExtended = extended
    const { keysHigh, keysLow, heads } = this.#block
    const to = this.#count * 2
    keysHigh[to + 1] = last[0] = words[at] as number
    keysHigh[to] = last[1] = words[at + 1] as number
    keysLow[to + 1] = last[2] = words[at + 2] as number
    keysLow[to] = last[3] = words[at + 3] as number
    heads[to + 1] = last[4] = words[at + 4] as number
    heads[to] = last[5] = words[at + 5] as number
    if (extended !== null) this.#block.extended.set(this.#count, extended)
    this.#count++
  }

  /** The rows so far; the next block begins empty. */
  take(): KeyedRows {
    const { keysHigh, keysLow, heads, extended } = this.#block
    const count = this.#count
    const column = (words: Uint32Array): Buffer => Buffer.from(words.buffer, 0, count * 8)
    this.#block = newBlock()
    this.#count = 0
    return {
      count,
      keysHigh: column(keysHigh),
      keysLow: column(keysLow),
      heads: column(heads),
      extended,
    }
  }
}

function newBlock(): {
  readonly keysHigh: Uint32Array<ArrayBuffer>
  readonly keysLow: Uint32Array<ArrayBuffer>
  readonly heads: Uint32Array<ArrayBuffer>
  readonly extended: Map<number, Uint8Array>
} {
  const column = (): Uint32Array<ArrayBuffer> => new Uint32Array(2 * BLOCK_ROWS)
  return { keysHigh: column(), keysLow: column(), heads: column(), extended: new Map() }
}
