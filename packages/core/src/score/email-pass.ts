import { AbuseTerms } from "./abuse.ts"
import { costsFor, decide, blockIsPermitted, type Decision } from "./action.ts"
import { contributionsOf, placesOf, type Contribution, type Factor } from "./attribution.ts"
import { totalOf, usableCalibration, usablePrior, type Calibration } from "./calibration.ts"
import { confidenceOf, type ConfidenceValue } from "./confidence.ts"
import { ALL_KINDS, CredentialTerms, type CredentialRisk } from "./credential.ts"
import { checkAsOf } from "./date.ts"
import type { EmailInput } from "./email-input.ts"
import { mergedEvidence, type Evidence } from "./merge.ts"
import type { EmailModel } from "./model-email.ts"
import { clip, eitherOf, roundHalfUp } from "./scale.ts"
import { stageName } from "./stage.ts"
import {
  EMAIL_REASON_CODES,
  EMAIL_EVIDENCE_KINDS,
  EXPOSURE_KINDS,
  type Stage,
} from "./vocabulary.ts"

/** Place of CRED_PASSWORD_REUSE in the codes: after the exposures and before the signals. */
export const REUSE_CODE = EMAIL_REASON_CODES.indexOf("CRED_PASSWORD_REUSE")

/** The place in the codes of a kind of evidence. */
export function codeOfKind(kind: number): number {
  return kind < EXPOSURE_KINDS.length ? kind : kind + 1
}

/** Everything one walk over the input yields: assessment and explanation only read it. */
export interface EmailPass {
  readonly evidence: Evidence
  readonly credential: CredentialTerms
  readonly abuse: AbuseTerms
  readonly risk: CredentialRisk
  readonly stage: Stage
  readonly pAbuse: number
  readonly p: number
  readonly score: number
  /** The clipped, unrounded score without any factor, and with all of them. */
  readonly baseline: number
  readonly reached: number
  readonly calibration: Calibration | null
  readonly contributions: readonly Contribution[]
  readonly confidence: ConfidenceValue
  readonly decision: Decision
}

export function emailPass(input: EmailInput, model: EmailModel): EmailPass {
  checkAsOf(input.as_of)
  const settings = input.settings ?? {}
  const calibration = usableCalibration(settings.calibration, model.calibration)
  const priorCredential = usablePrior(settings.prior_cred, model.priors.credential, "prior_cred")
  const priorAbuse = usablePrior(settings.prior_abuse, model.priors.abuse, "prior_abuse")

  const evidence = mergedEvidence(input, model)
  const credential = new CredentialTerms(evidence, input.rotatedAge ?? null, priorCredential, model)
  const abuse = new AbuseTerms(input.trust ?? {}, priorAbuse, model)
  const risk = credential.risk(ALL_KINDS, true)
  const pAbuse = abuse.p(abuse.balance.all())
  const total = totalOf(model.scale, eitherOf(risk.p, pAbuse), calibration, risk.floor)
  const reached = clip(total.points, 0, 100)
  const score = roundHalfUp(reached)

  const clean = credential.risk(0, false)
  const pAbuseNone = abuse.p(abuse.balance.none())
  const scoreOf = ({ p, floor }: CredentialRisk, q: number): number =>
    clip(totalOf(model.scale, eitherOf(p, q), calibration, floor).points, 0, 100)
  const baseline = scoreOf(clean, pAbuseNone)
  const factors: Factor[] = []
  for (const code of presentCodes(evidence, credential, abuse)) {
    if (code < FIRST_TRUST_CODE) {
      const kind = kindBit(code)
      const alone = code === REUSE_CODE ? clean : credential.risk(kind, false)
      const without = credential.risk(ALL_KINDS & ~kind, code !== REUSE_CODE)
      const scores = { alone: scoreOf(alone, pAbuseNone), without: scoreOf(without, pAbuse) }
      factors.push({ code, ...scores })
    } else {
      const alone = scoreOf(clean, abuse.p(abuse.balance.only(code)))
      const without = scoreOf(risk, abuse.p(abuse.balance.without(code)))
      factors.push({ code, alone, without })
    }
  }

  const stage = stageName(risk.stage)
  const confidence = confidenceOf(input, evidence, model)
  const confirmed =
    stage === "ATTACKED" || stage === "MONETIZED" || input.trust?.confirmedFraudAge != null
  const decision = decide(model.scale, costsFor(model.costs, settings.costs), {
    score,
    p: total.p,
    takeover: risk.p,
    abuse: pAbuse,
    stepUpEff: input.ctx?.stepUpEff ?? null,
    mayBlock: blockIsPermitted(confidence.word, confirmed, settings.confirmedBeforeBlock === true),
    mayAllow: !risk.freshUsable,
  })
  return {
    evidence,
    credential,
    abuse,
    risk,
    stage,
    pAbuse,
    p: total.p,
    score,
    baseline,
    reached,
    calibration,
    contributions: contributionsOf(factors, baseline, reached),
    confidence,
    decision,
  }
}

const FIRST_TRUST_CODE = EMAIL_EVIDENCE_KINDS.length + 1

/** The bit of the kind a code speaks of; none for the reuse of passwords. */
function kindBit(code: number): number {
  if (code === REUSE_CODE) return 0
  return 1 << (code < REUSE_CODE ? code : code - 1)
}

/** The codes of the factors that are present, in tie order. */
function presentCodes(
  { items }: Evidence,
  credential: CredentialTerms,
  abuse: AbuseTerms,
): number[] {
  const present: boolean[] = []
  abuse.balance.markFactors(present)
  for (const { kind } of items) present[codeOfKind(kind)] = true
  if (credential.reuse.isShownBy(ALL_KINDS)) present[REUSE_CODE] = true
  return placesOf(present)
}
