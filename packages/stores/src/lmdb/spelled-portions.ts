import { extname } from "node:path"
import { Worker } from "node:worker_threads"
import { MalformedBytes } from "../bytes.ts"
import { SHARED_ENTRIES_MAX } from "../entry-set.ts"
import type { SegmentBlock } from "../segment-block.ts"
import { SegmentMerger } from "../segment-merger.ts"
import { PortionCutter } from "../segment-portions.ts"
import { type SpelledPortion, spelledPortion } from "../spelled-portion.ts"
import {
  memoryOf,
  packedBlock,
  type PackedPortion,
  release,
  type Spelled,
  unpackedPortion,
} from "./portion-message.ts"
import type { SpellingJob } from "./spelling-thread.ts"

export interface PortionRows {
  /** Rows of the first portion at least, and of the others. */
  readonly first: number
  readonly later: number
}

/** Portions without a thread: one costs more to start than to spell them. */
const HERE = 2
/** How many blocks may wait for the thread, and how many portions for whoever writes them. */
const BLOCKS_AHEAD = 64
const PORTIONS_AHEAD = 4

/**
 * The rows of a segment in portions, with the sets of their identities, spelled as those of the
 * batch. Those of a large segment are spelled by a thread, while whoever takes them writes. Throws
 * MalformedBytes where rows are not in order, or none. A portion is valid until the next one is
 * requested.
 */
export async function* spelledPortions(
  blocks: AsyncIterable<SegmentBlock>,
  batchId: number,
  { first, later }: PortionRows,
): AsyncGenerator<SpelledPortion> {
  const iterator = blocks[Symbol.asyncIterator]()
  const merger = new SegmentMerger(batchId, SHARED_ENTRIES_MAX)
  const cutter = new PortionCutter(first, later)
  let isOver = false
  try {
    for (let portions = 0; portions < HERE && !isOver;) {
      const next = await iterator.next()
      isOver = next.done === true
      const portion = next.done === true ? cutter.rest() : cutter.add(next.value)
      if (portion === null) continue
      portions++
      yield spelledPortion(portion, merger)
    }
    if (isOver) return
    const rest = cutter.rest()
    yield* spelledByThread(rest, iterator, { batchId, rowsMin: later })
  } finally {
    // Whoever waits for a block that never comes must not wait for this.
    iterator.return?.().catch(() => undefined)
  }
}

/** The portions of the rest of a block and of all blocks after it. */
async function* spelledByThread(
  rest: SegmentBlock | null,
  blocks: AsyncIterator<SegmentBlock>,
  job: SpellingJob,
): AsyncGenerator<SpelledPortion> {
  const worker = new Worker(BODY, { workerData: job })
  const thread = new Thread(worker)
  try {
    if (rest !== null) thread.send(rest)
    thread.feed(blocks)
    for (;;) {
      const portion = await thread.next()
      if (portion === null) return
      yield portion
    }
  } finally {
    thread.stop()
    await worker.terminate()
  }
}

const BODY = new URL(`./spelling-thread${extname(import.meta.filename)}`, import.meta.url)

class Thread {
  readonly #worker: Worker
  readonly #ready: PackedPortion[] = []
  #taken: PackedPortion | null = null
  /** Blocks that the thread did not answer yet. */
  #waiting = 0
  #isOver = false
  #failure: { readonly error: unknown } | null = null
  #turn = Promise.withResolvers<undefined>()

  constructor(worker: Worker) {
    this.#worker = worker
    worker.on("message", (spelled: Spelled) => {
      this.#waiting--
      if (spelled.malformed !== null) this.#fail(new MalformedBytes(spelled.malformed))
      if (spelled.portion !== null) this.#ready.push(spelled.portion)
      this.#isOver = spelled.isOver
      this.#changed()
    })
    worker.on("error", (error) => this.#fail(error))
    worker.on("exit", () => this.#fail(new Error("The thread that spells sets ended")))
  }

  send(block: SegmentBlock): void {
    const packed = packedBlock(block)
    this.#waiting++
    this.#worker.postMessage(packed, memoryOf(packed))
  }

  /** Sends all blocks, as soon as there is room for each. */
  feed(blocks: AsyncIterator<SegmentBlock>): void {
    const feeding = async (): Promise<void> => {
      for (;;) {
        while (this.#isFull && this.#failure === null) await this.#turn.promise
        if (this.#failure !== null) return
        const next = await blocks.next()
        if (next.done === true) break
        this.send(next.value)
      }
      this.#worker.postMessage(null)
    }
    feeding().catch((error: unknown) => this.#fail(error))
  }

  /** null: there are no more. The one before is gone then. */
  async next(): Promise<SpelledPortion | null> {
    if (this.#taken !== null) release(this.#taken)
    this.#taken = null
    for (;;) {
      if (this.#failure !== null) throw this.#failure.error
      const portion = this.#ready.shift()
      if (portion !== undefined) {
        this.#taken = portion
        this.#changed()
        return unpackedPortion(portion)
      }
      if (this.#isOver) return null
      await this.#turn.promise
    }
  }

  /** No more are taken. */
  stop(): void {
    this.#fail(new Error("Nobody takes the portions any more"))
  }

  get #isFull(): boolean {
    return this.#waiting >= BLOCKS_AHEAD || this.#ready.length >= PORTIONS_AHEAD
  }

  #fail(error: unknown): void {
    this.#failure ??= { error }
    this.#changed()
  }

  #changed(): void {
    this.#turn.resolve(undefined)
    this.#turn = Promise.withResolvers()
  }
}
