import { compactionReason } from "@assay/corpus/compaction"
import type { Log } from "@assay/runtime/log"
import { INDEX_FORMAT } from "@assay/stores/exposure-index"
import type { IndexFacts } from "@assay/stores/lmdb/index-facts"
import { DAY_MS, HOUR_MS } from "@assay/runtime/time"
import { type CommandProgram, type RunningCommand, startCommand } from "@assay/runtime/children"

export interface CompactionWatch {
  /**
   * Has the index compacted where that is due and was not tried within a day; resolves when that is
   * over.
   */
  look(): Promise<void>
  stop(): Promise<void>
}

export interface WatchOptions {
  readonly facts: () => Promise<IndexFacts>
  readonly start: () => RunningCommand
  readonly now: () => number
  /** Milliseconds of a clock that nobody sets. */
  readonly elapsed: () => number
  readonly log: Log
}

/** Longer than the largest index takes; the next is tried after a day. */
const COMPACTION_MS = 20 * HOUR_MS

/**
 * Compacts the index, if that is due, by the command of that name in a process of its own:
 * rewriting every identity would hold up the primary's answers to its workers. Ended at any time,
 * it leaves the index as it was or compacted.
 */
export function startCompaction(
  program: CommandProgram,
  env?: Record<string, string>,
): RunningCommand {
  return startCommand(program, ["corpus", "compact", "--if-needed"], {
    stdio: "ignore",
    // It holds up imports, so one that hangs, on a disk that does not answer, is ended.
    timeoutMs: COMPACTION_MS,
    ...(env !== undefined && { env }),
  })
}

/** One compaction at a time, and at most one a day, whatever becomes of it. */
export function watchCompaction(options: WatchOptions): CompactionWatch {
  const { facts, start, now, elapsed, log } = options
  let triedAt = -Infinity
  let running: RunningCommand | null = null
  let stopped = false
  const isStopped = (): boolean => stopped
  const look = async (): Promise<void> => {
    if (running !== null || elapsed() - triedAt < DAY_MS) return
    const reason = compactionReason(await facts(), now())
    if (reason === null) return
    // Reading the facts takes a while: a process started after the stop would never be ended.
    if (stopped) return
    triedAt = elapsed()
    log.info(
      reason === "format"
        ? "the index of an older version is being made anew, and serves meanwhile"
        : "the index is being compacted",
    )
    running = start()
    const { exitCode } = await running.ended.finally(() => (running = null))
    if (exitCode === 0) log.info("the index was compacted")
    else if (exitCode !== null) log.warn("the index could not be compacted", { exitCode })
    else if (!isStopped()) log.warn("the compaction of the index was ended")
  }
  return {
    look,
    async stop() {
      stopped = true
      const under = running
      under?.stop()
      // look() reports a process that could not be started.
      await under?.ended.catch(() => null)
    },
  }
}

/**
 * Checks each hour, and now if the index has an older format. The function it returns ends that,
 * and a compaction under way.
 */
export function keepCompacted(options: WatchOptions): () => Promise<void> {
  const watch = watchCompaction(options)
  const failed = (error: unknown): void =>
    options.log.warn("the index could not be compacted", { error })
  const timer = setInterval(() => {
    watch.look().catch(failed)
  }, HOUR_MS)
  // One of an older format is made anew at once.
  options
    .facts()
    .then(({ format }) => (format < INDEX_FORMAT ? watch.look() : undefined))
    .catch(failed)
  return async () => {
    clearInterval(timer)
    await watch.stop()
  }
}
