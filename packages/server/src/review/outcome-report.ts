import type { OutcomeReport } from "@assay/core/contract"
import type { IdentityType } from "@assay/core/identity"
import { ACTIONS, bandOf, BANDS, wilsonInterval } from "@assay/core/score"
import { monthOf } from "@assay/runtime/time"

/** A decision of which somebody confirmed what became of it. */
export interface OutcomeCase {
  readonly id: string
  /** When the service decided. */
  readonly at: number
  readonly identityType: IdentityType
  readonly action: string
  readonly score: number
  /** The probability that the score stood for; null where its model is not loaded. */
  readonly p: number | null
  readonly bad: boolean
  readonly by: "analysts" | "feedback"
}

/** Below this a share says more about chance than about the decisions. */
export const CASES_MIN = 20
/** The same for all cases of a kind, which are spread over ten buckets. */
export const CALIBRATION_CASES_MIN = 100
const BUCKET = 10
const SCORE_MAX = 100
const KINDS = ["email", "phone"] as const

/** The report but for what it does not compute from cases. */
export type CaseReport = Pick<OutcomeReport, "cases_min" | "groups" | "calibration" | "drift">

/**
 * What became of decisions, counted. Nothing is guessed: where too few cases are confirmed there is
 * no share, and what nobody confirmed has no part in any.
 */
export function caseReport(cases: readonly OutcomeCase[]): CaseReport {
  return {
    cases_min: CASES_MIN,
    groups: groupsOf(cases),
    calibration: KINDS.flatMap((kind) => {
      const own = cases.filter(({ identityType }) => identityType === kind)
      return own.length === 0 ? [] : [calibrationOf(kind, own)]
    }),
    drift: driftOf(cases),
  }
}

type Counted = Pick<OutcomeReport["groups"][number], "cases" | "bad" | "share" | "interval">

function counted(cases: readonly OutcomeCase[]): Counted {
  const bad = badIn(cases)
  const enough = cases.length >= CASES_MIN
  return {
    cases: cases.length,
    bad,
    share: enough ? bad / cases.length : null,
    interval: enough ? wilsonInterval(bad, cases.length) : null,
  }
}

function groupsOf(cases: readonly OutcomeCase[]): OutcomeReport["groups"] {
  return KINDS.flatMap((kind) =>
    BANDS.toReversed().flatMap(({ name: band }) =>
      ACTIONS.flatMap((action) => {
        const own = cases.filter(
          (each) =>
            each.identityType === kind && bandOf(each.score) === band && each.action === action,
        )
        return own.length === 0 ? [] : [{ subject: kind, band, action, ...counted(own) }]
      }),
    ),
  )
}

function calibrationOf(
  subject: IdentityType,
  cases: readonly OutcomeCase[],
): OutcomeReport["calibration"][number] {
  // Scores of a model that is gone promise nothing that could be compared.
  const promised = cases.filter(({ p }) => p !== null)
  const buckets = []
  let gaps = 0
  for (let from = 0; from < SCORE_MAX; from += BUCKET) {
    const to = from + BUCKET === SCORE_MAX ? SCORE_MAX : from + BUCKET - 1
    const own = promised.filter(({ score }) => score >= from && score <= to)
    if (own.length === 0) continue
    gaps += Math.abs(meanP(own) * own.length - badIn(own))
    buckets.push({ from, to, ...counted(own), predicted: predictedBy(own) })
  }
  const enough = promised.length >= CALIBRATION_CASES_MIN
  return {
    subject,
    cases: promised.length,
    bad: badIn(promised),
    error: enough ? gaps / promised.length : null,
    buckets,
  }
}

function driftOf(cases: readonly OutcomeCase[]): OutcomeReport["drift"] {
  const months = [...new Set(cases.map(({ at }) => monthOf(at)))].sort()
  return months.flatMap((month) =>
    KINDS.flatMap((subject) => {
      const own = cases.filter(
        ({ at, identityType }) => identityType === subject && monthOf(at) === month,
      )
      if (own.length === 0) return []
      return [{ month, subject, ...counted(own), predicted: predictedBy(own) }]
    }),
  )
}

/** Of the same cases as a share, so that the two can be compared. */
function predictedBy(cases: readonly OutcomeCase[]): number | null {
  if (cases.length < CASES_MIN || cases.some(({ p }) => p === null)) return null
  return meanP(cases)
}

function meanP(cases: readonly OutcomeCase[]): number {
  return cases.reduce((sum, { p }) => sum + (p ?? 0), 0) / cases.length
}

function badIn(cases: readonly OutcomeCase[]): number {
  return cases.reduce((count, { bad }) => count + (bad ? 1 : 0), 0)
}
