import { decide, pricesFor, pricesOf, type Decision, type Prices } from "./action.ts"
import { addCode, contributionsOf, type Contribution, type Factor } from "./attribution.ts"
import { pointsFor, totalOf, usableCalibration, type Calibration } from "./calibration.ts"
import { ALWAYS } from "./balance.ts"
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
  scaleOf,
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

/** Without `attributed` nothing is said of what each factor did to the score. */
export function phonePass(input: PhoneInput, model: PhoneModel, attributed = true): PhonePass {
  checkAsOf(input.as_of)
  const settings = input.settings ?? null
  const calibration = usableCalibration(settings?.calibration, model.calibration)
  const knowledge = phoneKnowledge(input, model)
  const terms = phoneTerms(input, knowledge, model)
  const prepared = preparedFor(model)
  const all = evaluated(prepared, calibration, terms, ALWAYS, false)
  const codes = attributed ? presentCodes(terms) : NO_CODES
  // Most numbers have no factor at all; then the result with all factors and with none is the same.
  const none = codes.length === 0 ? all : evaluated(prepared, calibration, terms, ALWAYS, true)
  const factors: Factor[] = codes.map((code) => ({
    code,
    alone: evaluated(prepared, calibration, terms, code, true).reached,
    without: evaluated(prepared, calibration, terms, code, false).reached,
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
    decision: decide(pricesFor(prepared.prices, prepared.scale, settings?.costs), {
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
  const { scale, takeover, quality } = preparedFor(model)
  const pTakeover = sigmoid(
    logOddsOf(scale, pointsOf(scale, takeover + terms.takeover.noneUnmitigated())),
  )
  const pQuality = sigmoid(quality + terms.quality.noneUnmitigated())
  return clip(pointsFor(scale, eitherOf(pTakeover, pQuality), calibration, null), 0, 100)
}

/** What is made once for a model. */
interface Prepared {
  readonly scale: Scale
  readonly prices: Prices
  /** Log-odds of the priors. */
  readonly takeover: number
  readonly quality: number
}

const preparedModels = new WeakMap<PhoneModel, Prepared>()

function preparedFor(model: PhoneModel): Prepared {
  let prepared = preparedModels.get(model)
  if (prepared === undefined) preparedModels.set(model, (prepared = preparedOf(model)))
  return prepared
}

function preparedOf({ scale: document, costs, takeover, quality }: PhoneModel): Prepared {
  const scale = scaleOf(document)
  return {
    scale,
    prices: pricesOf(scale, costs),
    takeover: logit(takeover.prior),
    quality: logit(quality.prior),
  }
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

/** The result with one factor alone, or with all but one; `ALWAYS` is no factor. */
function evaluated(
  { scale, takeover, quality }: Prepared,
  calibration: Calibration | null,
  terms: PhoneTerms,
  code: number,
  alone: boolean,
): Evaluated {
  const { floors } = terms
  const takeoverNats = alone ? terms.takeover.only(code) : terms.takeover.without(code)
  const qualityNats = alone ? terms.quality.only(code) : terms.quality.without(code)
  const raw = pointsOf(scale, takeover + takeoverNats)
  const takeoverFloor = highest(floors, "takeover", code, alone)
  const pTakeover = sigmoid(logOddsOf(scale, Math.max(raw, takeoverFloor)))
  const qualityFloor = highest(floors, "quality", code, alone)
  const qualityLogOdds = quality + qualityNats
  const qualityRaw = qualityFloor === NO_FLOOR ? NO_FLOOR : pointsOf(scale, qualityLogOdds)
  // Without a floor the log-odds are used directly, without converting to points and back.
  const pQuality = sigmoid(
    qualityFloor > qualityRaw ? logOddsOf(scale, qualityFloor) : qualityLogOdds,
  )
  const floor = Math.max(takeoverFloor, qualityFloor, highest(floors, "score", code, alone))
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

const NO_FLOOR = -Infinity

/** The highest floor of one factor alone, or of all but one. */
function highest(
  floors: readonly Floor[],
  under: Floor["under"],
  code: number,
  alone: boolean,
): number {
  let points = NO_FLOOR
  for (const floor of floors) {
    if (floor.under !== under || (floor.code === code) !== alone) continue
    points = Math.max(points, floor.points)
  }
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

const NO_CODES: readonly number[] = []

/** The codes of the factors that are present, in tie order. */
function presentCodes({ takeover, quality, floors }: PhoneTerms): readonly number[] {
  const present = quality.codes(takeover.codes())
  for (const { code } of floors) addCode(present, code)
  return present
}
