import type { EmailWeights, ExposureWeights, KindWeights } from "./email-weights.ts"
import type { Evidence, Item } from "./merge.ts"
import type { EmailModel } from "./model-email.ts"
import { PasswordReuse } from "./reuse.ts"
import { clip, logOddsOf, pointsOf, sigmoid } from "./scale.ts"
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
const COMBOLIST = placeOf.combolist
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
 * any set of kinds, with or without the finding that a password was reused. A set of kinds is a bit
 * mask over `EMAIL_EVIDENCE_KINDS`.
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
  /** Excess odds with the bit of their kind, largest first. */
  readonly #excess = new Descending()
  #excessOfAll = 0
  readonly #classes = new Uint32Array(EXPOSURE_KINDS.length)
  /** The kinds of exposures that are fresh and usable. */
  #fresh = 0
  /** By kind: the summed, and the largest, weight on the market. */
  readonly #sums = new Float64Array(KINDS)
  readonly #maxima = new Float64Array(KINDS)
  /** Nats of kinds that have a market term of their own, largest first. */
  readonly #market = new Descending()

  constructor(model: EmailModel, weights: EmailWeights) {
    this.#model = model
    this.#weights = weights
    this.#stages = new StageEvidence(model.stages)
  }

  /** Every kind of which there are items. */
  get present(): number {
    return this.#present
  }

  /** Weighs an identity instead of the one before. */
  weigh({ items }: Evidence, rotatedAge: number | null, priorLogOdds: number): void {
    this.#clear()
    this.#priorLogOdds = priorLogOdds
    for (const item of items) this.#add(item, isBeforeRotation(item.age, rotatedAge))
    this.#stages.close()
    this.reuse.close()
    this.#excess.sort()
    this.#excessOfAll = this.#excess.discountedSum(EXPOSURES, this.#model.exposure.discount)
    this.#closeMarket()
  }

  /** The risk with the items of some kinds alone. */
  risk(kinds: number, withReuse: boolean): CredentialRisk {
    const { scale, stages: limits } = this.#weights
    const { stages } = this.#model
    const stage = this.#stages.stage(kinds)
    const limit = limits[stage]
    const cap = limit?.cap ?? 100
    const freshUsable = stage > 0 && (this.#fresh & kinds) !== 0
    const stageFloor = this.#stages.isFreshRepost(stage, kinds)
      ? stages.freshRepost.floor
      : (limit?.floor ?? null)
    const floor = this.#floor(stageFloor, cap, freshUsable)
    const raw = pointsOf(scale, this.#logOdds(kinds, withReuse))
    const points = clip(raw, floor ?? -Infinity, cap)
    return { p: sigmoid(logOddsOf(scale, points)), points, raw, stage, floor, cap, freshUsable }
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

  #floor(ofStage: number | null, cap: number, freshUsable: boolean): number | null {
    const fresh = this.#model.exposure.freshUsable
    if (!freshUsable || fresh === undefined) return ofStage
    return Math.min(cap, Math.max(ofStage ?? 0, fresh.floor))
  }

  #add(item: Item, rotated: boolean): void {
    const { kind, age, conf } = item
    const weights = this.#weights.kinds[kind]
    if (weights === undefined) return
    this.#present |= weights.bit
    const stage = effectiveStage(item, age, rotated, this.#weights)
    this.#stages.add(item, age, stage)
    if (weights.exposure !== null) {
      this.#addExposure(item, weights, weights.exposure, rotated)
      if (kind !== COMBOLIST || item.secret === SECRET_NONE) return
    }
    const { share, isGoods } = weights.market
    const stale = rotated && isGoods ? this.#model.market.rotatedShare : 1
    const weight = conf * (share.at(age) * stale)
    this.#sums[kind] = (this.#sums[kind] ?? 0) + weight
    this.#maxima[kind] = Math.max(this.#maxima[kind] ?? 0, weight)
  }

  #addExposure(
    item: Item,
    { bit }: KindWeights,
    { excess, share }: ExposureWeights,
    rotated: boolean,
  ): void {
    const { kind, age, conf, secret } = item
    const { rotatedShare, freshUsable } = this.#model.exposure
    const odds = (excess[secret] ?? 0) * share.at(age) * conf * (rotated ? rotatedShare : 1)
    this.#excess.add(odds, bit)
    this.#classes[kind] = (this.#classes[kind] ?? 0) | item.classes
    if (item.prints.length > 0) this.reuse.add(item)
    const isUsable = !rotated && secret >= this.#weights.freshSecretFrom
    if (isUsable && freshUsable !== undefined) {
      if (conf >= freshUsable.confMin && age <= freshUsable.daysMax) this.#fresh |= bit
    }
  }

  #logOdds(kinds: number, withReuse: boolean): number {
    const { exposure } = this.#model
    const reused = withReuse && this.reuse.isShownBy(kinds & EXPOSURES)
    const excess = this.#excessSum(kinds) * (reused ? 1 + exposure.reuse : 1)
    return this.#priorLogOdds + Math.log(1 + excess) + this.#depth(kinds) + this.#marketSum(kinds)
  }

  /** Most questions are about all exposures or none of them. */
  #excessSum(kinds: number): number {
    const exposures = kinds & this.#present & EXPOSURES
    if (exposures === 0) return 0
    if (exposures === (this.#present & EXPOSURES)) return this.#excessOfAll
    return this.#excess.discountedSum(exposures, this.#model.exposure.discount)
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
    return this.#market.discountedSumWith(saturated(circulation, weight), kinds, discount)
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
      if (term > 0) this.#market.add(term, weights.bit)
    }
    this.#market.sort()
  }
}

