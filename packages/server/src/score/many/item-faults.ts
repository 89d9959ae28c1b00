import type { ProblemCode } from "@assay/core/contract"
import type { Log } from "@assay/runtime/log"
import type { Problem } from "../../base/problem.ts"

/**
 * Failures of ours among the items of one request: the first of a kind is logged at once, their
 * number at the end.
 */
export interface ItemFaults {
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
