import { parentPort, workerData } from "node:worker_threads"
import type { EntryKind } from "@assay/stores/entry"
import type { FoundFormat } from "../formats/format.ts"
import type { RejectReason } from "../formats/parsed-row.ts"
import { readerFailure } from "./import-failure.ts"
import { Keyer, type KeyerOptions } from "./keyer.ts"
import { parseBlock } from "./parse-block.ts"

/**
 * Pieces of members, and their outcome. Sent between the reader's main thread and its parsing
 * threads.
 */
export interface BlocksTask {
  readonly id: number
  readonly blocks: readonly Block[]
}
export interface Block {
  readonly format: FoundFormat
  readonly bytes: Uint8Array
  /** Kind and hours of its rows; null: those of the keyer's options. */
  readonly as: { readonly kind: EntryKind; readonly hours: number } | null
}
export interface BlocksDone {
  readonly id: number
  /** In the order of the blocks. */
  readonly blocks: readonly BlockDone[]
  /** Of the rows of all. */
  readonly frames: readonly Uint8Array[]
  /** Why the block after these failed, in words that hold nothing of it; null: none did. */
  readonly failed: string | null
}
export interface BlockDone {
  readonly lines: number
  readonly rows: number
  readonly kinds: readonly (readonly [EntryKind, number])[]
  /** How many rows had a date of their own. */
  readonly datedByRow: number
  readonly rejects: readonly { readonly line: number; readonly reason: RejectReason }[]
}

const port = parentPort
if (port === null) throw new Error("This is the body of a thread")

let frames: Uint8Array[] = []
let rejects: { line: number; reason: RejectReason }[] = []
const options = workerData as KeyerOptions
const keyer = new Keyer(
  options,
  (frame) => void frames.push(frame),
  (line, reason) => void rejects.push({ line, reason }),
)

port.on("message", ({ id, blocks }: BlocksTask) => {
  const done: BlockDone[] = []
  let failed: string | null = null
  try {
    for (const block of blocks) done.push(blockDone(block))
  } catch (error) {
    // An error that left the thread would be printed with its message, and that may hold a row.
    failed = readerFailure(error).message
  }
  keyer.flush()
  port.postMessage(
    { id, blocks: done, frames, failed } satisfies BlocksDone,
    frames.map((frame) => frame.buffer as ArrayBuffer),
  )
  frames = []
})

function blockDone({ format, bytes, as }: Block): BlockDone {
  const before = keyer.rows
  const { kind, hours } = as ?? options
  keyer.takeAs(kind, hours)
  rejects = []
  const lines = parseBlock(format, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), keyer)
  return { lines, rows: keyer.rows - before, ...keyer.takeCounts(), rejects }
}
