import type { ChildProcess, StdioOptions } from "node:child_process"
import { extname } from "node:path"
import { PassThrough, type Readable, type Stream, type Writable } from "node:stream"
import { fileURLToPath } from "node:url"
import {
  type End,
  ENDING_MS,
  type NodeProgram,
  orAfter,
  startProcess,
} from "@assay/runtime/children"
import { openCalls, RemoteError } from "@assay/runtime/rpc"
import type { ExamineJob, Examined, LookProgress } from "./examine.ts"
import { type FailureCode, ImportFailure } from "./import-failure.ts"
import { type KeyedRows, readFrames } from "./keyed-rows.ts"
import type { ReadJob, ReadProgress, ReadResult } from "./reader.ts"
import type { SortedSegment, SorterOptions, SortProgress } from "./sorter.ts"

export interface ReaderChild extends Child {
  /** Its output, which is handed to the sorter and not read here. */
  readonly keyedRows: Stream
  /** Identifies the contents of a file or folder. */
  digest(path: string, onProgress: (progress: LookProgress) => void): Promise<string>
  examine(job: ExamineJob, onProgress: (progress: LookProgress) => void): Promise<Examined>
  read(job: ReadJob, onProgress: (progress: ReadProgress) => void): Promise<ReadResult>
  /** Takes an input that is handed over here; null where it was started with another. */
  readonly input: Writable | null
}

export interface SorterChild extends Child {
  /** Resolves when the segment is on the disk and all its rows were taken. */
  sort(options: SorterOptions, onProgress: (progress: SortProgress) => void): Promise<SortedSegment>
  /** The rows of the segment, in order, while it is written. They have to be taken. */
  sorted(): AsyncIterable<KeyedRows>
}

export interface Child {
  readonly pid: number
  /** Ends it at once; resolves when it is gone, or when the system does not end it for a while. */
  kill(): Promise<void>
}

/** The calls of a reader, with their progress and their results. */
interface Work {
  readonly digest: { job: string; progress: LookProgress; result: string }
  readonly examine: { job: ExamineJob; progress: LookProgress; result: Examined }
  readonly read: { job: ReadJob; progress: ReadProgress; result: ReadResult }
}

interface ReaderOptions {
  /** A call without progress for this long fails. */
  readonly stallMs?: number
  /** What it reads a stream from: this process's own standard input, or what is written here. */
  readonly stdin?: "ignore" | "inherit" | "pipe"
}

/** Starts the process that will see plain text. */
export function startReader(
  program: NodeProgram,
  { stallMs = STALL_MS, stdin = "ignore" }: ReaderOptions = {},
): ReaderChild {
  const { child, call, pid, kill } = start("reader", program, [stdin, "pipe", "ignore", "ipc"])
  // A process that could not be started has no output; the first call reports that.
  const keyedRows: Stream = child.stdout ?? new PassThrough()
  const watched = async <Method extends keyof Work>(
    method: Method,
    job: Work[Method]["job"],
    onProgress: (progress: Work[Method]["progress"]) => void,
  ): Promise<Work[Method]["result"]> => {
    let member = ""
    // A reader that ended or hangs cannot report where it was.
    const place = (): string => (member === "" ? "" : `, at ${member}`)
    const watch = watchStall(() => {
      const minutes = (stallMs / 60_000).toLocaleString("en")
      return new ImportFailure("reader", `Reading came no further for ${minutes} minutes${place()}`)
    }, stallMs)
    const listen = (message: unknown): void => {
      const { progress } = message as { progress?: Work[Method]["progress"] }
      if (progress === undefined) return
      member = progress.member
      watch.heard(progress)
      onProgress(progress)
    }
    child.on("message", listen)
    try {
      return (await Promise.race([
        call(method, job, place),
        watch.stalled,
      ])) as Work[Method]["result"]
    } finally {
      watch.stop()
      child.off("message", listen)
    }
  }
  return {
    pid,
    kill,
    keyedRows,
    input: child.stdin,
    digest: (path, onProgress) => watched("digest", path, onProgress),
    examine: (job, onProgress) => watched("examine", job, onProgress),
    read: (job, onProgress) => watched("read", job, onProgress),
  }
}

