import { beginVerification, readVerification } from "@assay/stores/lmdb/verification"
import { walkEnded } from "@assay/runtime/walk-ended"
import type { Log } from "@assay/runtime/log"
import { type CommandProgram, type RunningCommand, startCommand } from "@assay/runtime/children"
import { typedCommand } from "@assay/runtime/typed-command"

export interface VerifyWatch {
  /** Has the index read through where that is due; resolves when it is over. */
  look(): Promise<void>
  stop(): Promise<void>
}

export interface VerifyWatchOptions {
  /** Directory of the index. */
  readonly index: string
  readonly everyMs: number
  readonly start: () => RunningCommand
  readonly now: () => number
  readonly log: Log
}

const LOOK_MS = 600_000

/**
 * Reads the index through by the command of that name in a process of its own: LMDB trusts the
 * file, and a page that is damaged in the wrong place ends the process that follows it.
 */
export function startVerify(
  program: CommandProgram,
  options: readonly string[],
  stdio: "inherit" | "ignore",
  env?: Record<string, string>,
): RunningCommand {
  const args = ["corpus", "verify", "--here", ...options]
  return startCommand(program, args, { stdio, ...(env !== undefined && { env }) })
}

/**
 * One reading at a time; the next is due `everyMs` after the last one, and after the last attempt.
 */
export function watchVerify(options: VerifyWatchOptions): VerifyWatch {
  const { index, everyMs, start, now, log } = options
  let triedAt = -Infinity
  let running: RunningCommand | null = null
  let stopping = false
  const isStopping = (): boolean => stopping

  const look = async (): Promise<void> => {
    if (running !== null || isStopping()) return
    const verifiedAt = readVerification(index)?.at ?? -Infinity
    // A time in the future does not count: the clock was set back.
    const isRecent = (atMs: number): boolean => Math.abs(now() - atMs) < everyMs
    if (isRecent(triedAt) || isRecent(verifiedAt)) return
    triedAt = now()
    const keep = beginVerification(index)
    running = start()
    const { exitCode, signal } = await running.ended.finally(() => (running = null))
    if (isStopping()) return
    const fault = signal === null ? null : walkEnded(signal)
    if (fault !== null) keep({ at: now(), faults: [fault] })
    const faults = readVerification(index)?.faults ?? []
    if (faults.length > 0) {
      log.error(`the index is damaged; ${typedCommand("corpus verify")} names the faults`, {
        count: faults.length,
      })
    } else if (exitCode === 0) log.info("the index was verified")
    else {
      log.warn("the index could not be verified", {
        ...(exitCode !== null && { exitCode }),
        ...(signal !== null && { signal }),
      })
    }
  }

  return {
    look,
    async stop() {
      stopping = true
      const under = running
      under?.stop()
      await under?.ended
    },
  }
}

/**
 * Looks every ten minutes, the first time ten minutes after the start; the function it returns ends
 * that.
 */
export function keepVerified(options: VerifyWatchOptions): () => Promise<void> {
  const watch = watchVerify(options)
  const timer = setInterval(() => {
    watch
      .look()
      .catch((error: unknown) => options.log.warn("the index could not be verified", { error }))
  }, LOOK_MS)
  return async () => {
    clearInterval(timer)
    await watch.stop()
  }
}
