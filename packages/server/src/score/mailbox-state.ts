import type { EntryKind } from "@assay/stores/exposure-index"

/**
 * What was reported of mail to a mailbox: whether it arrived, came back, or would have arrived for
 * any name.
 */
export class MailboxState {
  #bounced: number | null = null
  #delivered: number | null = null
  #catchAll: { age: number; value: boolean } | null = null

  /** Takes in an observation, and says whether it was about the mailbox. */
  take(kind: EntryKind, age: number, value: number | null): boolean {
    if (kind === "bounced") this.#bounced = newer(this.#bounced, age)
    else if (kind === "delivered") this.#delivered = newer(this.#delivered, age)
    else if (kind !== "catch_all") return false
    else if (this.#catchAll === null || age < this.#catchAll.age) {
      this.#catchAll = { age, value: value !== 0 }
    }
    return true
  }

  /** By the newest report; on one day a bounce weighs more than a delivery. */
  deliverable(): boolean | undefined {
    if (this.#bounced === null) return this.#delivered === null ? undefined : true
    return this.#delivered !== null && this.#delivered < this.#bounced
  }

  /** Whether mail came back after the age given. */
  bouncedAfter(age: number): boolean {
    return this.#bounced !== null && this.#bounced <= age
  }

  catchAll(): boolean | undefined {
    return this.#catchAll?.value
  }

  /** It worked, by a delivery or by its owner's word, and now mail comes back. */
  died(ownershipVerifiedAge: number | null): boolean | undefined {
    if (this.deliverable() !== false) return undefined
    const worked = this.#delivered !== null || ownershipVerifiedAge !== null
    return worked ? true : undefined
  }
}

function newer(known: number | null, age: number): number {
  return known === null ? age : Math.min(known, age)
}
