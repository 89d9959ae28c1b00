import type { BatchItem } from "@assay/core/contract"
import type { Caller } from "../../accounts/callers.ts"
import { openTimeSlices, type TimeSlices } from "../../http/time-slices.ts"
import { asProblem, Problem, problemDetails } from "../../base/problem.ts"
import { ITEMS_AT_ONCE, type ScoreItem } from "./items.ts"
import type { RefusedLines } from "./refused-lines.ts"

interface BatchOptions {
  readonly identities: readonly unknown[]
  readonly member: string
  readonly score: ScoreItem
  /** The caller as it is now, for the next slice. Rejects when its key or scope has ended. */
  readonly callerNow: () => Promise<Caller>
  readonly refused: RefusedLines
  readonly slices?: TimeSlices
}

/** Answers all items in their order. Other requests get their turn between slices. */
export async function batchResults(options: BatchOptions): Promise<BatchItem<object>[]> {
  const { identities, member, score, callerNow, refused, slices = openTimeSlices() } = options
  const results: BatchItem<object>[] = []
  // Why the rest is not even read: unlike a stream, a batch cannot wait.
  let ended: Problem | null = null
  while (results.length < identities.length) {
    if (results.length > 0) await slices.next()
    const caller: Caller | Problem = ended ?? (await callerNow().catch(asProblem))
    if (caller instanceof Problem) {
      const problem = problemDetails(caller, null)
      for (let index = results.length; index < identities.length; index++)
        results.push({ index, problem })
      break
    }
    const inWork: Promise<BatchItem<object>>[] = []
    do {
      const index = results.length + inWork.length
      inWork.push(score(index, textOf(identities[index], member, index), caller))
    } while (
      inWork.length < ITEMS_AT_ONCE &&
      results.length + inWork.length < identities.length &&
      !slices.isOver()
    )
    const items = await Promise.all(inWork)
    results.push(...items)
    if ((await refused.charge(items, caller)) > 0) ended = tooManyRefused()
  }
  return results
}

function tooManyRefused(): Problem {
  return new Problem("rate-limited", "Items before this one were refused and used up the rate.")
}

function textOf(identity: unknown, member: string, index: number): string | Problem {
  if (typeof identity === "string") return identity
  return new Problem("invalid-request", "An item has the wrong type.", {
    errors: [{ pointer: `#/${member}/${index}`, detail: "must be of type string" }],
  })
}

/** The failure to report if no item was evaluated: then the whole batch can be sent again. */
export function unavailable(
  results: readonly BatchItem<object>[],
): "store-unavailable" | "limits-unavailable" | null {
  if (results.some(({ problem }) => problem === undefined)) return null
  const was = (code: string): boolean => results.some(({ problem }) => problem?.code === code)
  if (was("store-unavailable")) return "store-unavailable"
  return was("limits-unavailable") ? "limits-unavailable" : null
}