/** Values with the bit of their kind, largest first once they are sorted. */
class Descending {
  #count = 0
  #values = new Float64Array(64)
  #bits = new Uint16Array(64)

  clear(): void {
    this.#count = 0
  }

  add(value: number, bit: number): void {
    if (this.#count === this.#values.length) this.#grow()
    this.#values[this.#count] = value
    this.#bits[this.#count] = bit
    this.#count++
  }

  /** Shell's sort: a call of a comparing function for each pair costs several times as much. */
  sort(): void {
    const values = this.#values
    const bits = this.#bits
    for (let gap = firstGap(this.#count); gap > 0; gap = Math.floor(gap / 3)) {
      for (let from = gap; from < this.#count; from++) {
        const value = values[from] ?? 0
        const bit = bits[from] ?? 0
        let at = from
        for (; at >= gap && (values[at - gap] ?? 0) < value; at -= gap) {
          values[at] = values[at - gap] ?? 0
          bits[at] = bits[at - gap] ?? 0
        }
        values[at] = value
        bits[at] = bit
      }
    }
  }

  /** The sum of the values of some kinds, each discounted by its rank among them. */
  discountedSum(kinds: number, discount: number): number {
    let sum = 0
    let share = 1
    for (let at = 0; at < this.#count; at++) {
      if (((this.#bits[at] ?? 0) & kinds) === 0) continue
      const next = sum + share * (this.#values[at] ?? 0)
      // Values only get smaller: once one no longer changes the sum, no later one does.
      if (next === sum) break
      sum = next
      share *= discount
    }
    return sum
  }

  /** The same with one more value. */
  discountedSumWith(more: number, kinds: number, discount: number): number {
    let sum = 0
    let share = 1
    let left = more
    for (let at = 0; at < this.#count; at++) {
      if (((this.#bits[at] ?? 0) & kinds) === 0) continue
      const value = this.#values[at] ?? 0
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

  #grow(): void {
    const values = new Float64Array(2 * this.#values.length)
    values.set(this.#values)
    this.#values = values
    const bits = new Uint16Array(values.length)
    bits.set(this.#bits)
    this.#bits = bits
  }
}

/** The largest of 1, 4, 13, 40, … that is below a third of the count. */
function firstGap(count: number): number {
  let gap = 1
  while (3 * gap + 1 < count / 3) gap = 3 * gap + 1
  return gap
}

function saturated(term: { nats: number; natsMax: number }, weight: number): number {
  if (weight === 0) return 0
  return Math.min(term.natsMax, term.nats * Math.log(1 + weight))
}

function bitCount(bits: number): number {
  let count = 0
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++
  return count
}
