import { pointsFor, type Calibration } from "./calibration.ts"
import type { Exposure } from "./email-input.ts"
import type { EmailWeights, ExposureWeights } from "./email-weights.ts"
import type { Evidence } from "./merge.ts"
import type { EmailModel } from "./model-email.ts"
import { PasswordReuse } from "./reuse.ts"
import { clip, eitherOf, logOddsOf, pointsOf, sigmoid } from "./scale.ts"
import { effectiveStage, isBeforeRotation, StageEvidence } from "./stage.ts"
import {
  EMAIL_EVIDENCE_KINDS,
  EXPOSURE_KINDS,
  SECRETS,
  type EmailEvidenceKind,
} from "./vocabulary.ts"

const KINDS = EMAIL_EVIDENCE_KINDS.length
/** Every kind of evidence, as a bit mask over `EMAIL_EVIDENCE_KINDS`. */
export const ALL_KINDS = (1 << KINDS) - 1
const EXPOSURES = (1 << EXPOSURE_KINDS.length) - 1
const SECRET_NONE = SECRETS.indexOf("none")

type ByKind = Readonly<Record<EmailEvidenceKind, number>>
const placeOf = Object.fromEntries(EMAIL_EVIDENCE_KINDS.map((kind, i) => [kind, i])) as ByKind
const BREACH = placeOf.breach
const PASTE = placeOf.paste
const COMBOLIST = placeOf.combolist
const STEALER = placeOf.stealer
const PHISH = placeOf.phish
const REPOST = placeOf.repost
const FIRST_MARKET_KIND = placeOf.listing

/** The credential side of an identity for one set of kinds. */
export interface CredentialRisk {
  readonly p: number
  /** C: the points after floor and cap of the stage. */
  readonly points: number
  /** The points before floor and cap. */
  readonly raw: number
  readonly stage: number
  /** The floor of the stage or of a fresh and usable secret, whichever is higher. */
  readonly floor: number | null
  readonly cap: number
  /** Somebody can sign in with what leaked a moment ago. */
  readonly freshUsable: boolean
}

/**
 * The exposures and signals of stolen credentials, weighed once. The risk can then be computed for
 * all kinds, none, one of them and all but one, with or without the finding that a password was
 * reused. A set of kinds is a bit mask over `EMAIL_EVIDENCE_KINDS`.
 *
 * One object serves all identities that a model scores, one after the other: making its arrays anew
 * costs more than weighing a handful of items.
 */
export class CredentialTerms {
  readonly reuse = new PasswordReuse()
  readonly #stages: StageEvidence
  readonly #model: EmailModel
  readonly #weights: EmailWeights
  #priorLogOdds = 0
  /** The kinds of which there are items. */
  #present = 0
  readonly #excess = new ExcessOdds()
  readonly #classes = new Uint32Array(EXPOSURE_KINDS.length)
  /** The kinds of exposures that are fresh and usable. */
  #fresh = 0
  /** By kind: the summed, and the largest, weight on the market. */
  readonly #sums = new Float64Array(KINDS)
  readonly #maxima = new Float64Array(KINDS)
  readonly #market = new MarketTerms()
  /** The last logarithms and what they are of: without most kinds, these stay the same. */
  #lastExcess = 0
  #lastLog = 0
  #lastWeight = 0
  #lastCirculation = 0

  constructor(model: EmailModel, weights: EmailWeights) {
    this.#model = model
    this.#weights = weights
    this.#stages = new StageEvidence(model.stages)
  }

  /** Every kind of which there are items. */
  get present(): number {
    return this.#present
  }

  /**
   * Weighs an identity instead of the one before. The evidence was taken of these exposures and
   * signals.
   */
  weigh(
    evidence: Evidence,
    exposures: readonly Exposure[] | null | undefined,
    rotatedAge: number | null,
    priorLogOdds: number,
  ): void {
    this.#clear()
    this.#priorLogOdds = priorLogOdds
    for (let item = 0; item < evidence.count; item++) {
      const age = evidence.ages[item] as number
      this.#add(evidence, item, age, isBeforeRotation(age, rotatedAge))
    }
    if (exposures != null) this.#addPrints(evidence, exposures)
    this.#stages.close()
    this.reuse.close()
    this.#excess.close(this.#model.exposure.discount)
    this.#closeMarket()
  }

