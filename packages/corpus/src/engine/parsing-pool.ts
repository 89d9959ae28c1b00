import { extname } from "node:path"
import { Worker } from "node:worker_threads"
import { errorName, ImportFailure } from "./import-failure.ts"
import type { KeyerOptions } from "./keyer.ts"
import type { Block, BlocksDone, BlocksTask } from "./reader-thread.ts"

interface Waiting {
  resolve(done: BlocksDone): void
  reject(error: ImportFailure): void
}

interface Thread {
  readonly worker: Worker
  readonly waiting: Map<number, Waiting>
}

/** Threads that parse and key blocks, each its own ones. */
export class ParsingPool {
  readonly #threads: readonly Thread[]
  #lastId = 0
  /**
   * Set when a thread is gone. Blocks posted to it would never be answered, so the pool takes no
   * more.
   */
  #failure: ImportFailure | null = null

  constructor(size: number, options: KeyerOptions, body: URL = THREAD_BODY) {
    this.#threads = Array.from({ length: size }, () => this.#start(options, body))
  }

  /**
   * Hands blocks away together, to one thread: a message costs as much as parsing some hundred
   * lines. Their memory is gone from the caller's side.
   */
  run(blocks: readonly Block[]): Promise<BlocksDone> {
    if (this.#failure !== null) return Promise.reject(this.#failure)
    const { worker, waiting } = this.#threads.reduce((one, other) =>
      other.waiting.size < one.waiting.size ? other : one,
    )
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      try {
        const task: BlocksTask = {
          id,
          blocks: blocks.map(({ bytes, ...how }) => ({ ...how, bytes: ownMemory(bytes) })),
        }
        worker.postMessage(
          task,
          task.blocks.map(({ bytes }) => bytes.buffer as ArrayBuffer),
        )
        waiting.set(id, { resolve, reject })
      } catch {
        // A block that was handed away before cannot be again.
        reject(new ImportFailure("parser", "A block of rows could not be handed to its thread"))
      }
    })
  }

  async close(): Promise<void> {
    this.#failure ??= threadFailure("it was closed")
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()))
  }

  #start(options: KeyerOptions, body: URL): Thread {
    const worker = new Worker(body, { workerData: options })
    const waiting = new Map<number, Waiting>()
    const fail = (reason: string): void => {
      this.#failure ??= threadFailure(reason)
      for (const { reject } of waiting.values()) reject(this.#failure)
      waiting.clear()
    }
    worker.on("message", (done: BlocksDone) => settle(waiting, done))
    worker.on("messageerror", () => fail("its answer cannot be read"))
    worker.on("error", (error) => fail(errorName(error)))
    worker.on("exit", () => fail("it ended"))
    return { worker, waiting }
  }
}

const THREAD_BODY = new URL(`./reader-thread${extname(import.meta.filename)}`, import.meta.url)

function threadFailure(reason: string): ImportFailure {
  return new ImportFailure("parser", `A parsing thread failed (${reason})`)
}

function settle(waiting: Map<number, Waiting>, done: BlocksDone): void {
  const blocks = waiting.get(done.id)
  waiting.delete(done.id)
  blocks?.resolve(done)
}

/** Memory that other buffers share cannot be transferred, so its content is copied. */
function ownMemory(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : Uint8Array.from(bytes)
}
