// The process that sorts. It takes keyed rows on standard input, straight from the reader, and may
// spill them.
import process from "node:process"
import { parentChannel } from "@assay/runtime/channels"
import { closeInheritedFiles } from "@assay/runtime/close-inherited"
import { serve } from "@assay/runtime/rpc"
import { sorterFailure } from "./import-failure.ts"
import { readFrames } from "./keyed-rows.ts"
import { sortIntoSegment, type SortedSegment, type SorterOptions } from "./sorter.ts"

closeInheritedFiles()
// A terminal sends Ctrl-C to every process; this one ends only on its parent's order, or when its
// parent is gone.
process.on("SIGINT", () => undefined)
process.once("disconnect", () => process.exit(1))

serve(parentChannel(process), {
  async sort(options: SorterOptions): Promise<SortedSegment> {
    try {
      return await sortIntoSegment(readFrames(process.stdin), options)
    } catch (error) {
      throw sorterFailure(error)
    }
  },
})
