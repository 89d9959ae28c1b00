import type { Decision } from "./action.ts"
import type { Calibration } from "./calibration.ts"
import { dateBefore } from "./date.ts"
import type { ExplainedContribution, Mitigations } from "./explain-email.ts"
import type { PhoneModel } from "./model-phone.ts"
import { smsOtpTrust } from "./phone-fields.ts"
import type { PhoneInput } from "./phone-input.ts"
import { unmitigatedBaseline, type PhonePass } from "./phone-pass.ts"
import { hoursAgo, missesSimHistory, phoneCode, phoneReasonSentence } from "./phone-reasons.ts"
import { phoneRemedies } from "./remedies-phone.ts"
import type { Remedy } from "./remedies.ts"
import { roundHalfUp } from "./scale.ts"
import { filled, spanOf } from "./sentence.ts"
import { phoneSummary, type PhoneSummary } from "./summary-phone.ts"
import { bandOf, type Band, type RiskLevel, type SmsOtpTrust } from "./vocabulary.ts"

const FAMILIES = ["number", "sim", "device", "network", "context"] as const
type Family = (typeof FAMILIES)[number]

export interface PhoneExplanation {
  readonly model: { readonly name: "phone"; readonly version: string }
  readonly calibration: Calibration | null
  readonly input: PhoneInput
  readonly p: number
  readonly p_takeover: number
  readonly p_quality: number
  /** The takeover points before the policy floor. */
  readonly raw_points: number
  readonly policy_floor: { readonly points: number; readonly holds: boolean } | null
  readonly band: Band
  readonly level: RiskLevel
  readonly sms_otp_trust: SmsOtpTrust
  readonly coverage: { readonly value: number } & { readonly [F in Family]: number }
  /** `baseline`, the points of every contribution and `rounding` add up to the score. */
  readonly baseline: number
  readonly contributions: readonly ExplainedContribution[]
  readonly rounding: number
  readonly mitigations: Mitigations
  readonly action: Decision
  readonly notes: readonly string[]
  /** The same for a person; left out by a model that has no words for it. */
  readonly summary?: PhoneSummary
  /** What would lower the score if it were done today; left out with the summary. */
  readonly remedies?: readonly Remedy[]
}

export function phoneExplanation(
  pass: PhonePass,
  input: PhoneInput,
  model: PhoneModel,
): PhoneExplanation {
  const { raw, held, score, baseline, terms } = pass
  const band = bandOf(score)
  const summary = phoneSummary(pass, input, model)
  const negatives = [...terms.takeover.negatives, ...terms.quality.negatives]
  return {
    model: { name: "phone", version: model.version },
    calibration: pass.calibration,
    input,
    p: pass.p,
    p_takeover: pass.pTakeover,
    p_quality: pass.pQuality,
    raw_points: raw,
    policy_floor: held === null ? null : { points: held.floor, holds: held.raw < held.floor },
    band,
    level: band.toUpperCase() as RiskLevel,
    sms_otp_trust: smsOtpTrust(input, pass.knowledge, model),
    coverage: coverageOf(input, model),
    baseline,
    contributions: pass.contributions.map(({ code: place, points }) => {
      const code = phoneCode(place, model)
      const { text, age } = phoneReasonSentence(place, pass, input, model)
      const newest = age === null ? null : dateBefore(input.as_of, age)
      return { code, points, rounded: roundHalfUp(points), newest, text }
    }),
    rounding: score - pass.reached,
    mitigations: {
      terms: negatives.map(({ name, nats }) => ({ term: name, nats })),
      joint_effect: baseline - unmitigatedBaseline(pass, model),
    },
    action: pass.decision,
    notes: notesOf(pass, input, model),
    ...(summary === null ? {} : { summary, remedies: phoneRemedies(pass, input, model) }),
  }
}

function coverageOf(input: PhoneInput, model: PhoneModel): PhoneExplanation["coverage"] {
  const of = (family: Family): number => input.coverage?.[family] ?? 0
  return {
    value: FAMILIES.reduce((sum, family) => sum + model.coverage[family] * of(family), 0),
    number: of("number"),
    sim: of("sim"),
    device: of("device"),
    network: of("network"),
    context: of("context"),
  }
}

function notesOf(
  { knowledge, calibration, held }: PhonePass,
  input: PhoneInput,
  model: PhoneModel,
): string[] {
  const { notes: texts } = model.texts
  const notes: string[] = []
  if (missesSimHistory(knowledge, input, model)) notes.push(texts.sim)
  if (!knowledge.device) notes.push(texts.device)
  if (!knowledge.network) notes.push(texts.network)
  if (!knowledge.context) notes.push(texts.context)
  if (input.noSimChangeDays != null) {
    const n = Math.floor(input.noSimChangeDays)
    const { spans } = model.texts
    notes.push(filled(texts.noChange, { n, span: spans === undefined ? n : spanOf(spans, n) }))
  }
  const { highBelowDays, elevatedBelowDays, lowBelowDays } = model.fields.simSwapRisk
  if ((knowledge.changeAge ?? Infinity) < lowBelowDays) {
    const windows = { high: highBelowDays, elevated: elevatedBelowDays, low: lowBelowDays }
    notes.push(filled(texts.window, windows))
  }
  if (held !== null && held.raw < held.floor) {
    const points = { floor: roundHalfUp(held.floor), raw: roundHalfUp(Math.max(0, held.raw)) }
    notes.push(filled(texts.floor, points))
  }
  if (input.verifiedAge != null && input.verifiedAge < (knowledge.changeAge ?? 0)) {
    const text = knowledge.verifiedSince ? texts.verified : texts.unproven
    if (text !== undefined) {
      notes.push(filled(text, { ago: hoursAgo(input.verifiedAge, model) }))
    }
  }
  if (calibration !== null) notes.push(texts.calibrated)
  return notes
}
