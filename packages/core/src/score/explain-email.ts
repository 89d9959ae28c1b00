import type { Decision } from "./action.ts"
import { pointsFor, type Calibration } from "./calibration.ts"
import type { EmailInput } from "./email-input.ts"
import type { EmailPass } from "./email-pass.ts"
import { emailCode, newestDate, emailReasonSentence } from "./email-reasons.ts"
import type { Evidence } from "./merge.ts"
import type { EmailModel } from "./model-email.ts"
import { emailRemedies } from "./remedies-email.ts"
import type { EmailRemedy } from "./remedies.ts"
import { clip, decayed, eitherOf, roundHalfUp } from "./scale.ts"
import { daysAgo, filled } from "./sentence.ts"
import { emailSummary, type EmailSummary } from "./summary-email.ts"
import { explainedStage, type ExplainedStage } from "./explain-stage.ts"
import { bandOf, EMAIL_EVIDENCE_KINDS, type Band } from "./vocabulary.ts"

export interface ExplainedContribution {
  /** One of the program's reason codes, or the code of a row of the document. */
  readonly code: string
  readonly points: number
  readonly rounded: number
  readonly newest: string | null
  readonly text: string
}

/** Terms that speak against risk: inside the baseline, with their effect on it as one number. */
export interface Mitigations {
  readonly terms: readonly { readonly term: string; readonly nats: number }[]
  readonly joint_effect: number
}

export interface EmailExplanation {
  readonly model: { readonly name: "email"; readonly version: string }
  readonly calibration: Calibration | null
  readonly input: EmailInput
  readonly p: number
  readonly p_credential: number
  readonly p_abuse: number
  readonly credential_points: number
  /** The credential points before floor and cap of the stage. */
  readonly raw_points: number
  readonly band: Band
  readonly stage: ExplainedStage
  readonly confidence_value: number
  readonly coverage: {
    readonly value: number
    readonly credential: number
    readonly darkweb: number
    readonly trust: number
    readonly bot: number
  }
  /** `baseline`, the points of every contribution and `rounding` add up to the score. */
  readonly baseline: number
  readonly contributions: readonly ExplainedContribution[]
  readonly rounding: number
  readonly mitigations: Mitigations
  readonly action: Decision
  readonly interest_trend: InterestTrend
  readonly notes: readonly string[]
  /** The same for a person; left out by a model that has no words for it. */
  readonly summary?: EmailSummary
  /** What would lower the score if it were done today; left out with the summary. */
  readonly remedies?: readonly EmailRemedy[]
}

export interface InterestTrend {
  readonly value: number
  readonly direction: "none" | "rising" | "steady" | "falling"
}

export function emailExplanation(
  pass: EmailPass,
  input: EmailInput,
  model: EmailModel,
): EmailExplanation {
  const { coverage } = input
  const stage = explainedStage(pass, input, model)
  const summary = emailSummary(pass, stage, input, model)
  return {
    model: { name: "email", version: model.version },
    calibration: pass.calibration,
    input,
    p: pass.p,
    p_credential: pass.risk.p,
    p_abuse: pass.pAbuse,
    credential_points: pass.risk.points,
    raw_points: pass.risk.raw,
    band: bandOf(pass.score),
    stage,
    confidence_value: pass.confidence.value,
    coverage: {
      value: pass.confidence.coverage,
      credential: coverage?.credential ?? 0,
      darkweb: coverage?.darkweb ?? 0,
      trust: coverage?.trust ?? 0,
      bot: coverage?.bot ?? 0,
    },
    baseline: pass.baseline,
    contributions: pass.contributions.map(({ code, points }) => {
      const sentence = emailReasonSentence(code, pass, input, model)
      return {
        code: emailCode(code, model),
        points,
        rounded: roundHalfUp(points),
        newest: newestDate(sentence, input.as_of),
        text: sentence.text,
      }
    }),
    rounding: pass.score - pass.reached,
    mitigations: mitigationsOf(pass),
    action: pass.decision,
    interest_trend: interestTrend(pass.evidence, model),
    notes: notesOf(pass, input, model),
    ...(summary === null ? {} : { summary, remedies: emailRemedies(pass, input, model) }),
  }
}

function mitigationsOf({ weights, abuse, clean, calibration, baseline }: EmailPass): Mitigations {
  const { balance } = abuse
  const p = eitherOf(clean.p, abuse.p(balance.noneUnmitigated()))
  const unmitigated = pointsFor(weights.scale, p, calibration, clean.floor)
  return {
    terms: balance.negatives.map(({ name, nats }) => ({ term: name, nats })),
    joint_effect: baseline - clip(unmitigated, 0, 100),
  }
}

// For display only. A ratio of windows as a term would rise when an old mention leaves the longer
// window, and waiting alone must never raise a score.
function interestTrend(
  { count, kinds, confs, ages }: Evidence,
  { trend }: EmailModel,
): InterestTrend {
  let fast = 0
  let slow = 0
  for (let item = 0; item < count; item++) {
    if (EMAIL_EVIDENCE_KINDS[kinds[item] as number] !== "mention") continue
    const conf = confs[item] as number
    const age = ages[item] as number
    fast += conf * decayed(age, trend.fastHalfLifeDays)
    slow += conf * decayed(age, trend.slowHalfLifeDays)
  }
  const value = fast / (1 + slow)
  if (slow === 0) return { value, direction: "none" }
  if (value >= trend.rising) return { value, direction: "rising" }
  return { value, direction: value <= trend.falling ? "falling" : "steady" }
}

function notesOf(pass: EmailPass, input: EmailInput, model: EmailModel): string[] {
  const { notes: texts, ago } = model.texts
  const { trust, coverage, rotatedAge } = input
  const notes: string[] = []
  for (const family of ["credential", "darkweb", "trust", "bot"] as const) {
    const share = coverage?.[family] ?? 0
    if (share < 1) notes.push(share === 0 ? texts[family].missing : texts[family].partial)
  }
  if (trust?.mx == null) notes.push(texts.mx)
  if (trust?.domainAge == null && trust?.free !== true) notes.push(texts.domainAge)
  if (trust?.deliverable == null && trust?.ownershipVerified == null) {
    notes.push(texts.deliverability)
  }
  if (trust?.traces == null) notes.push(texts.traces)
  if (rotatedAge != null) notes.push(filled(texts.rotated, { ago: daysAgo(ago, rotatedAge) }))
  const { freshUsable } = model.exposure
  if (pass.risk.freshUsable && freshUsable !== undefined && texts.freshUsable !== undefined) {
    notes.push(filled(texts.freshUsable, { floor: freshUsable.floor, n: freshUsable.daysMax }))
  }
  if (pass.calibration !== null) notes.push(texts.calibrated)
  return notes
}
