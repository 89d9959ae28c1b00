import { compactionReason } from "@assay/corpus/compaction"
import { TimeLeft } from "@assay/corpus/time-left"
import type { Log } from "@assay/runtime/log"
import { INDEX_FORMAT } from "@assay/stores/exposure-index"
import type { IndexFacts } from "@assay/stores/lmdb/index-facts"
import { DAY_MS, HOUR_MS } from "@assay/runtime/time"
import { type CommandProgram, type SpokenCommand, startCommand } from "@assay/runtime/children"

/** What the command says while it compacts: how many identities of how many. */
export interface CompactionNews {
  readonly compacted: { readonly done: number; readonly total: number }
}

/** How far a compaction is. */
export interface CompactionState {
  /** null until the first identities are copied. */
  readonly share: number | null
  /** null where it is not known. */
  readonly secondsLeft: number | null
}

export interface CompactionWatch {
  /**
   * Has the index compacted where that is due and was not tried within a day; resolves when that is
   * over.
   */
  look(): Promise<void>
  /** Of the one that runs; null where none does. */
  state(): CompactionState | null
  stop(): Promise<void>
}

export interface WatchOptions {
  readonly facts: () => Promise<IndexFacts>
  readonly start: () => SpokenCommand
  readonly now: () => number
  /** Milliseconds of a clock that nobody sets. */
  readonly elapsed: () => number
  readonly log: Log
}

/** Longer than the largest index takes; the next is tried after a day. */
const COMPACTION_MS = 20 * HOUR_MS
/** How often the log says how far it is; what is quick is only said to begin and to end. */
const LOGGED_MS = 15_000

/**
 * Compacts the index, if that is due, by the command of that name in a process of its own:
 * rewriting every identity would hold up the primary's answers to its workers. Ended at any time,
 * it leaves the index as it was or compacted.
 */
export function startCompaction(
  program: CommandProgram,
  env?: Record<string, string>,
): SpokenCommand {
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
  let running: SpokenCommand | null = null
  let far: { left: TimeLeft<"compacting">; news: CompactionNews["compacted"] | null } | null = null
  let stopped = false
  const isStopped = (): boolean => stopped
  const state = (): CompactionState | null => {
    if (far === null) return null
    const { left, news } = far
    const leftMs = left.leftMs()
    return {
      share: news === null || news.total === 0 ? null : news.done / news.total,
      secondsLeft: leftMs === null ? null : Math.ceil(leftMs / 1000),
    }
  }
  const follow = ({ channel }: SpokenCommand): void => {
    const following = { left: new TimeLeft<"compacting">(elapsed), news: null }
    far = following
    let saidAt = elapsed()
    channel.onMessage((message) => {
      const { compacted: news } = message as Partial<CompactionNews>
      // Of one that has ended, the last news may come after its end.
      if (news === undefined || far?.left !== following.left) return
      following.left.note({ phase: "compacting", ...news })
      far = { ...following, news }
      if (elapsed() - saidAt < LOGGED_MS) return
      saidAt = elapsed()
      const { secondsLeft } = state() as CompactionState
      log.info("the index is being written anew", {
        count: news.done,
        total: news.total,
        ...(secondsLeft !== null && { secondsLeft }),
      })
    })
  }
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
    follow(running)
    const { exitCode } = await running.ended.finally(() => {
      running = null
      far = null
    })
    if (exitCode === 0) log.info("the index was compacted")
    else if (exitCode !== null) log.warn("the index could not be compacted", { exitCode })
    else if (!isStopped()) log.warn("the compaction of the index was ended")
  }
  return {
    look,
    state,
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
 * Checks each hour, and now if the index has an older format. `stop` ends that, and a compaction
 * under way.
 */
export function keepCompacted(options: WatchOptions): Pick<CompactionWatch, "state" | "stop"> {
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
  return {
    state: watch.state,
    async stop() {
      clearInterval(timer)
      await watch.stop()
    },
  }
}
