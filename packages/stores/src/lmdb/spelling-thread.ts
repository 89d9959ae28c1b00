// The thread that checks the rows of a large segment, cuts them into portions and spells their
// sets, while other portions are written.
import { parentPort, workerData } from "node:worker_threads"
import { MalformedBytes } from "../bytes.ts"
import { SHARED_ENTRIES_MAX } from "../entry-set.ts"
import type { SegmentBlock } from "../segment-block.ts"
import { SegmentMerger } from "../segment-merger.ts"
import { PortionCutter } from "../segment-portions.ts"
import { spelledPortion } from "../spelled-portion.ts"
import {
  memoryOf,
  type PackedBlock,
  packedPortion,
  release,
  type Spelled,
  unpackedBlock,
} from "./portion-message.ts"

export interface SpellingJob {
  readonly batchId: number
  readonly rowsMin: number
}

const port = parentPort
if (port === null) throw new Error("This is the body of a thread")

const { batchId, rowsMin } = workerData as SpellingJob
const merger = new SegmentMerger(batchId, SHARED_ENTRIES_MAX)
const cutter = new PortionCutter(rowsMin)

function taken(block: PackedBlock): SegmentBlock | null {
  const portion = cutter.add(unpackedBlock(block))
  // Its extended parts are still referred to.
  if (block.extended === null) release(block)
  return portion
}

// null: there are no more.
port.on("message", (block: PackedBlock | null) => {
  const isOver = block === null
  try {
    const cut = isOver ? cutter.rest() : taken(block)
    const portion = cut === null ? null : packedPortion(spelledPortion(cut, merger))
    const answer: Spelled = { portion, isOver, malformed: null }
    port.postMessage(answer, portion === null ? [] : memoryOf(portion))
  } catch (error) {
    // A segment that cannot be merged; anything else is a bug.
    if (!(error instanceof MalformedBytes)) throw error
    port.postMessage({ portion: null, isOver, malformed: error.message } satisfies Spelled)
  }
})
