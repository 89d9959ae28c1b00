import { costsFor, decide, type Decision } from "./action.ts"
import { contributionsOf, placesOf, type Contribution, type Factor } from "./attribution.ts"
import { totalOf, usableCalibration, type Calibration } from "./calibration.ts"
import { checkAsOf } from "./date.ts"
import type { PhoneModel } from "./model-phone.ts"
import { phoneKnowledge, type PhoneInput, type PhoneKnowledge } from "./phone-input.ts"
import { smsOtpTrust } from "./phone-fields.ts"
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

/** Everything one walk over the input yields: assessment and explanation only read it. */
export interface PhonePass {
  readonly knowledge: PhoneKnowledge
  readonly terms: PhoneTerms
  readonly pTakeover: number
  readonly pQuality: number
  /** The takeover points before any policy floor. */
  readonly raw: number
  /** The highest floor that policy puts under a side, with that side's points before it. */
  readonly held: { readonly floor: number; readonly raw: number } | null
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
  const knowledge = phoneKnowledge(input, model)
  const terms = phoneTerms(input, knowledge, model)
  const { takeover, quality, floors } = terms
  const ground = groundOf(model, calibration)
  const codes = presentCodes(terms)
  const all = evaluated(ground, takeover.all(), quality.all(), floors)
  // Most numbers have no factor at all; then the result with all factors and with none is the same.
  const none =
    codes.length === 0 ? all : evaluated(ground, takeover.none(), quality.none(), NO_FLOORS)
  const factors: Factor[] = codes.map((code) => ({
    code,
    alone: evaluated(
      ground,
      takeover.only(code),
      quality.only(code),
      floors.filter((floor) => floor.code === code),
    ).reached,
    without: evaluated(
      ground,
      takeover.without(code),
      quality.without(code),
      floors.filter((floor) => floor.code !== code),
    ).reached,
  }))
  const score = roundHalfUp(all.reached)
  return {
    knowledge,
    terms,
    pTakeover: all.pTakeover,
    pQuality: all.pQuality,
    raw: all.raw,
    held: all.held,
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
      mayBlock: mayBlock(input, knowledge, model),
      mayAllow: mayAllow(input, knowledge, model),
    }),
  }
}

/** The baseline as it would be without mitigating terms. Only explanations ask for it. */
export function unmitigatedBaseline({ terms, calibration }: PhonePass, model: PhoneModel): number {
  const { takeover, quality } = terms
  const ground = groundOf(model, calibration)
  return evaluated(ground, takeover.noneUnmitigated(), quality.noneUnmitigated(), NO_FLOORS).reached
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
  readonly held: PhonePass["held"]
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
  floors: readonly Floor[],
): Evaluated {
  const raw = pointsOf(scale, takeover + takeoverNats)
  const takeoverFloor = highest(floors, "takeover")
  const pTakeover = sigmoid(logOddsOf(scale, Math.max(raw, takeoverFloor)))
  const qualityFloor = highest(floors, "quality")
  const qualityLogOdds = quality + qualityNats
  const qualityRaw = qualityFloor === NO_FLOOR ? NO_FLOOR : pointsOf(scale, qualityLogOdds)
  // Without a floor the log-odds are used directly, without converting to points and back.
  const pQuality = sigmoid(
    qualityFloor > qualityRaw ? logOddsOf(scale, qualityFloor) : qualityLogOdds,
  )
  const floor = Math.max(takeoverFloor, qualityFloor, highest(floors, "score"))
  const p = eitherOf(pTakeover, pQuality)
  const total = totalOf(scale, p, calibration, floor === NO_FLOOR ? null : floor)
  return {
    raw,
    held:
      qualityFloor > qualityRaw && qualityFloor > takeoverFloor
        ? { floor: qualityFloor, raw: qualityRaw }
        : takeoverFloor === NO_FLOOR
          ? null
          : { floor: takeoverFloor, raw },
    pTakeover,
    pQuality,
    p: total.p,
    reached: clip(total.points, 0, 100),
  }
}

const NO_FLOORS: readonly Floor[] = []
const NO_FLOOR = -Infinity

function highest(floors: readonly Floor[], under: Floor["under"]): number {
  let points = NO_FLOOR
  for (const floor of floors) if (floor.under === under) points = Math.max(points, floor.points)
  return points
}

// A number nobody can own may be blocked: that shuts nobody out. Any other number is blocked only
// if more than its shape is known. If the tenant asks for a confirmation, it is blocked only on the
// tenant's own report of fraud.
function mayBlock(
  { valid, reserved, confirmedFraudAge, settings }: PhoneInput,
  { beyondNumber }: PhoneKnowledge,
  { quality }: PhoneModel,
): boolean {
  if (valid === false || (reserved === true && quality.reserved !== undefined)) return true
  if (confirmedFraudAge != null && quality.confirmedFraud !== undefined) return true
  return beyondNumber && settings?.confirmedBeforeBlock !== true
}

function mayAllow(input: PhoneInput, knowledge: PhoneKnowledge, model: PhoneModel): boolean {
  if (model.fields.smsUnsafeForbidsAllow !== true) return true
  return smsOtpTrust(input, knowledge, model) !== "do_not_use"
}

/** The codes of the factors that are present, in tie order. */
function presentCodes({ takeover, quality, floors }: PhoneTerms): readonly number[] {
  const present: boolean[] = []
  takeover.markFactors(present)
  quality.markFactors(present)
  for (const { code } of floors) present[code] = true
  return placesOf(present)
}
