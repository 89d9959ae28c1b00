import { costsFor, decide, type Decision } from "./action.ts"
import { contributionsOf, type Contribution, type Factor } from "./attribution.ts"
import { ALWAYS } from "./balance.ts"
import { totalOf, usableCalibration, type Calibration } from "./calibration.ts"
import { checkAsOf } from "./date.ts"
import type { PhoneModel } from "./model-phone.ts"
import { phoneKnowledge, type PhoneInput, type PhoneKnowledge } from "./phone-input.ts"
import { phoneTerms, type Floor, type PhoneTerms } from "./phone-terms.ts"
import {
  clip,
  eitherOf,
  logit,
  logOddsOf,
  pointsOf,
  roundHalfUp,
  sigmoid,
  type Scale,
} from "./scale.ts"
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
  readonly reached: number
  readonly calibration: Calibration | null
  readonly contributions: readonly Contribution[]
  readonly decision: Decision
}

export function phonePass(input: PhoneInput, model: PhoneModel): PhonePass {
  checkAsOf(input.as_of)
  const settings = input.settings ?? null
  const calibration = usableCalibration(settings?.calibration, model.calibration)
  const knowledge = phoneKnowledge(input)
  const terms = phoneTerms(input, knowledge, model)
  const { takeover, quality, floors } = terms
  const ground = groundOf(model, calibration)
  const codes = presentCodes(terms)
  const all = evaluated(ground, takeover.all(), quality.all(), highestWithout(floors, ALWAYS))
  // Most numbers have no factor at all, and then all there is and none of it are the same.
  const none = codes.length === 0 ? all : evaluated(ground, takeover.none(), quality.none(), null)
  const factors: Factor[] = codes.map((code) => ({
    code,
    alone: evaluated(ground, takeover.only(code), quality.only(code), floorOf(floors, code))
      .reached,
    without: evaluated(
      ground,
      takeover.without(code),
      quality.without(code),
      highestWithout(floors, code),
    ).reached,
  }))
  const score = roundHalfUp(all.reached)
  return {
    knowledge,
    terms,
    pTakeover: all.pTakeover,
    pQuality: all.pQuality,
    raw: all.raw,
    floor: all.floor,
    p: all.p,
    score,
    baseline: none.reached,
    reached: all.reached,
    calibration,
    contributions: contributionsOf(factors, none.reached, all.reached),
    decision: decide(model.scale, costsFor(model.costs, settings?.costs), {
      score,
      p: all.p,
      takeover: all.pTakeover,
      abuse: all.pQuality,
      stepUpEff: input.ctx?.stepUpEff ?? null,
      mayBlock: mayBlock(input, knowledge),
    }),
  }
}

/** The baseline as it would be without mitigating terms. Only explanations ask for it. */
export function unmitigatedBaseline({ terms, calibration }: PhonePass, model: PhoneModel): number {
  const { takeover, quality } = terms
  const ground = groundOf(model, calibration)
  return evaluated(ground, takeover.noneUnmitigated(), quality.noneUnmitigated(), null).reached
}

/** What every evaluation of a pass starts from. */
interface Ground {
  readonly scale: Scale
  /** Log-odds of the priors. */
  readonly takeover: number
  readonly quality: number
  readonly calibration: Calibration | null
}

function groundOf(
  { scale, takeover, quality }: PhoneModel,
  calibration: Calibration | null,
): Ground {
  return { scale, takeover: logit(takeover.prior), quality: logit(quality.prior), calibration }
}

interface Evaluated {
  readonly raw: number
  readonly floor: number | null
  readonly pTakeover: number
  readonly pQuality: number
  readonly p: number
  /** On the clipped scale, not rounded. */
  readonly reached: number
}

function evaluated(
  { scale, takeover, quality, calibration }: Ground,
  takeoverNats: number,
  qualityNats: number,
  floor: number | null,
): Evaluated {
  const raw = pointsOf(scale, takeover + takeoverNats)
  const held = floor !== null && floor > raw ? floor : raw
  const pTakeover = sigmoid(logOddsOf(scale, held))
  const pQuality = sigmoid(quality + qualityNats)
  const total = totalOf(scale, eitherOf(pTakeover, pQuality), calibration, floor)
  return { raw, floor, pTakeover, pQuality, p: total.p, reached: clip(total.points, 0, 100) }
}

function floorOf(floors: readonly Floor[], code: number): number | null {
  for (const floor of floors) if (floor.code === code) return floor.points
  return null
}

/** The highest floor of all factors but one; null where there is none. */
function highestWithout(floors: readonly Floor[], code: number): number | null {
  let highest: number | null = null
  for (const floor of floors) {
    if (floor.code !== code && (highest === null || floor.points > highest)) highest = floor.points
  }
  return highest
}

// An unallocated number belongs to nobody, so blocking it shuts nobody out. Any other number is
// blocked only on more than its shape, and not at all where the tenant asks for a confirmation,
// which nothing known about a number amounts to.
function mayBlock({ valid, settings }: PhoneInput, { beyondNumber }: PhoneKnowledge): boolean {
  if (valid === false) return true
  return beyondNumber && settings?.confirmedBeforeBlock !== true
}

/** The codes of the factors that are present, in tie order. */
function presentCodes({ takeover, quality, floors }: PhoneTerms): readonly number[] {
  let present = takeover.factors | quality.factors
  for (const { code } of floors) present |= 1 << code
  if (present === 0) return NO_CODES
  const codes: number[] = []
  for (let code = 0; code < PHONE_REASON_CODES.length; code++) {
    if ((present & (1 << code)) !== 0) codes.push(code)
  }
  return codes
}

const NO_CODES: readonly number[] = []
