import { type ChildProcess, spawn, type StdioOptions } from "node:child_process"
import { extname } from "node:path"
import type { Stream } from "node:stream"
import { fileURLToPath } from "node:url"
import { childChannel } from "../../process/channels.ts"
import { openCalls, RemoteError } from "../../process/rpc.ts"
import { type ExamineJob, type Examined } from "./examine.ts"
import { type FailureCode, ImportFailure } from "./import-failure.ts"
import type { ReadJob, ReadProgress, ReadTally } from "./reader.ts"
import type { SortedSegment, SorterOptions } from "./sorter.ts"

/** How this program was started, so that its children are started alike; main.ts hands in the process's own. */
export interface NodeProgram {
  readonly execPath: string
  readonly execArgv: readonly string[]
}

export interface ReaderChild extends Child {
  /** What it puts out, to be handed to the sorter; nothing of it is read here. */
  readonly keyedRows: Stream
  /** Stands for the contents of a file or folder. */
  digest(path: string): Promise<string>
  examine(job: ExamineJob): Promise<Examined>
  read(job: ReadJob, onProgress: (progress: ReadProgress) => void): Promise<ReadTally>
}

export interface SorterChild extends Child {
  sort(options: SorterOptions): Promise<SortedSegment>
}

export interface Child {
  readonly pid: number
  /** Ends it at once; resolves when it is gone. */
  kill(): Promise<void>
}

/** Starts the process that will see plain text. */
export function startReader(program: NodeProgram): ReaderChild {
  const { child, call, ...rest } = start("reader", program, ["ignore", "pipe", "ignore", "ipc"])
  const { stdout } = child
  if (stdout === null) throw new Error("The reader has no output")
  return {
    ...rest,
    keyedRows: stdout,
    digest: async (path) => (await call("digest", path)) as string,
    examine: async (job) => (await call("examine", job)) as Examined,
    async read(job, onProgress) {
      const listen = (message: unknown): void => {
        const { progress } = message as { progress?: ReadProgress }
        if (progress !== undefined) onProgress(progress)
      }
      child.on("message", listen)
      try {
        return (await call("read", job)) as ReadTally
      } finally {
        child.off("message", listen)
      }
    },
  }
}

/** Starts the sorter on the other end of the reader's output, which does not pass through this process. */
export function startSorter(program: NodeProgram, reader: ReaderChild): SorterChild {
  const { keyedRows } = reader
  const { call, ...rest } = start("sorter", program, [keyedRows, "ignore", "ignore", "ipc"])
  // Our end is closed, so that each of the two notices when the other is gone.
  if ("destroy" in keyedRows) (keyedRows as Stream & { destroy(): void }).destroy()
  return { ...rest, sort: async (options) => (await call("sort", options)) as SortedSegment }
}

/** The longest a timer can run, 24 days: a large import takes as long as it takes. */
const CALL_MS = 2 ** 31 - 1
/** Core dumps are memory on the disk, identities and passwords included. */
const WITHOUT_CORE_DUMPS = ["-c", 'ulimit -c 0; exec "$0" "$@"']

interface Started extends Child {
  readonly child: ChildProcess
  call(method: string, job: unknown): Promise<unknown>
}

/** Standard error goes nowhere: what a runtime prints of an error of its own may quote a row. */
function start(name: "reader" | "sorter", program: NodeProgram, stdio: StdioOptions): Started {
  const entry = new URL(`./${name}-process${extname(import.meta.filename)}`, import.meta.url)
  const command = [program.execPath, ...program.execArgv, fileURLToPath(entry)]
  const child = spawn("/bin/sh", [...WITHOUT_CORE_DUMPS, ...command], {
    stdio,
    env: {},
    serialization: "advanced",
  })
  const ended = new Promise<string>((resolve) => {
    child.once("error", () => resolve("it could not be started"))
    child.once("exit", (code, signal) => resolve(signal ?? `exit code ${code ?? 0}`))
  })
  const send = openCalls(childChannel(child))(CALL_MS)
  return {
    child,
    pid: child.pid ?? 0,
    async call(method, job) {
      try {
        return await send(method, job)
      } catch (error) {
        if (!(error instanceof RemoteError)) throw error
        if (error.code !== "unavailable") {
          throw new ImportFailure(error.code as FailureCode, error.message, { cause: error })
        }
        throw new ImportFailure(name, `The ${name} ended unexpectedly (${await ended})`)
      }
    },
    async kill() {
      child.kill("SIGKILL")
      await ended
    },
  }
}
