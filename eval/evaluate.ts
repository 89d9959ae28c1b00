import { createHash } from "node:crypto"
import {
  BANDS,
  brierScore,
  calibrated,
  equalMassBins,
  plattFit,
  qualityOf,
  rocAuc,
  STAGES,
  type EmailModel,
  type Label,
  type Outcome,
  type Quality,
} from "@assay/core/score"
import type {
  AreaWithInterval,
  EmailEvaluation,
  ReliabilityBin,
} from "../packages/server/src/model-tools/email-evaluation.ts"
import { aucInterval } from "./metrics/auc-interval.ts"
import { averagePrecision } from "./metrics/average-precision.ts"
import { topLift } from "./metrics/lift.ts"
import { rocCurve } from "./metrics/roc-curve.ts"
import { groups } from "./groups.ts"
import { scoredIdentities, type ScoredIdentity } from "./scored-identities.ts"

/**
 * Around the prior of the model, from a well guarded service to one whose users have no second
 * factor.
 */
const PRIORS_CREDENTIAL = [0.006, 0.0033, 0.002, 0.001]
const ROC_POINTS = 61
const RELIABILITY_BINS = 10
const SCORE_STEP_POINTS = 5
/**
 * This many identities are enough to see whether the simulator or the scorer changed since a run.
 */
export const SAMPLED_IDENTITIES = 1_500

const baselines: readonly { name: string; of: (row: ScoredIdentity) => number }[] = [
  { name: "exposure count", of: ({ exposureCount }) => exposureCount },
  { name: "disposable domain", of: ({ disposable }) => (disposable ? 1 : 0) },
  {
    name: "mailbox younger than 30 days",
    of: ({ emailAgeDays }) => (emailAgeDays !== null && emailAgeDays < 30 ? 1 : 0),
  },
  { name: "base rate for everyone", of: () => 0 },
]

/** Everything that is reported about a model. The same arguments always give the same numbers. */
export function evaluate(model: EmailModel, seed: number, identities: number): EmailEvaluation {
  const rows = scoredIdentities({ seed, identities, priorsCredential: PRIORS_CREDENTIAL }, model)
  const { fit, ...calibration } = calibrationOf(rows, model)
  return {
    model: { name: model.name, version: model.version, sha256: fingerprint(model) },
    population: {
      identities,
      seed,
      bad: countOf(rows, ({ bad }) => bad),
      takeover: countOf(rows, ({ takeover }) => takeover),
      abuse: countOf(rows, ({ abuse }) => abuse),
      sampleSha256: sampleFingerprint(rows),
    },
    auc: {
      all: interval(rows),
      takeover: interval(rows.map(({ pCredential: p, takeover: bad }) => ({ p, bad }))),
      abuse: interval(rows.map(({ pAbuse: p, abuse: bad }) => ({ p, bad }))),
    },
    averagePrecision: rounded(averagePrecision(rows)),
    topDecileLift: rounded(topLift(rows, 0.1)),
    baselines: baselines.map(({ name, of }) => {
      const flagged = rows.map((row) => ({ p: of(row), bad: row.bad }))
      return {
        name,
        auc: rounded(rocAuc(flagged)),
        averagePrecision: rounded(averagePrecision(flagged)),
      }
    }),
    calibration,
    bands: BANDS.map(({ name: band }) => {
      const members = rows.filter((row) => row.band === band)
      return {
        band,
        share: rounded(members.length / rows.length),
        badRate: meanOf(members, ({ bad }) => (bad ? 1 : 0)),
        meanP: meanOf(members, ({ p }) => p),
      }
    }),
    stages: STAGES.map(({ name: stage }) => {
      const members = rows.filter((row) => row.stage === stage)
      return {
        stage,
        share: rounded(members.length / rows.length),
        takeoverRate: meanOf(members, ({ takeover }) => (takeover ? 1 : 0)),
        meanCredentialP: meanOf(members, ({ pCredential }) => pCredential),
      }
    }),
    sensitivity: PRIORS_CREDENTIAL.map((priorCredential, i) =>
      sensitivity(rows, priorCredential, i),
    ),
    groups: groups.flatMap(({ factor, names, nameOf }) =>
      names.map((group) => {
        const members = rows.filter((row) => nameOf(row) === group)
        const auc = rocAuc(members)
        return {
          factor,
          group,
          share: rounded(members.length / rows.length),
          badRate: meanOf(members, ({ bad }) => (bad ? 1 : 0)),
          meanP: meanOf(members, ({ p }) => p),
          auc: auc === null ? null : rounded(auc),
        }
      }),
    ),
    curves: {
      roc: [{ name: "model", of: ({ p }: ScoredIdentity) => p }, ...baselines.slice(0, 3)].map(
        ({ name, of }) => ({
          name,
          points: rocCurve(
            rows.map((row) => ({ p: of(row), bad: row.bad })),
            ROC_POINTS,
          ).map((point) => point.map(rounded)),
        }),
      ),
      reliability: {
        before: reliability(fit.measured),
        after: reliability(fit.after),
      },
      scores: {
        stepPoints: SCORE_STEP_POINTS,
        good: scoreShares(rows.filter(({ bad }) => !bad)),
        takeover: scoreShares(rows.filter(({ takeover, abuse }) => takeover && !abuse)),
        abuse: scoreShares(rows.filter(({ abuse }) => abuse)),
      },
    },
  }
}

