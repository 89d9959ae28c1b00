import type { BatchItem, ProblemCode } from "@assay/core/contract"
import type { IdentityKey } from "@assay/core/identity"
import type { Log } from "@assay/runtime/log"
import type { Caller } from "../../accounts/callers.ts"
import { identityTagToday } from "../../accounts/identity-tag.ts"
import type { Limits } from "../../accounts/limits.ts"
import { asked, type Asker } from "../../base/asker.ts"
import { asProblem, Problem, problemDetails } from "../../base/problem.ts"

/** What batches and streams need of a scorer: the same for e-mail addresses and phone numbers. */
export interface IdentityScorer<Identified extends { readonly key: IdentityKey }> {
  identify(identity: string, requestId: string | null): Identified
  score(
    identified: Identified,
    caller: Caller,
    explain: boolean,
    context: null,
    asker: Asker<{ readonly result: object }>,
  ): void
}

/** The request the items belong to. */
export interface ItemsOptions {
  readonly requestId: string
  readonly explain: boolean
  readonly limits: Pick<Limits, "admit">
  readonly faults: ItemFaults
  readonly contextSubkey: Uint8Array
  readonly now: () => number
}

/**
 * Answers one item for the caller as it is now, since its key or plan may have changed since the
 * request began. Never rejects: a failure of this item is no other item's.
 */
export type ScoreItem = (
  index: number,
  identity: string | Problem,
  caller: Caller,
) => Promise<BatchItem<object>>

/**
 * Items in the works at once: what waits, a journal or a provider, then waits for all of them
 * together.
 */
export const ITEMS_AT_ONCE = 32

export function itemScorer<Identified extends { readonly key: IdentityKey }>(
  scorer: IdentityScorer<Identified>,
  { requestId, explain, limits, faults, contextSubkey, now }: ItemsOptions,
): ScoreItem {
  async function scored(identity: string, caller: Caller): Promise<object> {
    const identified = scorer.identify(identity, requestId)
    const tag = identityTagToday(contextSubkey, identified.key, now())
    const admitting = limits.admit(caller, tag)
    const refund = admitting instanceof Promise ? await admitting : admitting
    try {
      const scoring = asked<{ readonly result: object }>((asker) =>
        scorer.score(identified, caller, explain, null, asker),
      )
      return (await scoring).result
    } catch (error) {
      refund()
      throw error
    }
  }
  return async (index, identity, caller) => {
    try {
      if (identity instanceof Problem) throw identity
      return { index, result: await scored(identity, caller) }
    } catch (error) {
      const problem = asProblem(error)
      faults.note(problem)
      return { index, problem: problemDetails(problem, null) }
    }
  }
}

/**
 * Failures of ours among the items of one request: the first of a kind is logged at once, their
 * number at the end.
 */
interface ItemFaults {
  note(problem: Problem): void
  close(): void
}

const OURS: ReadonlySet<ProblemCode> = new Set([
  "internal-error",
  "store-unavailable",
  "limits-unavailable",
])

export function openItemFaults(log: Log, requestId: string): ItemFaults {
  const counts = new Map<ProblemCode, number>()
  return {
    note(problem) {
      const { code } = problem
      if (!OURS.has(code)) return
      const count = (counts.get(code) ?? 0) + 1
      counts.set(code, count)
      if (count === 1)
        log.error("an item failed", { requestId, code, error: problem.cause ?? problem })
    },
    close() {
      for (const [code, count] of counts) log.error("items failed", { requestId, code, count })
    },
  }
}
