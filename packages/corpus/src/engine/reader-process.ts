// The process that sees plain text. It is started without core dumps, gets its work over a pipe,
// never on a command line, and puts out keyed rows on standard output.
import { Socket } from "node:net"
import process from "node:process"
import { parentChannel } from "@assay/runtime/channels"
import { closeInheritedFiles } from "@assay/runtime/close-inherited"
import { serve } from "@assay/runtime/rpc"
import { StreamedInput } from "../inputs/streamed-input.ts"
import {
  digestInputs,
  type ExamineJob,
  type Examined,
  examineInputs,
  examineStream,
} from "./examine.ts"
import { ImportFailure, readerFailure } from "./import-failure.ts"
import { type ReadJob, readInputs, type ReadResult } from "./reader.ts"

closeInheritedFiles()
// A terminal sends Ctrl-C to every process; this one ends only on its parent's order, or when its
// parent is gone.
process.on("SIGINT", () => undefined)
process.once("disconnect", () => process.exit(1))

// `process.stdout` would write synchronously and stop all else while the sorter is busy.
const out = new Socket({ fd: 1, readable: false, writable: true })
// The next write reports the error. Without a listener it would end the process.
out.on("error", () => undefined)

const channel = parentChannel(process)
let examined: Examined | null = null
/** What arrives on standard input, where that is the input. */
let stream: StreamedInput | null = null
serve(channel, {
  async digest(path: string): Promise<string> {
    const { digest } = await explained(digestInputs([path], tell()))
    return digest.inputs[0] ?? ""
  },
  async examine(job: ExamineJob): Promise<Examined> {
    stream = job.streamed === undefined ? null : new StreamedInput(process.stdin, job.streamed)
    const looking =
      stream === null ? examineInputs(job, tell()) : examineStream(job, stream, tell())
    examined = await explained(looking)
    return examined
  },
  async read(job: ReadJob): Promise<ReadResult> {
    if (examined === null) throw new ImportFailure("reader", "Nothing was examined")
    return await explained(readInputs(job, examined, out, tell(), stream))
  },
})

const TELL_MS = 250

/** Sends how far the work is, a few times a second and whenever another member begins. */
function tell(): (progress: { readonly member: string }) => void {
  let reportedAt = -Infinity
  let member = ""
  return (progress) => {
    const now = performance.now()
    if (now - reportedAt < TELL_MS && progress.member === member) return
    reportedAt = now
    member = progress.member
    channel.send({ progress })
  }
}

async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw readerFailure(error)
  }
}