/** Names a model document: a figure belongs to the weights it was measured with. */
export function fingerprint(model: EmailModel): string {
  return sha256(JSON.stringify(model))
}

function sampleFingerprint(rows: readonly ScoredIdentity[]): string {
  const sample = rows.slice(0, SAMPLED_IDENTITIES)
  return sha256(
    sample
      .map(({ p, score, takeover, abuse }) => `${p.toFixed(6)} ${score} ${takeover} ${abuse}`)
      .join("\n"),
  )
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex")
}

// Identities are independent of each other, so that every second one is as good a sample as any.
function calibrationOf(rows: readonly ScoredIdentity[], model: EmailModel) {
  const fitted = rows.filter((_, i) => i % 2 === 0)
  const measured = rows.filter((_, i) => i % 2 === 1)
  const line = plattFit(fitted, model.calibration)
  const after = calibrated(measured, line, model.scale)
  const unfloored: Label[] = measured.map(({ p, bad }) => ({ p, bad, floor: null }))
  const baseRate = countOf(fitted, ({ bad }) => bad) / fitted.length
  return {
    fitted: fitted.length,
    measured: measured.length,
    A: rounded(line.A),
    B: rounded(line.B),
    before: roundedQuality(qualityOf(measured)),
    after: roundedQuality(qualityOf(after)),
    afterWithoutFloors: roundedQuality(qualityOf(calibrated(unfloored, line, model.scale))),
    baseRateBrier: rounded(brierScore(measured.map(({ bad }) => ({ p: baseRate, bad })))),
    fit: { measured, after },
  }
}

function sensitivity(rows: readonly ScoredIdentity[], priorCredential: number, i: number) {
  const seen = rows.flatMap(({ atPriors, bad }) => {
    const at = atPriors[i]
    return at === undefined ? [] : [{ ...at, bad }]
  })
  const elevated = seen.filter(({ band }) => band === "elevated")
  return {
    priorCredential,
    auc: rounded(rocAuc(seen)),
    elevatedShare: rounded(elevated.length / rows.length),
    elevatedBadRate: meanOf(elevated, ({ bad }) => (bad ? 1 : 0)),
  }
}

function interval(outcomes: readonly Outcome[]): AreaWithInterval {
  const found = aucInterval(outcomes)
  if (found === null) throw new RangeError("too few identities to have two of each outcome")
  return { auc: rounded(found.auc), low: rounded(found.low), high: rounded(found.high) }
}

function reliability(outcomes: readonly Outcome[]): ReliabilityBin[] {
  return equalMassBins(outcomes, RELIABILITY_BINS).map(({ rows, meanP, badRate }) => ({
    rows,
    meanP: rounded(meanP),
    badRate: rounded(badRate),
  }))
}

function scoreShares(rows: readonly ScoredIdentity[]): number[] {
  const steps = 100 / SCORE_STEP_POINTS
  const counts = new Array<number>(steps).fill(0)
  for (const { score } of rows) {
    // The highest step takes 100 as well.
    const step = Math.min(Math.floor(score / SCORE_STEP_POINTS), steps - 1)
    counts[step] = (counts[step] ?? 0) + 1
  }
  return counts.map((count) => rounded(count / Math.max(1, rows.length)))
}

function countOf(rows: readonly ScoredIdentity[], is: (row: ScoredIdentity) => boolean): number {
  return rows.filter(is).length
}

function meanOf<T>(rows: readonly T[], value: (row: T) => number): number | null {
  if (rows.length === 0) return null
  return rounded(rows.reduce((sum, row) => sum + value(row), 0) / rows.length)
}

function roundedQuality({ brier, ece, logLoss, auc }: Quality): Quality {
  return { brier: rounded(brier), ece: rounded(ece), logLoss: rounded(logLoss), auc: rounded(auc) }
}

/** Five decimals: the printed value must not depend on the last bit of a machine's logarithm. */
function rounded(value: number | null): number {
  if (value === null) throw new RangeError("too few identities to have both outcomes")
  return Number(value.toFixed(5))
}
