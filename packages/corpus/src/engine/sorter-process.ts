// The process that sorts. It takes keyed rows on standard input, straight from the reader, and may
// spill them. It puts out the sorted rows on standard output, while it writes them as a segment.
import { Socket } from "node:net"
import process from "node:process"
import { parentChannel } from "@assay/runtime/channels"
import { closeInheritedFiles } from "@assay/runtime/close-inherited"
import { writeDrained } from "@assay/runtime/drained"
import { serve } from "@assay/runtime/rpc"
import { sorterFailure } from "./import-failure.ts"
import { END_FRAME, frameOf, readFrames } from "./keyed-rows.ts"
import {
  sortIntoSegment,
  type SortedSegment,
  type SorterOptions,
  type SortProgress,
} from "./sorter.ts"

closeInheritedFiles()
// A terminal sends Ctrl-C to every process; this one ends only on its parent's order, or when its
// parent is gone.
process.on("SIGINT", () => undefined)
process.once("disconnect", () => process.exit(1))

// `process.stdout` would write synchronously and stop the sorting while the index is busy.
const out = new Socket({ fd: 1, readable: false, writable: true })
// The next write reports the error. Without a listener it would end the process.
out.on("error", () => undefined)

const channel = parentChannel(process)
const TELL_MS = 100
let toldAt = -Infinity

/** Says now and then how far sorting is. */
function tell(progress: SortProgress): void {
  const now = performance.now()
  if (now - toldAt < TELL_MS) return
  toldAt = now
  channel.send({ progress })
}

serve(channel, {
  async sort(options: SorterOptions): Promise<SortedSegment> {
    try {
      const frames = readFrames(process.stdin)
      const made = await sortIntoSegment(
        frames,
        options,
        (rows) => writeDrained(out, frameOf(rows)),
        tell,
      )
      await writeDrained(out, END_FRAME)
      return made
    } catch (error) {
      throw sorterFailure(error)
    }
  },
})
