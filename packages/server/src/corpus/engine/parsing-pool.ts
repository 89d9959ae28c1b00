import { extname } from "node:path"
import { Worker } from "node:worker_threads"
import type { Format } from "../formats/format.ts"
import { errorName, ImportFailure } from "./import-failure.ts"
import type { KeyerOptions } from "./keyer.ts"
import type { BlockDone, BlockReply, BlockTask } from "./reader-thread.ts"

interface Waiting {
  resolve(done: BlockDone): void
  reject(error: ImportFailure): void
}

/** Threads that parse and key blocks, each its own. */
export class ParsingPool {
  readonly #threads: { readonly thread: Worker; readonly waiting: Map<number, Waiting> }[] = []
  #lastId = 0

  constructor(size: number, options: KeyerOptions) {
    const entry = new URL(`./reader-thread${extname(import.meta.filename)}`, import.meta.url)
    for (let n = 0; n < size; n++) {
      const thread = new Worker(entry, { workerData: options })
      const waiting = new Map<number, Waiting>()
      thread.on("message", (reply: BlockReply) => settle(waiting, reply))
      thread.on("error", (error) => failAll(waiting, errorName(error)))
      thread.on("exit", () => failAll(waiting, "it ended"))
      this.#threads.push({ thread, waiting })
    }
  }

  /** Hands the block away: its memory is gone from the caller's side. */
  run(format: Format, block: Buffer): Promise<BlockDone> {
    const least = this.#threads.reduce((one, other) =>
      other.waiting.size < one.waiting.size ? other : one,
    )
    const id = ++this.#lastId
    // Memory that is shared with other buffers cannot be handed away, only what is in it.
    const own = block.byteLength === block.buffer.byteLength ? block : Uint8Array.from(block)
    const task: BlockTask = { id, format, block: own }
    return new Promise((resolve, reject) => {
      least.waiting.set(id, { resolve, reject })
      least.thread.postMessage(task, [own.buffer as ArrayBuffer])
    })
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map(({ thread }) => thread.terminate()))
  }
}

function settle(waiting: Map<number, Waiting>, reply: BlockReply): void {
  const block = waiting.get(reply.id)
  waiting.delete(reply.id)
  if ("failed" in reply) block?.reject(new ImportFailure("parser", reply.failed))
  else block?.resolve(reply)
}

function failAll(waiting: Map<number, Waiting>, reason: string): void {
  for (const { reject } of waiting.values()) {
    reject(new ImportFailure("parser", `A parsing thread failed (${reason})`))
  }
  waiting.clear()
}
