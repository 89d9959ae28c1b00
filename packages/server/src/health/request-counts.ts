import { OBJECTIVE_MS, REQUEST_KINDS, type RequestKind } from "@assay/core/contract"
import type { Metrics } from "../base/metrics.ts"
import { requestKind } from "./request-kind.ts"

/** Requests by what they were for: all of them, and those that did not fail by our own doing. */
export type KindCounts = readonly (readonly [kind: RequestKind, total: number, good: number])[]

/** What became of requests, for the figures by which the service measures itself. */
export interface RequestCounts {
  /** Operations that were answered, with whatever the caller had to be told. */
  readonly answered: number
  /** Those that failed by the service's own doing: every status from 500 on, so shed ones too. */
  readonly failed: number
  /** Of single scores: how many took as long as a class of times, see `classOf`. */
  readonly scored: readonly (readonly [timeClass: number, count: number])[]
  /** For the error budget, which counts pages too. */
  readonly kinds: KindCounts
}

export const noRequests: RequestCounts = { answered: 0, failed: 0, scored: [], kinds: [] }

/** Four classes double a time; the one of 200 ms ends at exactly that. */
const CLASSES_PER_DOUBLING = 4
/** Below 0.1 ms, and above 12.8 s. */
const [CLASS_MIN, CLASS_MAX] = [-44, 25]

/** The class of a time: 0 for the times up to the objective. */
export function classOf(ms: number): number {
  const place = Math.ceil(CLASSES_PER_DOUBLING * Math.log2(ms / OBJECTIVE_MS))
  return Math.min(CLASS_MAX, Math.max(CLASS_MIN, place))
}

/** The longest time of a class, in milliseconds. */
export function longestOf(timeClass: number): number {
  return OBJECTIVE_MS * 2 ** (timeClass / CLASSES_PER_DOUBLING)
}

const SCORES: ReadonlySet<string> = new Set(["/api/v1/risk/score", "/api/v1/phone-risk"])

export interface CountedRequests {
  /** The metrics, which see every request and pass it on. */
  readonly metrics: Metrics
  /** What was counted since the last time. */
  take(): RequestCounts
  /** Counts again what could not be handed on. */
  putBack(counts: RequestCounts): void
}

/** Counts the requests that the metrics of a worker see. Probes of health are none. */
export function countRequests(metrics: Metrics): CountedRequests {
  let answered = 0
  let failed = 0
  const scored = new Uint32Array(CLASS_MAX - CLASS_MIN + 1)
  const addScored = (timeClass: number, count: number): void => {
    scored[timeClass - CLASS_MIN] = (scored[timeClass - CLASS_MIN] ?? 0) + count
  }
  const totals = new Uint32Array(REQUEST_KINDS.length)
  const goods = new Uint32Array(REQUEST_KINDS.length)
  // Patterns are as many as there are routes, so that this stays small.
  const kinds = new Map<string, number>()
  const kindOf = (route: string): number => {
    let kind = kinds.get(route)
    if (kind === undefined) {
      const name = requestKind(route)
      kind = name === null ? -1 : REQUEST_KINDS.indexOf(name)
      kinds.set(route, kind)
    }
    return kind
  }
  const addKind = (kind: number, total: number, good: number): void => {
    totals[kind] = (totals[kind] ?? 0) + total
    goods[kind] = (goods[kind] ?? 0) + good
  }
  return {
    metrics: {
      ...metrics,
      observeRequest(route, method, status, seconds) {
        metrics.observeRequest(route, method, status, seconds)
        const kind = kindOf(route)
        if (kind !== -1) addKind(kind, 1, status < 500 ? 1 : 0)
        if (!route.startsWith("/api/")) return
        if (status >= 500) failed++
        else answered++
        if (status === 200 && SCORES.has(route)) addScored(classOf(seconds * 1000), 1)
      },
    },
    take() {
      const counts = {
        answered,
        failed,
        scored: [...scored].flatMap((count, n) =>
          count === 0 ? [] : [[n + CLASS_MIN, count] as const],
        ),
        kinds: REQUEST_KINDS.flatMap((kind, n) =>
          totals[n] === 0 ? [] : [[kind, totals[n] ?? 0, goods[n] ?? 0] as const],
        ),
      }
      answered = 0
      failed = 0
      scored.fill(0)
      totals.fill(0)
      goods.fill(0)
      return counts
    },
    putBack(counts) {
      answered += counts.answered
      failed += counts.failed
      for (const [timeClass, count] of counts.scored) addScored(timeClass, count)
      for (const [kind, total, good] of counts.kinds)
        addKind(REQUEST_KINDS.indexOf(kind), total, good)
    },
  }
}
