import { extname } from "node:path"
import { Explained } from "@assay/runtime/explained"
import { inThread } from "@assay/runtime/children"
import { type SegmentsPort, type SegmentsThreadData, segmentsPort } from "./ports.ts"

const CALL_MS = 30_000

/** The thread that gives other nodes their segments and brings those of others. It listens. */
export async function openSegmentsThread(data: SegmentsThreadData): Promise<SegmentsPort> {
  const module = new URL(`./segments-thread${extname(import.meta.filename)}`, import.meta.url)
  // A segment takes as long as it takes: one that stands still is given up over there.
  const thread = inThread(module, data, segmentsPort, {
    callMs: CALL_MS,
    deadlines: { bring: null },
  })
  const fault = await thread.listen()
  if (fault === null) return thread
  await thread.close()
  throw new Explained("start", fault)
}
