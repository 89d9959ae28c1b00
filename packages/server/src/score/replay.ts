import type { EmailInput, PhoneInput } from "@assay/core/score"
import {
  assessEmail,
  assessPhone,
  type EmailAssessment,
  type EmailExplanation,
  type EmailModel,
  emailOutcome,
  explainEmail,
  explainPhone,
  type PhoneAssessment,
  type PhoneExplanation,
  type PhoneModel,
  phoneOutcome,
} from "@assay/core/score"
import { isExplained } from "@assay/runtime/explained"
import type { Models } from "./models.ts"
import { type Decision, DECISION_FORMAT } from "@assay/stores/decisions"

/**
 * A decision computed again from its own input: neither evidence nor lists of today have a part in
 * it.
 */
export interface Replay {
  readonly input: EmailInput | PhoneInput
  readonly assessment: EmailAssessment | PhoneAssessment
  readonly differences: readonly Difference[]
  explain(): EmailExplanation | PhoneExplanation
}

export interface Difference {
  readonly field: "risk_score" | "threat_stage" | "confidence" | "recommended_action"
  readonly recorded: string | number | null
  readonly computed: string | number | null
}

/** null where the model that decided is not loaded: another one would give another number. */
export function replay(decision: Decision, models: Models): Replay | null {
  // Written by a newer program; this one must not guess at it.
  if (decision.format !== DECISION_FORMAT)
    throw new Error("A decision's input is written in a format this program does not know")
  try {
    return decision.identityType === "email"
      ? replayEmail(decision, models.email(decision.modelVersion))
      : replayPhone(decision, models.phone(decision.modelVersion))
  } catch (error) {
    if (isExplained(error, "model-not-loaded")) return null
    throw error
  }
}

function replayEmail(decision: Decision, model: EmailModel): Replay {
  const input = JSON.parse(decision.input) as EmailInput
  const assessment = assessEmail(input, model)
  return {
    input,
    assessment,
    differences: differencesOf(decision, {
      score: assessment.risk_score,
      stage: assessment.threat_stage,
      confidence: assessment.confidence,
      action: assessment.recommended_action,
    }),
    explain: () => explainEmail(input, model),
  }
}

function replayPhone(decision: Decision, model: PhoneModel): Replay {
  const input = JSON.parse(decision.input) as PhoneInput
  const assessment = assessPhone(input, model)
  return {
    input,
    assessment,
    differences: differencesOf(decision, {
      score: assessment.risk_score,
      stage: null,
      confidence: null,
      action: assessment.recommendation,
    }),
    explain: () => explainPhone(input, model),
  }
}

/** The input of a decision that comes out as it was made; else what stands in the way. */
export function repeatedInput(
  decision: Decision,
  models: Models,
): { readonly input: EmailInput | PhoneInput } | { readonly fault: RepeatFault } {
  const input = JSON.parse(decision.input) as EmailInput | PhoneInput
  try {
    const isSame =
      decision.identityType === "email"
        ? isSameEmail(decision, input as EmailInput, models.email(decision.modelVersion))
        : isSamePhone(decision, input as PhoneInput, models.phone(decision.modelVersion))
    return isSame ? { input } : { fault: "notRepeated" }
  } catch (error) {
    if (isExplained(error, "model-not-loaded")) return { fault: "modelNotLoaded" }
    throw error
  }
}

export type RepeatFault = "modelNotLoaded" | "notRepeated"

function isSameEmail(recorded: Outcome, input: EmailInput, model: EmailModel): boolean {
  const outcome = emailOutcome(input, model)
  return (
    outcome.risk_score === recorded.score &&
    outcome.threat_stage === recorded.stage &&
    outcome.confidence === recorded.confidence &&
    outcome.recommended_action === recorded.action
  )
}

function isSamePhone(recorded: Outcome, input: PhoneInput, model: PhoneModel): boolean {
  const { risk_score, recommendation } = phoneOutcome(input, model)
  return risk_score === recorded.score && recommendation === recorded.action
}

type Outcome = Pick<Decision, "score" | "stage" | "confidence" | "action">

function differencesOf(recorded: Outcome, computed: Outcome): Difference[] {
  const compared: Difference[] = [
    { field: "risk_score", recorded: recorded.score, computed: computed.score },
    { field: "threat_stage", recorded: recorded.stage, computed: computed.stage },
    { field: "confidence", recorded: recorded.confidence, computed: computed.confidence },
    { field: "recommended_action", recorded: recorded.action, computed: computed.action },
  ]
  return compared.filter((each) => each.recorded !== each.computed)
}
