import type { PlainKind } from "./plain-kind.ts"

/** The time limits of the pool. None is a setting: tests have shorter ones. */
export interface PoolTimes {
  /** A sealer must report within this time that it is ready, or it is ended. */
  readonly startMs: number
  /** After a sealer that could not start: the next one would likely fail as well. */
  readonly restartMs: number
  /** A sealer must confirm within this time that it has its connection, or it is ended. */
  readonly handOverMs: number
  /**
   * From the last byte of a request to the first of its answer; the store may be busy with the
   * rewrite of its file.
   */
  readonly workMs: number
  /** How long a sealer may exceed its own deadlines before it is taken for hanging. */
  readonly slackMs: number
  /** A connection waits this long for a sealer, then it is refused. */
  readonly waitMs: number
  /**
   * A connection waits this long before another sender must give way: most requests end sooner by
   * themselves.
   */
  readonly patienceMs: number
  /** No sender has to give way before they had this long to send, */
  readonly graceMs: number
  /** or this long to read their answer, which may show a code that is shown only once. */
  readonly answerGraceMs: number
  /** A sender who gives way has this long to read why. */
  readonly leaveMs: number
  /** Sealers beyond those at rest stand idle this long, then they go. */
  readonly restMs: number
  /** How often a sealer reports, and the pool looks while somebody waits. */
  readonly lookMs: number
}

const TIMES: PoolTimes = {
  startMs: 60_000,
  restartMs: 1000,
  handOverMs: 30_000,
  workMs: 10 * 60_000,
  slackMs: 10_000,
  waitMs: 60_000,
  patienceMs: 2000,
  graceMs: 5000,
  answerGraceMs: 15_000,
  leaveMs: 5000,
  restMs: 60_000,
  lookMs: 1000,
}

/**
 * A short message comes with its head or soon after, so a sender who is still sending one is slow
 * on purpose, or has a bad line.
 */
const SHORT: PoolTimes = { ...TIMES, patienceMs: 100, graceMs: 1000, lookMs: 200 }

export const POOL_TIMES: Readonly<Record<PlainKind, PoolTimes>> = {
  message: SHORT,
  upload: TIMES,
  code: TIMES,
}
