import { leading, type Contribution } from "./attribution.ts"
import { dateBefore } from "./date.ts"
import type { EmailInput } from "./email-input.ts"
import { emailPass, type EmailPass } from "./email-pass.ts"
import {
  emailCode,
  nothingFound,
  summary,
  emailReasonSentence,
  uncheckedExposure,
  type Summary,
} from "./email-reasons.ts"
import { emailExplanation, type EmailExplanation } from "./explain-email.ts"
import { Evidence } from "./merge.ts"
import type { EmailModel } from "./model-email.ts"
import {
  EMAIL_REASON_CODES,
  EMAIL_EVIDENCE_KINDS,
  type Action,
  type Confidence,
  type EmailEvidenceKind,
  type Stage,
} from "./vocabulary.ts"

/** The public answer about an e-mail address, without the address. */
export interface EmailAssessment {
  readonly risk_score: number
  readonly confidence: Confidence
  readonly threat_stage: Stage
  readonly exposed: boolean
  readonly exposure_count: number
  /** YYYY-MM-DD, null when not exposed. */
  readonly last_seen: string | null
  readonly risk_reasons: readonly string[]
  readonly recommended_action: Action
  readonly model_version: string
}

/** Of one identity after the other: making it anew costs more than a handful of items. */
const room = new Evidence()

/** Scores an e-mail identity. The same two arguments always give the same assessment. */
export function assessEmail(input: EmailInput, model: EmailModel): EmailAssessment {
  return publicFields(emailPass(input, model, room), input, model)
}

/** What an assessment decides, without the reasons for it. */
export type EmailOutcome = Pick<
  EmailAssessment,
  "risk_score" | "confidence" | "threat_stage" | "recommended_action"
>

/** The members of `assessEmail` of the same two arguments, in less time. */
export function emailOutcome(input: EmailInput, model: EmailModel): EmailOutcome {
  const { score, confidence, stage, decision } = emailPass(input, model, room, false)
  return {
    risk_score: score,
    confidence: confidence.word,
    threat_stage: stage,
    recommended_action: decision.action,
  }
}

/** Everything that led to the assessment of the same two arguments. */
export function explainEmail(input: EmailInput, model: EmailModel): EmailExplanation {
  return emailExplanation(emailPass(input, model, room), input, model)
}

/** The public codes of what drives the score of the same two arguments, most points first. */
export function emailReasonCodes(input: EmailInput, model: EmailModel): string[] {
  const pass = emailPass(input, model, room)
  return leading(worthTelling(pass, input, model), model.reasons).map(({ code }) =>
    emailCode(code, model),
  )
}

function publicFields(pass: EmailPass, input: EmailInput, model: EmailModel): EmailAssessment {
  const exposed = summary(pass.evidence, EXPOSED)
  const { sources, age } = exposed
  const reasons = leading(worthTelling(pass, input, model), model.reasons)
  return {
    risk_score: pass.score,
    confidence: pass.confidence.word,
    threat_stage: pass.stage,
    exposed: sources > 0,
    exposure_count: sources,
    last_seen: sources > 0 ? dateBefore(input.as_of, age) : null,
    risk_reasons: sentencesOf(reasons, exposed, pass, input, model),
    recommended_action: pass.decision.action,
    model_version: model.version,
  }
}

function sentencesOf(
  reasons: readonly { readonly code: number }[],
  exposed: Summary,
  pass: EmailPass,
  input: EmailInput,
  model: EmailModel,
): string[] {
  const sentences =
    reasons.length === 0
      ? [nothingFound(exposed, input, model)]
      : reasons.map(({ code }) => emailReasonSentence(code, pass, input, model).text)
  // Added beside any other reason: "clean" and "not looked at" must not be confused.
  const unchecked =
    uncheckedExposure(input, model) ??
    (input.checked.withheld === true && reasons.length > 0 ? model.texts.nothing.withheld : null)
  if (unchecked !== null && !sentences.includes(unchecked)) sentences.push(unchecked)
  return sentences
}

// Names that are rare in one language are common in another, so a weak likeness to machine-made
// ones is no reason to give anybody. It still counts, and the explanation shows it.
function worthTelling(
  pass: EmailPass,
  input: EmailInput,
  model: EmailModel,
): readonly Contribution[] {
  const { reasonFrom } = model.abuse.handle
  if (reasonFrom === undefined || (input.trust?.handle ?? 0) >= reasonFrom)
    return pass.contributions
  return pass.contributions.filter(({ code }) => code !== HANDLE_CODE)
}

const HANDLE_CODE = EMAIL_REASON_CODES.indexOf("BOT_HANDLE")

// Talk about a person, an attack and a loss are no exposure: they publish nothing of the person's.
const NO_EXPOSURE: ReadonlySet<EmailEvidenceKind> = new Set(["mention", "attack", "monetized"])

/** The kinds that are, as a bit mask. */
const EXPOSED = EMAIL_EVIDENCE_KINDS.reduce(
  (kinds, kind, place) => (NO_EXPOSURE.has(kind) ? kinds : kinds | (1 << place)),
  0,
)
