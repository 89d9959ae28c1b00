import type { Evidence, Item } from "./merge.ts"
import type { EmailModel } from "./model-email.ts"
import { PasswordReuse } from "./reuse.ts"
import { clip, decayed, logit, logOddsOf, pointsOf, sigmoid } from "./scale.ts"
import { effectiveStage, isBeforeRotation, StageEvidence } from "./stage.ts"
import {
  EMAIL_EVIDENCE_KINDS,
  EXPOSURE_KINDS,
  SECRETS,
  type EmailEvidenceKind,
} from "./vocabulary.ts"

/** Every kind of evidence, as a bit mask over `EMAIL_EVIDENCE_KINDS`. */
export const ALL_KINDS = (1 << EMAIL_EVIDENCE_KINDS.length) - 1
const EXPOSURES = (1 << EXPOSURE_KINDS.length) - 1
const SECRET_NONE = SECRETS.indexOf("none")

type ByKind = Readonly<Record<EmailEvidenceKind, number>>
const placeOf = Object.fromEntries(EMAIL_EVIDENCE_KINDS.map((kind, i) => [kind, i])) as ByKind
const bitOf = Object.fromEntries(EMAIL_EVIDENCE_KINDS.map((kind, i) => [kind, 1 << i])) as ByKind
const FIRST_MARKET_KIND = placeOf.listing

/**
 * A plain array: a typed one costs several times as much to make, and one assessment makes a
 * handful.
 */
function zeros(length: number): number[] {
  return new Array<number>(length).fill(0)
}

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
 * any set of kinds, with or without the finding that a password was reused.
 */
export class CredentialTerms {
  readonly stages: StageEvidence
  readonly reuse: PasswordReuse
  readonly #model: EmailModel
  readonly #priorLogOdds: number
  /** Excess odds with the bit of their kind, largest first. */
  readonly #excess: { odds: number; bit: number }[] = []
  readonly #classes = zeros(EXPOSURE_KINDS.length)
  /** The kinds of exposures that are fresh and usable. */
  #fresh = 0
  /** By kind: the summed, and the largest, weight on the market. */
  readonly #sums = zeros(EMAIL_EVIDENCE_KINDS.length)
  readonly #maxima = zeros(EMAIL_EVIDENCE_KINDS.length)
  readonly #market = zeros(EMAIL_EVIDENCE_KINDS.length)
  /** Room to sort the market terms of one question in. */
  readonly #marketTerms = zeros(EMAIL_EVIDENCE_KINDS.length)

  constructor({ items }: Evidence, rotatedAge: number | null, prior: number, model: EmailModel) {
    this.#model = model
    this.#priorLogOdds = logit(prior)
    this.stages = new StageEvidence(model)
    for (const item of items) this.#weigh(item, isBeforeRotation(item.age, rotatedAge))
    this.stages.close()
    this.#closeMarket()
    this.#excess.sort((a, b) => b.odds - a.odds)
    this.reuse = new PasswordReuse(items)
  }

  risk(kinds: number, withReuse: boolean): CredentialRisk {
    const { scale } = this.#model
    const stage = this.stages.stage(kinds)
    const cap = this.stages.cap(stage)
    const freshUsable = stage > 0 && (this.#fresh & kinds) !== 0
    const floor = this.#floor(this.stages.floor(stage, kinds), cap, freshUsable)
    const raw = pointsOf(scale, this.#logOdds(kinds, withReuse))
    const points = clip(raw, floor ?? -Infinity, cap)
    return { p: sigmoid(logOddsOf(scale, points)), points, raw, stage, floor, cap, freshUsable }
  }

  #floor(ofStage: number | null, cap: number, freshUsable: boolean): number | null {
    const fresh = this.#model.exposure.freshUsable
    if (!freshUsable || fresh === undefined) return ofStage
    return Math.min(cap, Math.max(ofStage ?? 0, fresh.floor))
  }

  #weigh(item: Item, rotated: boolean): void {
    const kind = EMAIL_EVIDENCE_KINDS[item.kind]
    if (kind === undefined) return
    this.stages.add(item, effectiveStage(item, rotated, this.#model))
    if (isExposure(kind)) {
      this.#excess.push({ odds: this.#excessOdds(item, kind, rotated), bit: bitOf[kind] })
      this.#classes[item.kind] = (this.#classes[item.kind] ?? 0) | item.classes
      if (this.#isFreshUsable(item, rotated)) this.#fresh |= bitOf[kind]
      if (kind !== "combolist" || item.secret === SECRET_NONE) return
    }
    const weight = item.conf * this.#marketShare(kind, item.age, rotated)
    this.#sums[item.kind] = (this.#sums[item.kind] ?? 0) + weight
    this.#maxima[item.kind] = Math.max(this.#maxima[item.kind] ?? 0, weight)
  }

  #isFreshUsable({ secret, conf, age }: Item, rotated: boolean): boolean {
    const fresh = this.#model.exposure.freshUsable
    if (fresh === undefined || rotated) return false
    const usable = secret >= SECRETS.indexOf(fresh.secretFrom)
    return usable && conf >= fresh.confMin && age <= fresh.daysMax
  }

  #excessOdds(item: Item, kind: (typeof EXPOSURE_KINDS)[number], rotated: boolean): number {
    const { kinds, secrets, slowHalfLifeDays, rotatedShare } = this.#model.exposure
    const { oddsRatio, fastShare, fastHalfLifeDays } = kinds[kind]
    const still =
      fastShare * decayed(item.age, fastHalfLifeDays) +
      (1 - fastShare) * decayed(item.age, slowHalfLifeDays)
    const usable = secrets[SECRETS[item.secret] ?? "unknown"]
    return (oddsRatio - 1) * usable * still * item.conf * (rotated ? rotatedShare : 1)
  }

  // A confirmed change of the password makes goods on offer stale. It neither ends interest in the
  // person nor undoes an attack or a loss.
  #marketShare(kind: EmailEvidenceKind, age: number, rotated: boolean): number {
    const { market } = this.#model
    switch (kind) {
      case "mention":
      case "attack":
      case "monetized":
        return decayed(age, market[kind].halfLifeDays)
      case "listing":
      case "sale":
      case "ready":
      case "tested":
        return decayed(age, market[kind].halfLifeDays) * (rotated ? market.rotatedShare : 1)
      default:
        return decayed(age, market.circulation.halfLifeDays) * (rotated ? market.rotatedShare : 1)
    }
  }

