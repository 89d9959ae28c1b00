import { fork } from "node:child_process"
import { HOUR_MS } from "@assay/runtime/time"

/** Longer than the largest index takes; the next is tried after a day. */
const COMPACTION_MS = 20 * HOUR_MS

/** A compaction that runs beside the service. */
export interface RunningCompaction {
  /** The exit code of its process; null where it was killed. */
  readonly ended: Promise<number | null>
  /** Ends it at once, which leaves the index as it was or compacted. */
  stop(): void
}

export interface Program {
  readonly exec?: string | undefined
  readonly execArgv?: string[] | undefined
}

/**
 * Compacts the index, if that is due, by the command of that name in a process of its own:
 * rewriting every identity would hold up the primary's answers to its workers.
 */
export function startCompaction(
  { exec, execArgv = [] }: Program,
  env?: Record<string, string>,
): RunningCompaction {
  if (exec === undefined) throw new Error("It is not known which program this is")
  const child = fork(exec, ["corpus", "compact", "--if-needed"], {
    execArgv,
    ...(env === undefined ? {} : { env }),
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    // It keeps imports waiting; one that stands still, on a disk that does not answer, is ended.
    timeout: COMPACTION_MS,
    killSignal: "SIGKILL",
  })
  const { promise: ended, resolve, reject } = Promise.withResolvers<number | null>()
  child.once("error", reject)
  child.once("exit", resolve)
  return { ended, stop: () => void child.kill("SIGKILL") }
}
