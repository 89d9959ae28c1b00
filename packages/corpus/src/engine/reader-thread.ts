import { parentPort, workerData } from "node:worker_threads"
import type { EntryKind } from "@assay/stores/entry"
import type { FoundFormat } from "../formats/format.ts"
import type { RejectReason } from "../formats/parsed-row.ts"
import { readerFailure } from "./import-failure.ts"
import { Keyer, type KeyerOptions } from "./keyer.ts"
import { parseBlock } from "./parse-block.ts"

/**
 * A piece of a member, and its outcome. Sent between the reader's main thread and its parsing
 * threads.
 */
export interface BlockTask {
  readonly id: number
  readonly format: FoundFormat
  readonly block: Uint8Array
  /** Kind and hours of its rows; null: those of the keyer's options. */
  readonly as: { readonly kind: EntryKind; readonly hours: number } | null
}
export interface BlockDone {
  readonly id: number
  readonly lines: number
  readonly rows: number
  readonly kinds: readonly (readonly [EntryKind, number])[]
  /** How many rows had a date of their own. */
  readonly datedByRow: number
  readonly frames: readonly Uint8Array[]
  readonly rejects: readonly { readonly line: number; readonly reason: RejectReason }[]
}
export interface BlockFailed {
  readonly id: number
  /** In words that hold nothing of the block. */
  readonly failed: string
}
export type BlockReply = BlockDone | BlockFailed

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

port.on("message", ({ id, format, block, as }: BlockTask) => {
  const before = keyer.rows
  const { kind, hours } = as ?? options
  keyer.takeAs(kind, hours)
  let lines: number
  try {
    lines = parseBlock(format, Buffer.from(block.buffer, block.byteOffset, block.length), keyer)
  } catch (error) {
    // An error that left the thread would be printed with its message, and that may hold a row.
    port.postMessage({ id, failed: readerFailure(error).message } satisfies BlockReply)
    return
  }
  keyer.flush()
  const done: BlockDone = {
    id,
    lines,
    rows: keyer.rows - before,
    ...keyer.takeCounts(),
    frames,
    rejects,
  }
  port.postMessage(
    done,
    frames.map((frame) => frame.buffer as ArrayBuffer),
  )
  frames = []
  rejects = []
})