/**
 * Starts the sorter on the other end of the reader's output, which does not pass through this
 * process.
 */
export function startSorter(program: NodeProgram, reader: ReaderChild): SorterChild {
  const { keyedRows } = reader
  const { child, call, pid, kill } = start("sorter", program, [keyedRows, "pipe", "ignore", "ipc"])
  // Our end is closed, so that each of the two notices when the other is gone.
  if ("destroy" in keyedRows) (keyedRows as Stream & { destroy(): void }).destroy()
  const out: Readable = child.stdout ?? new PassThrough()
  return {
    pid,
    kill,
    async sort(options, onProgress) {
      child.on("message", (message) => {
        const { progress } = message as { progress?: SortProgress }
        if (progress !== undefined) onProgress(progress)
      })
      return (await call("sort", options)) as SortedSegment
    },
    sorted: () => readSorted(out),
  }
}

/** A sorter that is gone says itself why, and not the pipe from it. */
async function* readSorted(out: Readable): AsyncGenerator<KeyedRows> {
  try {
    yield* readFrames(out)
  } catch (error) {
    throw new ImportFailure("sorter-gone", "The sorter is gone", { cause: error })
  }
}

/** The longest a timer can run, 24 days: a large import takes as long as it takes. */
const CALL_MS = 2 ** 31 - 1

interface Caller extends Child {
  readonly child: ChildProcess
  /** `place` names where the process was, in case it ends unexpectedly. */
  call(method: string, job: unknown, place?: () => string): Promise<unknown>
}

/** Standard error is discarded: a runtime's own error message may quote a row. */
function start(name: "reader" | "sorter", program: NodeProgram, stdio: StdioOptions): Caller {
  const module = new URL(`./${name}-process${extname(import.meta.filename)}`, import.meta.url)
  const started = startProcess(program, fileURLToPath(module), { stdio })
  const { process: child, channel, ended, kill } = started
  const send = openCalls(channel)(CALL_MS)
  return {
    child,
    pid: child.pid ?? 0,
    kill,
    async call(method, job, place = () => "") {
      try {
        return await send(method, job)
      } catch (error) {
        if (!(error instanceof RemoteError)) throw error
        if (error.code !== "unavailable") {
          throw new ImportFailure(error.code as FailureCode, error.message, { cause: error })
        }
        const how = describe(await orAfter(ENDING_MS, ended, null))
        throw new ImportFailure(name, `The ${name} ended unexpectedly (${how})${place()}`)
      }
    },
  }
}

function describe(end: End | null): string {
  if (end === null) return "it no longer answers"
  const { exitCode, signal } = end
  return signal ?? (exitCode === null ? "it could not be started" : `exit code ${exitCode}`)
}

/**
 * How long a reader may come no further: longer than a sorter takes to spill, shorter than a night.
 */
const STALL_MS = 600_000
const LOOKS = 60

interface StallWatch {
  /** Rejects when nothing moved for a while. */
  readonly stalled: Promise<never>
  /** Takes how far the work is. */
  heard(progress: unknown): void
  stop(): void
}

/**
 * Notices work that makes no progress for any reason: a stopped process, a thread in an endless
 * loop, a promise that is never settled. It counts its looks and not the time between them, so that
 * a command that was suspended itself does not blame its child.
 */
function watchStall(failure: () => Error, stallMs: number = STALL_MS): StallWatch {
  const { promise: stalled, reject } = Promise.withResolvers<never>()
  // A race reports the error. Swallow it here: there may be no race.
  stalled.catch(() => undefined)
  let last = ""
  let looks = 0
  const timer = setInterval(() => {
    looks++
    if (looks >= LOOKS) reject(failure())
  }, stallMs / LOOKS)
  return {
    stalled,
    heard(progress) {
      const now = JSON.stringify(progress)
      if (now === last) return
      last = now
      looks = 0
    },
    stop: () => clearInterval(timer),
  }
}
