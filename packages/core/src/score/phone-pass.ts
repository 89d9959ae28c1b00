import { costsFor, decide, type Decision } from "./action.ts"
import { contributionsOf, type Contribution, type Factor } from "./attribution.ts"
import { totalOf, usableCalibration, type Calibration } from "./calibration.ts"
import { checkAsOf } from "./date.ts"
import type { PhoneModel } from "./model-phone.ts"
import { phoneKnowledge, type PhoneInput, type PhoneKnowledge } from "./phone-input.ts"
import { phoneTerms, type PhoneTerms } from "./phone-terms.ts"
import { clip, eitherOf, logit, logOddsOf, pointsOf, roundHalfUp, sigmoid } from "./scale.ts"
import { PHONE_REASON_CODES } from "./vocabulary.ts"

/** Everything one walk over the input yields: assessment and explanation only read it. */
export interface PhonePass {
  readonly knowledge: PhoneKnowledge
  readonly terms: PhoneTerms
  readonly pTakeover: number
  readonly pQuality: number
  /** The takeover points before the policy floor, and that floor. */
  readonly raw: number
  readonly floor: number | null
  readonly p: number
  readonly score: number
  readonly baseline: number
  /** The baseline as it would be without mitigating terms. */
  readonly unmitigated: number
  readonly reached: number
  readonly calibration: Calibration | null
  readonly contributions: readonly Contribution[]
  readonly decision: Decision
}

export function phonePass(input: PhoneInput, model: PhoneModel): PhonePass {
  checkAsOf(input.as_of)
  const { scale } = model
  const settings = input.settings ?? {}
  const calibration = usableCalibration(settings.calibration, model.calibration)
  const knowledge = phoneKnowledge(input)
  const terms = phoneTerms(input, knowledge, model)
  const { takeover, quality, floors } = terms

  const evaluated = (takeoverNats: number, qualityNats: number, floor: number | null) => {
    const raw = pointsOf(scale, logit(model.takeover.prior) + takeoverNats)
    const pTakeover = sigmoid(logOddsOf(scale, Math.max(raw, floor ?? -Infinity)))
    const pQuality = sigmoid(logit(model.quality.prior) + qualityNats)
    const total = totalOf(scale, eitherOf(pTakeover, pQuality), calibration, floor)
    return { raw, floor, pTakeover, pQuality, p: total.p, reached: clip(total.points, 0, 100) }
  }
  const floorWithout = (code: number): number | null => {
    const others = [...floors].filter(([of]) => of !== code).map(([, points]) => points)
    return others.length === 0 ? null : Math.max(...others)
  }

  const all = evaluated(takeover.all(), quality.all(), floorWithout(-1))
  const none = evaluated(takeover.none(), quality.none(), null)
  const unmitigated = evaluated(takeover.noneUnmitigated(), quality.noneUnmitigated(), null)
  const score = roundHalfUp(all.reached)
  const factors: Factor[] = presentCodes(terms).map((code) => {
    const floor = floors.get(code) ?? null
    const alone = evaluated(takeover.only(code), quality.only(code), floor)
    const without = evaluated(takeover.without(code), quality.without(code), floorWithout(code))
    return { code, alone: alone.reached, without: without.reached }
  })
  return {
    ...all,
    knowledge,
    terms,
    score,
    baseline: none.reached,
    unmitigated: unmitigated.reached,
    calibration,
    contributions: contributionsOf(factors, none.reached, all.reached),
    decision: decide(scale, costsFor(model.costs, settings.costs), {
      score,
      p: all.p,
      takeover: all.pTakeover,
      abuse: all.pQuality,
      stepUpEff: input.ctx?.stepUpEff ?? null,
      mayBlock: mayBlock(input, knowledge),
    }),
  }
}

// An unallocated number belongs to nobody, so blocking it shuts nobody out. Any other number is
// blocked only on more than its shape, and not at all where the tenant asks for a confirmation,
// which nothing known about a number amounts to.
function mayBlock({ valid, settings }: PhoneInput, { beyondNumber }: PhoneKnowledge): boolean {
  if (valid === false) return true
  return beyondNumber && settings?.confirmedBeforeBlock !== true
}

/** The codes of the factors that are present, in tie order. */
function presentCodes({ takeover, quality, floors }: PhoneTerms): number[] {
  let present = takeover.factors | quality.factors
  for (const code of floors.keys()) present |= 1 << code
  const codes: number[] = []
  for (let code = 0; code < PHONE_REASON_CODES.length; code++) {
    if ((present & (1 << code)) !== 0) codes.push(code)
  }
  return codes
}
