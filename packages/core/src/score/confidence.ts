import type { EmailCoverage, EmailInput } from "./email-input.ts"
import type { ByDay } from "./by-day.ts"
import type { EmailWeights } from "./email-weights.ts"
import { type Evidence, NO_ITEM } from "./merge.ts"
import type { EmailModel } from "./model-email.ts"
import { clip } from "./scale.ts"
import type { Confidence } from "./vocabulary.ts"

export interface ConfidenceValue {
  readonly word: Confidence
  readonly value: number
  /** The weighted share of all look-ups of the model that were made. */
  readonly coverage: number
  /** How many trusted, recent sources the evidence amounts to. */
  readonly evidence: number
}

const NOT_LOOKED_AT: EmailCoverage = {}

/**
 * How much was looked at and found, not how risky it is: staleness lowers this, never the score.
 */
export function confidenceOf(
  input: EmailInput,
  evidence: Evidence,
  { confidence: model }: EmailModel,
  { witnessShare }: EmailWeights,
): ConfidenceValue {
  const given = input.coverage ?? NOT_LOOKED_AT
  const coverage =
    model.coverage.credential * (given.credential ?? 0) +
    model.coverage.darkweb * (given.darkweb ?? 0) +
    model.coverage.trust * (given.trust ?? 0) +
    model.coverage.bot * (given.bot ?? 0)
  const mass = evidenceMass(evidence, witnessShare)
  const found = 1 - Math.exp(-mass / model.evidenceScale)
  const conflict = model.conflict * Number(input.conflict ?? 0)
  const sum = model.coverageShare * coverage + model.evidenceShare * found - conflict
  const value = clip(sum, 0, 1)
  return { word: wordOf(value, model), value, coverage, evidence: mass }
}

function wordOf(value: number, { mediumFrom, highFrom }: EmailModel["confidence"]): Confidence {
  if (value >= highFrom) return "high"
  return value >= mediumFrom ? "medium" : "low"
}

// A source is one witness however many items it has, so only its best item counts.
function evidenceMass(evidence: Evidence, share: ByDay): number {
  const { sourceCount, lastOfSource, before, confs, ages } = evidence
  let sum = 0
  for (let source = 0; source < sourceCount; source++) {
    let best = 0
    for (let item = lastOfSource[source] as number; item !== NO_ITEM;) {
      best = Math.max(best, (confs[item] as number) * share.at(ages[item] as number))
      item = before[item] as number
    }
    sum += best
  }
  return sum
}