  /** The risk with the items of some kinds alone. */
  risk(kinds: number, withReuse: boolean): CredentialRisk {
    const { scale } = this.#weights
    const stage = this.#stages.stage(kinds)
    const cap = this.#weights.stages[stage]?.cap ?? 100
    const floor = this.#floorAt(stage, cap, kinds)
    const raw = pointsOf(scale, this.#logOdds(kinds, withReuse))
    const points = clip(raw, floor ?? -Infinity, cap)
    const p = sigmoid(logOddsOf(scale, points))
    return { p, points, raw, stage, floor, cap, freshUsable: this.#isFresh(stage, kinds) }
  }

  /** Of the same risk only the score, together with the chance `q` of abuse. */
  score(kinds: number, withReuse: boolean, q: number, calibration: Calibration | null): number {
    const { scale } = this.#weights
    const stage = this.#stages.stage(kinds)
    const cap = this.#weights.stages[stage]?.cap ?? 100
    const floor = this.#floorAt(stage, cap, kinds)
    const raw = pointsOf(scale, this.#logOdds(kinds, withReuse))
    const points = clip(raw, floor ?? -Infinity, cap)
    const p = eitherOf(sigmoid(logOddsOf(scale, points)), q)
    return clip(pointsFor(scale, p, calibration, floor), 0, 100)
  }

  #isFresh(stage: number, kinds: number): boolean {
    return stage > 0 && (this.#fresh & kinds) !== 0
  }

  /** The floor of the stage or of a fresh and usable secret, whichever is higher. */
  #floorAt(stage: number, cap: number, kinds: number): number | null {
    const { stages, exposure } = this.#model
    const ofStage = this.#stages.isFreshRepost(stage, kinds)
      ? stages.freshRepost.floor
      : (this.#weights.stages[stage]?.floor ?? null)
    if (exposure.freshUsable === undefined || !this.#isFresh(stage, kinds)) return ofStage
    return Math.min(cap, Math.max(ofStage ?? 0, exposure.freshUsable.floor))
  }

  #clear(): void {
    if (this.#present === 0) return
    this.#present = 0
    this.#fresh = 0
    this.reuse.clear()
    this.#stages.clear()
    this.#excess.clear()
    this.#market.clear()
    for (let kind = 0; kind < KINDS; kind++) {
      if (kind < EXPOSURE_KINDS.length) this.#classes[kind] = 0
      this.#sums[kind] = 0
      this.#maxima[kind] = 0
    }
  }

  #add(evidence: Evidence, item: number, age: number, rotated: boolean): void {
    const kind = evidence.kinds[item] as number
    const secret = evidence.secrets[item] as number
    const conf = evidence.confs[item] as number
    const weights = this.#weights.kinds[kind]
    if (weights === undefined) return
    const { bit, exposure } = weights
    this.#present |= bit
    const stage = effectiveStage(kind, secret, age, rotated, this.#weights)
    if (stage !== 0) this.#stages.add(bit, evidence.sources[item] as number, conf, age, stage)
    if (exposure !== null) {
      this.#classes[kind] = (this.#classes[kind] as number) | (evidence.classes[item] as number)
      this.#addExposure(kind, secret, age, conf, exposure, rotated)
      if (kind !== COMBOLIST || secret === SECRET_NONE) return
    }
    const { share, isGoods } = weights.market
    const stale = rotated && isGoods ? this.#model.market.rotatedShare : 1
    const weight = conf * (share.at(age) * stale)
    this.#sums[kind] = (this.#sums[kind] as number) + weight
    this.#maxima[kind] = Math.max(this.#maxima[kind] as number, weight)
  }

  #addExposure(
    kind: number,
    secret: number,
    age: number,
    conf: number,
    { excess, share }: ExposureWeights,
    rotated: boolean,
  ): void {
    const { rotatedShare, freshUsable } = this.#model.exposure
    const odds = (excess[secret] ?? 0) * share.at(age) * conf * (rotated ? rotatedShare : 1)
    this.#excess.add(odds, kind)
    const isUsable = !rotated && secret >= this.#weights.freshSecretFrom
    if (isUsable && freshUsable !== undefined) {
      if (conf >= freshUsable.confMin && age <= freshUsable.daysMax) this.#fresh |= 1 << kind
    }
  }

  /** Each fingerprint with the age of the item that its exposure became. */
  #addPrints({ itemOf, kinds, sources, ages }: Evidence, exposures: readonly Exposure[]): void {
    for (let told = 0; told < exposures.length; told++) {
      const prints = exposures[told]?.pwFp
      if (prints == null) continue
      const item = itemOf[told] as number
      const kind = kinds[item] as number
      const source = sources[item] as number
      const age = ages[item] as number
      if (typeof prints === "string") this.reuse.add(prints, kind, source, age)
      else for (const print of prints) this.reuse.add(print, kind, source, age)
    }
  }

  #logOdds(kinds: number, withReuse: boolean): number {
    const { exposure } = this.#model
    const reused = withReuse && this.reuse.isShownBy(kinds & EXPOSURES)
    const excess = this.#excessSum(kinds) * (reused ? 1 + exposure.reuse : 1)
    return this.#priorLogOdds + this.#logOf(excess) + this.#depth(kinds) + this.#marketSum(kinds)
  }

  #logOf(excess: number): number {
    if (excess === 0) return 0
    if (excess !== this.#lastExcess) {
      this.#lastExcess = excess
      this.#lastLog = Math.log(1 + excess)
    }
    return this.#lastLog
  }

