import { parentPort, workerData } from "node:worker_threads"
import type { Format, RejectReason } from "../formats/format.ts"
import { openParser } from "../formats/parsers.ts"
import { Keyer, type KeyerOptions } from "./keyer.ts"

/** A piece of a member, and what became of it. Sent between the reader's main thread and its parsing threads. */
export interface BlockTask {
  readonly id: number
  readonly format: Format
  readonly block: Uint8Array
}
export interface BlockDone {
  readonly id: number
  readonly lines: number
  readonly rows: number
  readonly frames: readonly Uint8Array[]
  readonly rejects: readonly { readonly line: number; readonly reason: RejectReason }[]
}

const port = parentPort
if (port === null) throw new Error("This is the body of a thread")

let frames: Uint8Array[] = []
let rejects: { line: number; reason: RejectReason }[] = []
const keyer = new Keyer(
  workerData as KeyerOptions,
  (frame) => void frames.push(frame),
  (line, reason) => void rejects.push({ line, reason }),
)

port.on("message", ({ id, format, block }: BlockTask) => {
  const before = keyer.rows
  const lines = openParser(format).parse(
    Buffer.from(block.buffer, block.byteOffset, block.length),
    keyer,
  )
  keyer.flush()
  const done: BlockDone = { id, lines, rows: keyer.rows - before, frames, rejects }
  port.postMessage(
    done,
    frames.map((frame) => frame.buffer as ArrayBuffer),
  )
  frames = []
  rejects = []
})
