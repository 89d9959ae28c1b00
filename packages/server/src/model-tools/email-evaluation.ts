import type { Band, Quality, Stage } from "@assay/core/score"
import email10 from "./email-1.0-evaluation.json" with { type: "json" }
import email11 from "./email-1.1-evaluation.json" with { type: "json" }

/**
 * What a run of the evaluation found about one version of the e-mail model. `npm run eval` writes
 * it.
 */
export interface EmailEvaluation {
  /** The hash of the model document that was evaluated: another document needs another run. */
  readonly model: { readonly name: string; readonly version: string; readonly sha256: string }
  readonly population: {
    readonly identities: number
    readonly seed: number
    readonly bad: number
    readonly takeover: number
    readonly abuse: number
    /** Of the first identities as they were scored. */
    readonly sampleSha256: string
  }
  readonly auc: {
    readonly all: AreaWithInterval
    readonly takeover: AreaWithInterval
    readonly abuse: AreaWithInterval
  }
  readonly averagePrecision: number
  readonly topDecileLift: number
  readonly baselines: readonly {
    readonly name: string
    readonly auc: number
    readonly averagePrecision: number
  }[]
  readonly calibration: {
    readonly fitted: number
    readonly measured: number
    readonly A: number
    readonly B: number
    readonly before: Quality
    /** As the service would answer: the fitted line, and the floors of the stages after it. */
    readonly after: Quality
    readonly afterWithoutFloors: Quality
    /** What saying the base rate of everyone would reach. */
    readonly baseRateBrier: number
  }
  readonly bands: readonly {
    readonly band: Band
    readonly share: number
    readonly badRate: number | null
    readonly meanP: number | null
  }[]
  readonly stages: readonly {
    readonly stage: Stage
    readonly share: number
    readonly takeoverRate: number | null
    readonly meanCredentialP: number | null
  }[]
  readonly sensitivity: readonly {
    readonly priorCredential: number
    readonly auc: number
    readonly elevatedShare: number
    readonly elevatedBadRate: number | null
  }[]
  readonly groups: readonly {
    readonly factor: string
    readonly group: string
    readonly share: number
    readonly badRate: number | null
    readonly meanP: number | null
    readonly auc: number | null
  }[]
  readonly curves: {
    readonly roc: readonly {
      readonly name: string
      readonly points: readonly (readonly number[])[]
    }[]
    readonly reliability: {
      readonly before: readonly ReliabilityBin[]
      readonly after: readonly ReliabilityBin[]
    }
    /** The share of each outcome in each step of the score. */
    readonly scores: {
      readonly stepPoints: number
      readonly good: readonly number[]
      readonly takeover: readonly number[]
      readonly abuse: readonly number[]
    }
  }
}

export interface AreaWithInterval {
  readonly auc: number
  readonly low: number
  readonly high: number
}

export interface ReliabilityBin {
  readonly rows: number
  readonly meanP: number
  readonly badRate: number
}

/** The evaluations that ship, by version of the model. */
export const emailEvaluations: Readonly<Record<"1.0" | "1.1", EmailEvaluation>> = {
  "1.0": email10 as EmailEvaluation,
  "1.1": email11 as EmailEvaluation,
}

/** The version that a card shows a version beside: the one it followed. */
const PREDECESSORS: Readonly<Record<string, keyof typeof emailEvaluations>> = {
  "1.1": "1.0",
}

/**
 * What is known of the version before; null for the first, and for one that does not come with the
 * program.
 */
export function evaluationBefore(version: string): EmailEvaluation | null {
  const before = Object.hasOwn(PREDECESSORS, version) ? PREDECESSORS[version] : undefined
  return before === undefined ? null : emailEvaluations[before]
}

/** What is known of a version; null for one that was never evaluated. */
export function evaluationOf(version: string): EmailEvaluation | null {
  return Object.hasOwn(emailEvaluations, version)
    ? emailEvaluations[version as keyof typeof emailEvaluations]
    : null
}
