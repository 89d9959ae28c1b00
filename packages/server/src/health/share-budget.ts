import type { ErrorBudget } from "@assay/core/contract"
import type { Log } from "@assay/runtime/log"
import { oneAtATime } from "@assay/runtime/one-at-a-time"
import { MINUTE_MS, monthOf } from "@assay/runtime/time"
import type { NodeRecords } from "@assay/stores/records-nodes"
import { type Budget, budgetOf, budgetOfAll, dropOldBudget } from "./budget.ts"
import { budgetFrom, budgetText } from "./levels-file.ts"

interface SharingOptions {
  /** What this node counted. */
  readonly own: () => Budget
  readonly records: Pick<NodeRecords, "sayRequests" | "saidRequests">
  readonly nodeId: string
  readonly now: () => number
  readonly log: Log
  readonly everyMs?: number
}

export interface SharedBudget {
  /** Of a month such as 2026-11, what all nodes were asked; the present month unless given. */
  budget(month?: string): Promise<ErrorBudget>
  /** Says for the last time what this node was asked. */
  stop(): Promise<void>
}

/**
 * One error budget of all nodes that share the records, whichever is asked: a balancer brings each
 * request to another. A node says each minute what it was asked, and when it stops.
 */
export function shareBudget(options: SharingOptions): SharedBudget {
  const { own, records, nodeId, now, log, everyMs = MINUTE_MS } = options

  // Said again in the next minute, whatever kept it from being said now.
  const say = oneAtATime(async () => {
    try {
      await records.sayRequests({ id: nodeId, said: budgetText(own()) })
    } catch (error) {
      log.warn("other nodes could not be told what this one was asked", { error })
    }
  })
  const timer = setInterval(() => void say(), everyMs)

  return {
    async budget(month = monthOf(now())) {
      const said = (await records.saidRequests()).filter(({ id }) => id !== nodeId)
      const all = budgetOfAll([own(), ...said.map((other) => budgetFrom(other.said))])
      // What a node that is gone said last grows old, too.
      dropOldBudget(all, now())
      return budgetOf(all, month, now())
    },
    async stop() {
      clearInterval(timer)
      await say()
    },
  }
}
