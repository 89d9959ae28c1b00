import { addCode } from "./attribution.ts"

/** One finding for or against, in nats. `code` is the place of its reason, or `ALWAYS`. */
export interface Term {
  readonly name: string
  readonly nats: number
  readonly code: number
}

/** Marks a term that belongs to no factor: it stays in every evaluation. */
export const ALWAYS = -1

/**
 * Terms kept in order of their weight, so that their discounted sum can be computed with all
 * factors, none, one alone or all but one, without sorting again. Correlated findings do not add up
 * as if they were independent: each is discounted by its rank, and one more never lowers the sum.
 */
export class Balance {
  readonly #positives: Term[] = []
  readonly #negatives: Term[] = []
  readonly #discount: number

  constructor(discount: number) {
    this.#discount = discount
  }

  /** Adds a finding, for the reason at this place where it speaks for risk. */
  add(name: string, nats: number, code: number): void {
    if (nats > 0) insert(this.#positives, { name, nats, code })
    else if (nats < 0) insert(this.#negatives, { name, nats, code: ALWAYS })
  }

  get negatives(): readonly Term[] {
    return this.#negatives
  }

  /** Adds the codes of the factors that are present to others: each once, in tie order. */
  codes(present: number[] = []): number[] {
    for (const { code } of this.#positives) if (code !== ALWAYS) addCode(present, code)
    return present
  }

  all(): number {
    return this.#sum(ALWAYS, false) + this.#against()
  }

  none(): number {
    return this.#sum(ALWAYS, true) + this.#against()
  }

  only(code: number): number {
    return this.#sum(code, true) + this.#against()
  }

  without(code: number): number {
    return this.#sum(code, false) + this.#against()
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

  #against(): number {
    let sum = 0
    let share = 1
    for (const { nats } of this.#negatives) {
      sum += share * nats
      share *= this.#discount
    }
    return sum
  }
}

/** Puts a term behind those that weigh as much or more. */
function insert(terms: Term[], term: Term): void {
  const weight = Math.abs(term.nats)
  let at = terms.length
  terms.push(term)
  for (; at > 0; at--) {
    const before = terms[at - 1]
    if (before === undefined || Math.abs(before.nats) >= weight) break
    terms[at] = before
  }
  terms[at] = term
}
