import { discountedSum } from "./scale.ts"

/** One finding for or against, in nats. `code` is the place of its reason, or `ALWAYS`. */
export interface Term {
  readonly name: string
  readonly nats: number
  readonly code: number
}

/** Marks a term that belongs to no factor: it stays in every evaluation. */
export const ALWAYS = -1

function weight({ nats }: Term): number {
  return Math.abs(nats)
}

function byWeight(a: Term, b: Term): number {
  return weight(b) - weight(a)
}

/**
 * Terms sorted once, so that their discounted sum can be computed with all factors, none, one alone
 * or all but one, without sorting again.
 */
export class Balance {
  readonly negatives: readonly Term[]
  readonly #positives: readonly Term[]
  readonly #discount: number
  readonly #against: number

  constructor(terms: readonly Term[], discount: number) {
    this.#discount = discount
    const positives: Term[] = []
    const negatives: Term[] = []
    for (const term of terms) {
      if (term.nats > 0) positives.push(term)
      else if (term.nats < 0) negatives.push(term)
    }
    if (positives.length > 1) positives.sort(byWeight)
    if (negatives.length > 1) negatives.sort(byWeight)
    this.#positives = positives
    this.negatives = negatives
    this.#against = negatives.length === 0 ? 0 : -discountedSum(negatives.map(weight), discount)
  }

  /** Sets the places of the factors that positive terms belong to. */
  markFactors(present: boolean[]): void {
    for (const { code } of this.#positives) if (code !== ALWAYS) present[code] = true
  }

  all(): number {
    return this.#sum(ALWAYS, false) + this.#against
  }

  none(): number {
    return this.#sum(ALWAYS, true) + this.#against
  }

  only(code: number): number {
    return this.#sum(code, true) + this.#against
  }

  without(code: number): number {
    return this.#sum(code, false) + this.#against
  }

  /** The sum as if nothing spoke against: what the mitigating terms are compared with. */
  noneUnmitigated(): number {
    return this.#sum(ALWAYS, true)
  }

  #sum(code: number, onlyCode: boolean): number {
    let sum = 0
    let share = 1
    for (const term of this.#positives) {
      if (term.code !== ALWAYS && (term.code === code) !== onlyCode) continue
      sum += share * term.nats
      share *= this.#discount
    }
    return sum
  }
}
