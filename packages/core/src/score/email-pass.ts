import { AbuseTerms } from "./abuse.ts"
import { blockIsPermitted, decide, pricesFor, type Decision } from "./action.ts"
import { contributionsOf, type Contribution, type Factor } from "./attribution.ts"
import {
  pointsFor,
  totalOf,
  usableCalibration,
  usablePrior,
  type Calibration,
} from "./calibration.ts"
import { confidenceOf, type ConfidenceValue } from "./confidence.ts"
import { ALL_KINDS, CredentialTerms, type CredentialRisk } from "./credential.ts"
import { checkAsOf } from "./date.ts"
import type { EmailInput, EmailSettings, Trust } from "./email-input.ts"
import { emailWeights, type EmailWeights } from "./email-weights.ts"
import { Evidence } from "./merge.ts"
import type { EmailModel } from "./model-email.ts"
import type { ReusedPassword } from "./reuse.ts"
import { clip, eitherOf, logit, roundHalfUp } from "./scale.ts"
import { EMAIL_REASON_CODES, EMAIL_EVIDENCE_KINDS, stageName, type Stage } from "./vocabulary.ts"

/** Place of CRED_PASSWORD_REUSE in the codes: after the exposures and before the signals. */
export const REUSE_CODE = EMAIL_REASON_CODES.indexOf("CRED_PASSWORD_REUSE")

/** The bit of the kind of evidence that a code speaks of; none for the reuse of passwords. */
export function kindBit(code: number): number {
  if (code === REUSE_CODE) return 0
  return 1 << (code < REUSE_CODE ? code : code - 1)
}

/** Everything one walk over the input yields: assessment and explanation only read it. */
export interface EmailPass {
  readonly weights: EmailWeights
  readonly evidence: Evidence
  readonly abuse: AbuseTerms
  readonly risk: CredentialRisk
  /** The credential side as if there were no evidence. */
  readonly clean: CredentialRisk
  readonly stage: Stage
  readonly reused: ReusedPassword | null
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

/** What is made once for a model. */
interface Prepared {
  readonly weights: EmailWeights
  readonly credential: CredentialTerms
}

const preparedModels = new WeakMap<EmailModel, Prepared>()

function prepared(model: EmailModel): Prepared {
  let found = preparedModels.get(model)
  if (found === undefined) {
    const weights = emailWeights(model)
    preparedModels.set(
      model,
      (found = { weights, credential: new CredentialTerms(model, weights) }),
    )
  }
  return found
}

const NO_SETTINGS: EmailSettings = {}
const NO_TRUST: Trust = {}

/**
 * Whoever gives room for the evidence reads the pass before that room is used again. Without
 * `attributed` nothing is said of what each factor did to the score, which is most of the work.
 */
export function emailPass(
  input: EmailInput,
  model: EmailModel,
  room: Evidence = new Evidence(),
  attributed = true,
): EmailPass {
  checkAsOf(input.as_of)
  const settings = input.settings ?? NO_SETTINGS
  const trust = input.trust ?? NO_TRUST
  const calibration = usableCalibration(settings.calibration, model.calibration)
  const priorCredential = usablePrior(settings.prior_cred, model.priors.credential, "prior_cred")
  const priorAbuse = usablePrior(settings.prior_abuse, model.priors.abuse, "prior_abuse")

  const { weights, credential } = prepared(model)
  const { scale } = weights
  const evidence = room.take(input, model.conf, weights)
  credential.weigh(evidence, input.exposures, input.rotatedAge ?? null, logit(priorCredential))
  const abuse = new AbuseTerms(trust, priorAbuse, model)
  const clean = credential.risk(0, false)
  const risk = credential.present === 0 ? clean : credential.risk(ALL_KINDS, true)
  const pAbuse = abuse.p(abuse.balance.all())
  const total = totalOf(scale, eitherOf(risk.p, pAbuse), calibration, risk.floor)
  const reached = clip(total.points, 0, 100)
  const score = roundHalfUp(reached)

  const pAbuseNone = abuse.p(abuse.balance.none())
  const scoreOf = ({ p, floor }: CredentialRisk, q: number): number =>
    clip(pointsFor(scale, eitherOf(p, q), calibration, floor), 0, 100)
  const baseline = scoreOf(clean, pAbuseNone)
  const factors: Factor[] = []
  if (attributed) {
    for (const code of credentialCodes(credential)) {
      const kind = kindBit(code)
      const alone =
        code === REUSE_CODE ? baseline : credential.score(kind, false, pAbuseNone, calibration)
      const without = credential.score(ALL_KINDS & ~kind, code !== REUSE_CODE, pAbuse, calibration)
      factors.push({ code, alone, without })
    }
    for (const code of abuse.balance.codes()) {
      const alone = scoreOf(clean, abuse.p(abuse.balance.only(code)))
      const without = scoreOf(risk, abuse.p(abuse.balance.without(code)))
      factors.push({ code, alone, without })
    }
  }

  const stage = stageName(risk.stage)
  const confidence = confidenceOf(input, evidence, model, weights)
  const confirmed = stage === "ATTACKED" || stage === "MONETIZED" || trust.confirmedFraudAge != null
  const decision = decide(pricesFor(weights.prices, scale, settings.costs), {
    score,
    p: total.p,
    takeover: risk.p,
    abuse: pAbuse,
    stepUpEff: input.ctx?.stepUpEff ?? null,
    mayBlock: blockIsPermitted(confidence.word, confirmed, settings.confirmedBeforeBlock === true),
    mayAllow: !risk.freshUsable,
  })
  return {
    weights,
    evidence,
    abuse,
    risk,
    clean,
    stage,
    reused: credential.reuse.reused,
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

/** The codes of the factors that are present on the credential side, in tie order. */
function credentialCodes({ present, reuse }: CredentialTerms): number[] {
  const codes: number[] = []
  for (let code = 0; code <= EMAIL_EVIDENCE_KINDS.length; code++) {
    const isPresent =
      code === REUSE_CODE ? reuse.isShownBy(ALL_KINDS) : (present & kindBit(code)) !== 0
    if (isPresent) codes.push(code)
  }
  return codes
}
