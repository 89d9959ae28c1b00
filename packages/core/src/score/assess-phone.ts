import { leading } from "./attribution.ts"
import { phoneExplanation, type PhoneExplanation } from "./explain-phone.ts"
import type { PhoneModel } from "./model-phone.ts"
import {
  networkContinuity,
  ownershipConfidence,
  simChangeWindow,
  simSwapRisk,
} from "./phone-fields.ts"
import type { PhoneInput } from "./phone-input.ts"
import { phonePass, type PhonePass } from "./phone-pass.ts"
import { missesSimHistory, nothingRaises, phoneCode, phoneReasonSentence } from "./phone-reasons.ts"
import {
  bandOf,
  type Action,
  type Confidence,
  type NetworkContinuity,
  type RiskLevel,
  type SimSwapRisk,
} from "./vocabulary.ts"

/** The public answer about a phone number, without the number. */
export interface PhoneAssessment {
  readonly risk_score: number
  readonly risk_level: RiskLevel
  readonly sim_swap_risk: SimSwapRisk
  readonly sim_change_detected: boolean
  /** "2h" or "5d", null when no change was detected. */
  readonly sim_change_window: string | null
  readonly ownership_confidence: Confidence
  readonly network_continuity: NetworkContinuity
  readonly number_type: string
  readonly carrier_region: string
  readonly risk_reasons: readonly string[]
  readonly recommendation: Action
}

/** Scores a phone number. The same two arguments always give the same assessment. */
export function assessPhone(input: PhoneInput, model: PhoneModel): PhoneAssessment {
  return publicFields(phonePass(input, model), input, model)
}

/** What an assessment decides, without the reasons for it. */
export type PhoneOutcome = Pick<PhoneAssessment, "risk_score" | "recommendation">

/** The members of `assessPhone` of the same two arguments, in less time. */
export function phoneOutcome(input: PhoneInput, model: PhoneModel): PhoneOutcome {
  const { score, decision } = phonePass(input, model, false)
  return { risk_score: score, recommendation: decision.action }
}

/** Everything that led to the assessment of the same two arguments. */
export function explainPhone(input: PhoneInput, model: PhoneModel): PhoneExplanation {
  return phoneExplanation(phonePass(input, model), input, model)
}

/** The public codes of what drives the score of the same two arguments, most points first. */
export function phoneReasonCodes(input: PhoneInput, model: PhoneModel): string[] {
  const { contributions } = phonePass(input, model)
  return leading(contributions, model.reasons).map(({ code }) => phoneCode(code, model))
}

function publicFields(pass: PhonePass, input: PhoneInput, model: PhoneModel): PhoneAssessment {
  const { knowledge, score } = pass
  const window = simChangeWindow(knowledge, model)
  return {
    risk_score: score,
    risk_level: riskLevelOf(score),
    sim_swap_risk: simSwapRisk(knowledge, model),
    sim_change_detected: window !== null,
    sim_change_window: window,
    ownership_confidence: ownershipConfidence(input, knowledge, model),
    network_continuity: networkContinuity(input, model),
    number_type: input.numberType,
    carrier_region: input.region,
    risk_reasons: reasonsOf(pass, input, model),
    recommendation: pass.decision.action,
  }
}

function reasonsOf(pass: PhonePass, input: PhoneInput, model: PhoneModel): string[] {
  const reasons = leading(pass.contributions, model.reasons).map(
    ({ code }) => phoneReasonSentence(code, pass, input, model).text,
  )
  if (reasons.length === 0) reasons.push(nothingRaises(pass.knowledge, model.texts))
  if (missesSimHistory(pass.knowledge, input, model)) {
    reasons.push(model.texts.simHistoryUnavailable)
  }
  return reasons
}

/** The level of a phone score: the band of the same score, in capitals as the contract has it. */
export function riskLevelOf(score: number): RiskLevel {
  return bandOf(score).toUpperCase() as RiskLevel
}
