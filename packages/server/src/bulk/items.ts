import type { BatchItem } from "@assay/core/contract"
import type { IdentityKey } from "@assay/core/identity"
import type { Caller } from "../accounts/callers.ts"
import { identityTagToday } from "../accounts/identity-tag.ts"
import type { ManyAdmission } from "../accounts/many-lookups.ts"
import { asProblem, Problem, problemDetails } from "../problem.ts"
import type { ItemFaults } from "./item-faults.ts"

/** What batches and streams need of a scorer: the same for e-mail addresses and phone numbers. */
export interface IdentityScorer<Identified extends { readonly key: IdentityKey }> {
  identify(identity: string): Identified
  score(
    identified: Identified,
    caller: Caller,
    explain: boolean,
  ): Promise<{ readonly result: object }>
}

/** The request the items belong to. */
export interface ItemsOptions {
  readonly caller: Caller
  readonly explain: boolean
  readonly admission: ManyAdmission
  readonly faults: ItemFaults
  readonly contextSubkey: Uint8Array
  readonly now: () => number
}

/** Answers one item. Never rejects: what goes wrong with it is its problem and no other item's. */
export type ScoreItem = (index: number, identity: string | Problem) => Promise<BatchItem<object>>

/** Items in the works at once: what waits, a journal or a provider, then waits for all of them together. */
export const ITEMS_AT_ONCE = 32

export function itemScorer<Identified extends { readonly key: IdentityKey }>(
  scorer: IdentityScorer<Identified>,
  { caller, explain, admission, faults, contextSubkey, now }: ItemsOptions,
): ScoreItem {
  async function scored(identity: string): Promise<object> {
    const identified = scorer.identify(identity)
    const admitting = admission.admitLookup(identityTagToday(contextSubkey, identified.key, now()))
    if (admitting !== undefined) await admitting
    try {
      return (await scorer.score(identified, caller, explain)).result
    } catch (error) {
      admission.refundLookup()
      throw error
    }
  }
  return async (index, identity) => {
    try {
      if (identity instanceof Problem) throw identity
      return { index, result: await scored(identity) }
    } catch (error) {
      const problem = asProblem(error)
      faults.note(problem)
      return { index, problem: problemDetails(problem, null) }
    }
  }
}
