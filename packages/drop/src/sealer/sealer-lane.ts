import type { PlainKind } from "./plain-kind.ts"
import type { PoolTimes } from "./pool-times.ts"
import { type Sealer, type SealerOptions, startSealer } from "./sealer.ts"
import type { StartTurns } from "./start-turns.ts"
import { openLine, type PlainConnection } from "./waiting-line.ts"

/** How many sealers there are. */
export interface LaneSize {
  /** How many are kept while no visitor comes. */
  readonly atRest: number
  /** And so the most connections that are served at a time. */
  readonly most: number
}

export interface LaneOptions extends Omit<SealerOptions, "onPhase"> {
  readonly size: LaneSize
  /**
   * Whether requests come in one piece, so that who still sends is slow: one sealer stands ready
   * even when all are taken, and a second one while there are fewer than the most, since visitors
   * who come and go take one each.
   */
  readonly short: boolean
  readonly starts: StartTurns<PlainKind>
  /** Until then, sealers are started only for visitors who come. */
  readonly aheadAfterMs: number
  /** A sealer ended before it was ready: a fault of ours. */
  readonly onFault: () => void
}

/** The sealers for one kind of request, and those who wait for one. */
export interface Lane {
  /**
   * Hands a connection to a sealer, or lets it wait for one. False: too many wait, and it is still
   * the caller's.
   */
  handOver(connection: PlainConnection): boolean
  pids(): number[]
  close(withinMs: number): Promise<void>
}

/** More than these get "try again in a few minutes". */
const WAITING_MAX = 20

/**
 * Each sealer takes one connection and is gone. The lane starts as many as it needs, up to the
 * most: those at rest, one more for each that waits, and those that stand ready for the next.
 * Beyond that the slowest sender gives way to those who wait: honest senders differ from those who
 * only hold the line by how much they send in a second.
 */
export function openLane(options: LaneOptions): Lane {
  const { kind, size, short, starts, times, now } = options
  const sealers = new Set<Sealer>()
  const line = openLine({ most: WAITING_MAX, waitMs: times.waitMs, now })
  let atRest = options.aheadAfterMs === 0 ? size.atRest : 0
  let closed = false
  let restarting: NodeJS.Timeout | undefined
  let looking: NodeJS.Timeout | undefined
  let resting: NodeJS.Timeout | undefined
  const inState = (...states: Sealer["state"][]): Sealer[] =>
    [...sealers].filter(({ state }) => states.includes(state))

  const start = (giveBack: () => void): void => {
    const sealer = startSealer({
      ...options,
      onPhase() {
        giveBack()
        look()
      },
    })
    sealers.add(sealer)
    void sealer.ended.then(() => {
      giveBack()
      sealers.delete(sealer)
      if (sealer.progress.phase === null && !closed) {
        options.onFault()
        restarting ??= setTimeout(() => {
          restarting = undefined
          look()
        }, times.restartMs)
      }
      look()
    })
  }

  const look = (): void => {
    if (closed) return
    for (const sealer of inState("idle")) {
      const connection = line.next()
      if (connection === undefined) break
      sealer.give(connection)
    }
    const wanted = wantedNow()
    while (restarting === undefined && sealers.size < wanted) {
      const giveBack = starts.take(kind, look)
      if (giveBack === null) break
      start(giveBack)
    }
    if (sealers.size > wanted) resting ??= setTimeout(endIdle, times.restMs)
    makeRoom()
    clearTimeout(looking)
    if (line.length > 0 || lacksReady()) looking = setTimeout(look, times.lookMs)
  }

  const wantedNow = (): number => {
    const needed = inState("busy", "leaving").length + line.length
    return Math.min(size.most, Math.max(atRest, needed === 0 ? 0 : needed + (short ? 2 : 1)))
  }
  const lacksReady = (): boolean => short && inState("idle").length === 0
  /**
   * Ends the slowest senders for those who have waited long enough: one for each who will get no
   * other sealer.
   */
  const makeRoom = (): void => {
    if (sealers.size < size.most) return
    const wanting = line.waitingSince(times.patienceMs) + (lacksReady() ? 1 : 0)
    const missing = wanting - inState("starting", "leaving").length
    const slowestFirst = inState("busy")
      .filter((sealer) => mayGiveWay(sealer, times))
      .sort((a, b) => a.progress.bytesPerSecond() - b.progress.bytesPerSecond())
    for (const sealer of slowestFirst.slice(0, Math.max(missing, 0))) sealer.giveWay()
  }

  const endIdle = (): void => {
    resting = undefined
    const beyond = sealers.size - wantedNow()
    for (const sealer of inState("idle").slice(0, Math.max(beyond, 0))) sealer.kill()
  }

  look()
  const ahead = setTimeout(() => {
    atRest = size.atRest
    look()
  }, options.aheadAfterMs)
  return {
    handOver(connection) {
      if (closed) return false
      // While a sealer is idle nobody waits, so the line has room for a connection that need not
      // wait.
      if (!line.add(connection)) return false
      look()
      return true
    },
    pids: () => [...sealers].flatMap(({ pid }) => pid ?? []),
    async close(withinMs) {
      closed = true
      for (const timer of [ahead, restarting, looking, resting]) clearTimeout(timer)
      line.refuseAll()
      for (const sealer of inState("starting", "idle")) sealer.kill()
      const late = setTimeout(() => {
        for (const sealer of sealers) sealer.kill()
      }, withinMs)
      await Promise.all([...sealers].map(({ ended }) => ended))
      clearTimeout(late)
    },
  }
}

/** Never a sealer that has received everything and is storing it. */
function mayGiveWay({ progress }: Sealer, { graceMs, answerGraceMs }: PoolTimes): boolean {
  const ms = progress.phaseMs()
  return progress.phase === "receiving"
    ? ms >= graceMs
    : progress.phase === "answering" && ms >= answerGraceMs
}
