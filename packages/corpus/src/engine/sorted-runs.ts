import { createReadStream } from "node:fs"
import { open, rm } from "node:fs/promises"
import { join } from "node:path"
import { END_FRAME, frameOf, type KeyedRows, readFrames } from "./keyed-rows.ts"
import {
  BlockBuilder,
  compareExtended,
  compareKeyed,
  EXTENDED_WORD,
  ROW_WORDS,
  wordsOf,
} from "./row-words.ts"

/** So many are read at once; when there are more, they are first made into one. */
const RUNS_MAX = 128
const READ_BYTES = 1 << 18

/** Rows that did not fit into memory, in files of sorted rows: frames, as they arrived in. */
export class SortedRuns {
  readonly #directory: string
  #paths: string[] = []
  #made = 0

  constructor(directory: string) {
    this.#directory = directory
  }

  get none(): boolean {
    return this.#paths.length === 0
  }

  async add(rows: Iterable<KeyedRows>): Promise<void> {
    this.#paths.push(await this.#write(rows))
    if (this.#paths.length < RUNS_MAX) return
    const whole = this.#paths
    this.#paths = [await this.#write(mergeSorted(this.open()))]
    for (const path of whole) await rm(path)
  }

  open(): AsyncIterable<KeyedRows>[] {
    return this.#paths.map((path) =>
      readFrames(createReadStream(path, { highWaterMark: READ_BYTES })),
    )
  }

  async #write(rows: Iterable<KeyedRows> | AsyncIterable<KeyedRows>): Promise<string> {
    const path = join(this.#directory, `run-${++this.#made}`)
    const file = await open(path, "wx", 0o600)
    try {
      for await (const block of rows) await file.writeFile(frameOf(block))
      await file.writeFile(END_FRAME)
    } finally {
      await file.close()
    }
    return path
  }
}

/** Makes one sorted sequence of several, each row once. */
export async function* mergeSorted(
  sources: readonly (AsyncIterable<KeyedRows> | Iterable<KeyedRows>)[],
): AsyncGenerator<KeyedRows> {
  // A heap: each cursor is at a row that comes before those of the two below it.
  const heap: Cursor[] = []
  for (const source of sources) {
    const cursor = new Cursor(source)
    if (await cursor.fill()) heap.push(cursor)
  }
  for (let at = heap.length >> 1; at >= 0; at--) sink(heap, at)
  const blocks = new BlockBuilder()
  while (heap.length > 0) {
    const first = heap[0] as Cursor
    blocks.add(first.words, first.at, first.extended())
    if (blocks.full) yield blocks.take()
    first.at += ROW_WORDS
    if (first.at === first.end && !(await first.fill())) {
      const last = heap.pop() as Cursor
      if (heap.length > 0) heap[0] = last
    }
    sink(heap, 0)
  }
  if (!blocks.empty) yield blocks.take()
}

/** Where reading a sorted sequence is. */
class Cursor {
  words = new Uint32Array(0)
  at = 0
  end = 0
  #extended: Uint8Array[] = []
  readonly #blocks: AsyncIterator<KeyedRows> | Iterator<KeyedRows>

  constructor(blocks: AsyncIterable<KeyedRows> | Iterable<KeyedRows>) {
    this.#blocks =
      Symbol.asyncIterator in blocks ? blocks[Symbol.asyncIterator]() : blocks[Symbol.iterator]()
  }

  extended(): Uint8Array | null {
    const number = this.words[this.at + EXTENDED_WORD] as number
    return number === 0 ? null : (this.#extended[number - 1] as Uint8Array)
  }

  /** Goes on to the next block; false where there is none. */
  async fill(): Promise<boolean> {
    const next = await this.#blocks.next()
    if (next.done === true) return false
    const { count, keysHigh, keysLow, heads, extended } = next.value
    const [high, low, head] = [wordsOf(keysHigh), wordsOf(keysLow), wordsOf(heads)]
    if (this.words.length < count * ROW_WORDS) this.words = new Uint32Array(count * ROW_WORDS)
    const words = this.words
    this.#extended = []
    for (let row = 0, at = 0, i = 0; row < count; row++, at += ROW_WORDS, i += 2) {
      words[at] = high[i + 1] as number
      words[at + 1] = high[i] as number
      words[at + 2] = low[i + 1] as number
      words[at + 3] = low[i] as number
      words[at + 4] = head[i + 1] as number
      words[at + 5] = head[i] as number
      const part = extended.size === 0 ? undefined : extended.get(row)
      words[at + EXTENDED_WORD] = part === undefined ? 0 : this.#extended.push(part)
    }
    this.at = 0
    this.end = count * ROW_WORDS
    return true
  }
}

function sink(heap: Cursor[], from: number): void {
  for (let at = from; ;) {
    let first = at
    for (let below = 2 * at + 1; below <= 2 * at + 2 && below < heap.length; below++) {
      if (before(heap[below] as Cursor, heap[first] as Cursor)) first = below
    }
    if (first === at) return
    ;[heap[at], heap[first]] = [heap[first] as Cursor, heap[at] as Cursor]
    at = first
  }
}

function before(a: Cursor, b: Cursor): boolean {
  const order = compareKeyed(a.words, a.at, b.words, b.at)
  return order === 0 ? compareExtended(a.extended(), b.extended()) < 0 : order < 0
}
