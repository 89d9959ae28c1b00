import { DEADLINES, type Deadlines } from "./deadlines.ts"
import type { PlainKind } from "./plain-kind.ts"
import { POOL_TIMES, type PoolTimes } from "./pool-times.ts"
import { type LaneSize, openLane } from "./sealer-lane.ts"
import type { SealerOptions } from "./sealer.ts"
import type { SealerSettings } from "./sealer-settings.ts"
import { openStartTurns } from "./start-turns.ts"
import type { PlainConnection } from "./waiting-line.ts"

const LONGEST_START_MS = 2000

export interface SealerPoolOptions extends Pick<SealerOptions, "drop" | "program"> {
  readonly sizes: Readonly<Record<PlainKind, LaneSize>>
  readonly pageFiles: SealerSettings["pageFiles"]
  readonly deadlines?: Readonly<Record<PlainKind, Deadlines>>
  readonly times?: Readonly<Record<PlainKind, PoolTimes>>
  /** How long after the pool those at rest are started; a visitor who comes before gets one. */
  readonly aheadAfterMs?: number
  /** A sealer ended before it was ready: a fault of ours, reported as a code. */
  readonly onFault: (code: "sealer-start") => void
}

export interface SealerPool {
  /**
   * Hands a connection to a sealer, or lets it wait for one, unread. False: too many wait, and the
   * connection is still the caller's.
   */
  handOver(connection: PlainConnection, kind: PlainKind): boolean
  /** The sealers that run, for those who look at them from outside. */
  pids(): number[]
  /**
   * Refuses the connections that wait, and ends every sealer: idle ones at once, the others when
   * they are done or it is late.
   */
  close(withinMs?: number): Promise<void>
}

/**
 * Processes that see what is sent without JavaScript: started ahead, one connection each, then gone
 * with their memory. Those for codes and short messages are separate from those for uploads, so
 * that no upload ever keeps anybody from reading replies or from writing a few lines.
 */
export function openSealerPool({
  sizes,
  pageFiles,
  deadlines = DEADLINES,
  times = POOL_TIMES,
  aheadAfterMs = 0,
  onFault,
  ...rest
}: SealerPoolOptions): SealerPool {
  const starts = openStartTurns<PlainKind>(
    LONGEST_START_MS,
    // An upload takes minutes anyway.
    (kind) => kind !== "upload",
  )
  const laneFor = (kind: PlainKind): ReturnType<typeof openLane> =>
    openLane({
      kind,
      short: kind === "message",
      starts,
      aheadAfterMs,
      ...rest,
      size: sizes[kind],
      settings: { pageFiles, deadlines: deadlines[kind], reportMs: times[kind].lookMs },
      times: times[kind],
      now: () => performance.now(),
      onFault: () => onFault("sealer-start"),
    })
  const lanes = { message: laneFor("message"), upload: laneFor("upload"), code: laneFor("code") }
  const every = Object.values(lanes)
  return {
    handOver: (connection, kind) => lanes[kind].handOver(connection),
    pids: () => every.flatMap((lane) => lane.pids()),
    async close(withinMs = 0) {
      await Promise.all(every.map((lane) => lane.close(withinMs)))
    },
  }
}
