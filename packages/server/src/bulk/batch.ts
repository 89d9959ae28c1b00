import type { BatchItem } from "@assay/core/contract"
import { openTimeSlices, type TimeSlices } from "../http/time-slices.ts"
import { Problem } from "../problem.ts"
import { ITEMS_AT_ONCE, type ScoreItem } from "./items.ts"

/** Answers all items in their order. Other requests get their turn between slices. */
export async function batchResults(
  identities: readonly unknown[],
  member: string,
  score: ScoreItem,
  slices: TimeSlices = openTimeSlices(),
): Promise<BatchItem<object>[]> {
  const results: BatchItem<object>[] = []
  while (results.length < identities.length) {
    if (results.length > 0) await slices.next()
    const inWork: Promise<BatchItem<object>>[] = []
    do {
      const index = results.length + inWork.length
      inWork.push(score(index, textOf(identities[index], member, index)))
    } while (
      inWork.length < ITEMS_AT_ONCE &&
      results.length + inWork.length < identities.length &&
      !slices.isOver()
    )
    results.push(...(await Promise.all(inWork)))
  }
  return results
}

function textOf(identity: unknown, member: string, index: number): string | Problem {
  if (typeof identity === "string") return identity
  return new Problem("invalid-request", "An item has the wrong type.", {
    errors: [{ pointer: `#/${member}/${index}`, detail: "must be of type string" }],
  })
}

/** Nothing was evaluated, and a store was away: then the whole batch could not be checked, and can be sent again. */
export function couldNotBeChecked(results: readonly BatchItem<object>[]): boolean {
  return (
    results.every(({ problem }) => problem !== undefined) &&
    results.some(({ problem }) => problem?.code === "store-unavailable")
  )
}