  #logOdds(kinds: number, withReuse: boolean): number {
    const reused = withReuse && this.reuse.isShownBy(kinds & EXPOSURES)
    const excess = this.#excessSum(kinds) * (reused ? 1 + this.#model.exposure.reuse : 1)
    return this.#priorLogOdds + Math.log(1 + excess) + this.#depth(kinds) + this.#marketSum(kinds)
  }

  #excessSum(kinds: number): number {
    const { discount } = this.#model.exposure
    let sum = 0
    let share = 1
    for (const { odds, bit } of this.#excess) {
      if ((bit & kinds) === 0) continue
      const next = sum + share * odds
      // Terms only get smaller: once one no longer changes the sum, no later one does.
      if (next === sum) break
      sum = next
      share *= discount
    }
    return sum
  }

  #depth(kinds: number): number {
    let classes = 0
    for (let kind = 0; kind < EXPOSURE_KINDS.length; kind++) {
      if ((kinds & (1 << kind)) !== 0) classes |= this.#classes[kind] ?? 0
    }
    const { nats, classesMax } = this.#model.depth
    return nats * Math.min(classesMax, bitCount(classes))
  }

  #marketSum(kinds: number): number {
    const { circulation, discount } = this.#model.market
    const terms = this.#marketTerms
    let count = 0
    const insert = (nats: number): void => {
      let at = count++
      for (; at > 0 && (terms[at - 1] ?? 0) < nats; at--) terms[at] = terms[at - 1] ?? 0
      terms[at] = nats
    }
    insert(saturated(circulation, this.#sumOf("combolist", kinds) + this.#sumOf("repost", kinds)))
    for (let kind = FIRST_MARKET_KIND; kind < EMAIL_EVIDENCE_KINDS.length; kind++) {
      const nats = this.#market[kind] ?? 0
      if (nats > 0 && (kinds & (1 << kind)) !== 0) insert(nats)
    }
    let sum = 0
    let share = 1
    for (let at = 0; at < count; at++) {
      sum += share * (terms[at] ?? 0)
      share *= discount
    }
    return sum
  }

  #sumOf(kind: EmailEvidenceKind, kinds: number): number {
    return (kinds & bitOf[kind]) === 0 ? 0 : (this.#sums[placeOf[kind]] ?? 0)
  }

  /** The market terms of a single kind; two kinds share circulation. */
  #closeMarket(): void {
    const { market } = this.#model
    const sums = this.#sums
    const maxima = this.#maxima
    for (const kind of ["listing", "mention"] as const) {
      this.#market[placeOf[kind]] = saturated(market[kind], sums[placeOf[kind]] ?? 0)
    }
    for (const kind of ["ready", "sale", "tested", "attack", "monetized"] as const) {
      this.#market[placeOf[kind]] = market[kind].nats * (maxima[placeOf[kind]] ?? 0)
    }
  }
}

function isExposure(kind: EmailEvidenceKind): kind is (typeof EXPOSURE_KINDS)[number] {
  return (bitOf[kind] & EXPOSURES) !== 0
}

function saturated(term: { nats: number; natsMax: number }, weight: number): number {
  return Math.min(term.natsMax, term.nats * Math.log(1 + weight))
}

function bitCount(bits: number): number {
  let count = 0
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++
  return count
}