  /** Asked for all kinds, for one of them and for all but one. */
  #excessSum(kinds: number): number {
    const present = this.#present & EXPOSURES
    const exposures = kinds & present
    if (exposures === 0) return 0
    if (exposures === present) return this.#excess.ofAll
    const missing = present & ~exposures
    if (isOneBit(missing)) return this.#excess.without(placeOfBit(missing))
    if (isOneBit(exposures)) return this.#excess.of(placeOfBit(exposures))
    throw new RangeError("There is no sum of some kinds that are neither one nor all but one")
  }

  #depth(kinds: number): number {
    let classes = 0
    for (let kind = 0; kind < EXPOSURE_KINDS.length; kind++) {
      if ((kinds & (1 << kind)) !== 0) classes |= this.#classes[kind] ?? 0
    }
    const { nats, classesMax } = this.#model.depth
    return nats * Math.min(classesMax, bitCount(classes))
  }

  /** Two kinds share circulation; it takes its rank among the terms of single kinds. */
  #marketSum(kinds: number): number {
    const { circulation, discount } = this.#model.market
    const weight = this.#sumOf(COMBOLIST, kinds) + this.#sumOf(REPOST, kinds)
    if (weight !== this.#lastWeight) {
      this.#lastWeight = weight
      this.#lastCirculation = saturated(circulation, weight)
    }
    return this.#market.sumWith(this.#lastCirculation, kinds, discount)
  }

  #sumOf(kind: number, kinds: number): number {
    return (kinds & (1 << kind)) === 0 ? 0 : (this.#sums[kind] ?? 0)
  }

  /** The terms of kinds that have one of their own. */
  #closeMarket(): void {
    const { kinds } = this.#weights
    for (let kind = FIRST_MARKET_KIND; kind < KINDS; kind++) {
      const weights = kinds[kind]
      if (weights === undefined || (this.#present & weights.bit) === 0) continue
      const { nats, natsMax } = weights.market
      const term =
        natsMax === null
          ? nats * (this.#maxima[kind] ?? 0)
          : saturated({ nats, natsMax }, this.#sums[kind] ?? 0)
      if (term > 0) this.#market.add(term, kind)
    }
    this.#market.close()
  }
}

/** Values with their kinds, largest first once they are sorted. */
class Descending {
  count = 0
  values = new Float64Array(64)
  kinds = new Uint8Array(64)

  add(value: number, kind: number): void {
    if (this.count === this.values.length) this.#grow()
    this.values[this.count] = value
    this.kinds[this.count] = kind
    this.count++
  }

  /** Shell's sort: a call of a comparing function for each pair costs several times as much. */
  sort(): void {
    const { values, kinds, count } = this
    for (let gap = firstGap(count); gap > 0; gap = (gap / 6) | 0) {
      for (let from = gap; from < count; from++) {
        const value = values[from] as number
        const kind = kinds[from] as number
        let at = from
        while (at >= gap) {
          const before = values[at - gap] as number
          if (!(before < value)) break
          values[at] = before
          kinds[at] = kinds[at - gap] as number
          at -= gap
        }
        values[at] = value
        kinds[at] = kind
      }
    }
  }

  #grow(): void {
    const values = new Float64Array(2 * this.values.length)
    values.set(this.values)
    this.values = values
    const kinds = new Uint8Array(values.length)
    kinds.set(this.kinds)
    this.kinds = kinds
  }
}

/**
 * The excess odds of all exposures and their sums, each discounted by its rank: of all kinds, of
 * each alone, and of all but each.
 */
class ExcessOdds {
  readonly #odds = new Descending()
  #ofAll = 0
  readonly #of = new Float64Array(EXPOSURE_KINDS.length)
  readonly #without = new Float64Array(EXPOSURE_KINDS.length)
  /** What the next one of a kind alone counts. */
  readonly #shareOf = new Float64Array(EXPOSURE_KINDS.length)

  get ofAll(): number {
    return this.#ofAll
  }

  of(kind: number): number {
    return this.#of[kind] as number
  }

  without(kind: number): number {
    return this.#without[kind] as number
  }

  clear(): void {
    this.#odds.count = 0
    this.#ofAll = 0
  }

  add(odds: number, kind: number): void {
    this.#odds.add(odds, kind)
  }

  /**
   * To be called once after the last `add`. All sums come from one walk. Those without a kind are
   * written out, since five pairs of plain numbers take a quarter of the time of two arrays.
   */
  close(discount: number): void {
    const odds = this.#odds
    if (odds.count === 0) return
    odds.sort()
    const { values, kinds, count } = odds
    const of = this.#of.fill(0)
    const shareOf = this.#shareOf.fill(1)
    let [all, share] = [0, 1]
    let [noBreach, noBreachShare] = [0, 1]
    let [noPaste, noPasteShare] = [0, 1]
    let [noCombolist, noCombolistShare] = [0, 1]
    let [noStealer, noStealerShare] = [0, 1]
    let [noPhish, noPhishShare] = [0, 1]
    for (let at = 0; at < count; at++) {
      const value = values[at] as number
      const kind = kinds[at] as number
      all += share * value
      share *= discount
      of[kind] = (of[kind] as number) + (shareOf[kind] as number) * value
      shareOf[kind] = (shareOf[kind] as number) * discount
      if (kind !== BREACH) {
        noBreach += noBreachShare * value
        noBreachShare *= discount
      }
      if (kind !== PASTE) {
        noPaste += noPasteShare * value
        noPasteShare *= discount
      }
      if (kind !== COMBOLIST) {
        noCombolist += noCombolistShare * value
        noCombolistShare *= discount
      }
      if (kind !== STEALER) {
        noStealer += noStealerShare * value
        noStealerShare *= discount
      }
      if (kind !== PHISH) {
        noPhish += noPhishShare * value
        noPhishShare *= discount
      }
    }
    this.#ofAll = all
    const without = this.#without
    without[BREACH] = noBreach
    without[PASTE] = noPaste
    without[COMBOLIST] = noCombolist
    without[STEALER] = noStealer
    without[PHISH] = noPhish
  }
}

/** Nats of kinds that have a market term of their own. */
class MarketTerms {
  readonly #terms = new Descending()

  clear(): void {
    this.#terms.count = 0
  }

  add(nats: number, kind: number): void {
    this.#terms.add(nats, kind)
  }

  /** To be called once after the last `add`. */
  close(): void {
    this.#terms.sort()
  }

  /** The sum of some kinds and one more value, each discounted by its rank among them. */
  sumWith(more: number, kindBits: number, discount: number): number {
    const { values, kinds, count } = this.#terms
    let sum = 0
    let share = 1
    let left = more
    for (let at = 0; at < count; at++) {
      if (((1 << (kinds[at] as number)) & kindBits) === 0) continue
      const value = values[at] as number
      if (left > value) {
        sum += share * left
        share *= discount
        left = 0
      }
      sum += share * value
      share *= discount
    }
    return sum + share * left
  }
}

/** The largest of 1, 7, 43, 259, … that is below a third of the count. */
function firstGap(count: number): number {
  let gap = 1
  while (6 * gap + 1 < count / 3) gap = 6 * gap + 1
  return gap
}

function saturated(term: { nats: number; natsMax: number }, weight: number): number {
  if (weight === 0) return 0
  return Math.min(term.natsMax, term.nats * Math.log(1 + weight))
}

function isOneBit(bits: number): boolean {
  return (bits & (bits - 1)) === 0
}

/** The place of the only bit there is. */
function placeOfBit(bit: number): number {
  return 31 - Math.clz32(bit)
}

function bitCount(bits: number): number {
  let count = 0
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++
  return count
}
