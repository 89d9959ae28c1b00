// The process that sees plain text. It is started without core dumps, gets its work over a pipe,
// never on a command line, and puts out keyed rows on standard output.
import { Socket } from "node:net"
import process from "node:process"
import { parentChannel } from "@assay/runtime/channels"
import { closeInheritedFiles } from "@assay/runtime/close-inherited"
import { serve } from "@assay/runtime/rpc"
import { SeenDisk } from "../inputs/seen-disk.ts"
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
/** As it was when it was examined. A file that changes until all was read is found out then. */
let disk = new SeenDisk()
/** What arrives on standard input, where that is the input. */
let stream: StreamedInput | null = null
serve(channel, {
  async digest(path: string): Promise<string> {
    const { digest } = await told((onProgress) => digestInputs([path], onProgress))
    return digest.inputs[0] ?? ""
  },
  async examine(job: ExamineJob): Promise<Examined> {
    const arriving =
      job.streamed === undefined ? null : new StreamedInput(process.stdin, job.streamed)
    stream = arriving
    disk = new SeenDisk()
    examined = await told((onProgress) =>
      arriving === null
        ? examineInputs(job, onProgress, disk)
        : examineStream(job, arriving, onProgress),
    )
    return examined
  },
  async read(job: ReadJob): Promise<ReadResult> {
    const looked = examined
    if (looked === null) throw new ImportFailure("reader", "Nothing was examined")
    return await told((onProgress) => readInputs(job, looked, out, onProgress, stream, disk))
  },
})

const TELL_MS = 250
/**
 * A member that takes longer is told by name: should the reader end or hang, that is where it was.
 */
const MEMBER_MS = 20

interface Told {
  readonly member: string
}

/**
 * Sends how far the work is, a few times a second, and which member it is at. Small members are
 * gone before there is anything to tell of them.
 */
class Teller {
  #toldAt = -Infinity
  #told = ""
  #newest: Told | null = null
  #timer: NodeJS.Timeout | null = null

  note(progress: Told): void {
    this.#newest = progress
    const since = performance.now() - this.#toldAt
    const isOther = progress.member !== this.#told
    if (since >= (isOther ? MEMBER_MS : TELL_MS)) this.flush()
    else if (isOther) this.#timer ??= setTimeout(() => this.flush(), MEMBER_MS).unref()
  }

  /** Sends the newest, unless it was. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#newest === null) return
    this.#toldAt = performance.now()
    this.#told = this.#newest.member
    channel.send({ progress: this.#newest })
    this.#newest = null
  }
}

/** Does a piece of work that tells how far it is, to its end also where it fails. */
async function told<T>(work: (onProgress: (progress: Told) => void) => Promise<T>): Promise<T> {
  const teller = new Teller()
  try {
    return await work((progress) => teller.note(progress))
  } catch (error) {
    throw readerFailure(error)
  } finally {
    teller.flush()
  }
}
