import { dayOf, monthOf } from "@assay/runtime/time"
import type { NodeCounters, NodeCountersUse } from "../node-counters.ts"
import { embeddedCounters } from "./counters.ts"
import { keptVelocity } from "./kept-velocity.ts"

/**
 * Counters in the memory of the primary, which no other node shares. They begin with what the
 * records and the journal of sign-ups have from before.
 */
export async function embeddedNodeCounters(use: NodeCountersUse): Promise<NodeCounters> {
  const { records, now } = use
  const counters = embeddedCounters(use)
  const [day, month] = [dayOf(now()), monthOf(now())]
  counters.restore(
    month,
    await records.usageOfMonth(month),
    day,
    await records.dailyIdentities(day),
  )
  const { velocity, close } = await keptVelocity({ ...use, counters })
  return {
    of: (worker) => ({ ...counters, velocity, holdStreams: counters.holdStreamsOf(worker) }),
    forgetWorker: counters.forgetWorker,
    now,
    keep: () => counters.writeNewIdentities((rows) => records.addDailyIdentities(rows)),
    close,
  }
}
