import { parentPort, workerData } from "node:worker_threads"
import { threadChannel } from "@assay/runtime/channels"
import { listenFault } from "@assay/runtime/listen-fault"
import { offer, serve } from "@assay/runtime/rpc"
import { bringSegment } from "./fetch-segment.ts"
import { type SegmentsServer, serveSegments } from "./serve-segments.ts"
import { type SegmentsThreadData, segmentsPort } from "./ports.ts"

// Digests and encryption of whole segments would hold up what the primary does for requests.
if (parentPort === null) throw new Error("segments-thread runs as a thread of the primary process")
const place = workerData as SegmentsThreadData
const stopping = new AbortController()
let server: SegmentsServer | null = null

serve(
  threadChannel(parentPort),
  offer(segmentsPort, {
    async listen() {
      try {
        server = await serveSegments(place)
        return null
      } catch (error) {
        const fault = listenFault(error, "ASSAY_NODE_PORT")
        if (fault === null) throw error
        return fault
      }
    },
    bring: async (wanted, peers) =>
      await bringSegment(wanted, peers, { ...place, signal: stopping.signal }),
    async close() {
      stopping.abort()
      await server?.close()
    },
  }),
)
