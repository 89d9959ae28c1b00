import { DAY_MS, dayOf } from "@assay/runtime/time"
import type { NodeCounters, NodeCountersUse } from "@assay/stores/node-counters"
import { type CountersPlace, openCounters } from "@assay/stores/open/open-counters"
import type { Metering } from "@assay/stores/records"
import type { ProviderCostRecords } from "@assay/stores/records-provider-costs"
import { PROVIDER_COST_DAYS } from "../base/retention.ts"

type Use = NodeCountersUse & {
  readonly records: Metering & Pick<ProviderCostRecords, "forgetProviderCosts">
}

/** What the primary needs of counters that keep themselves. */
export type KeptCounters = Pick<NodeCounters, "of" | "forgetWorker" | "close">

const KEEP_MS = 1000

/**
 * Opens the counters, writes what they count of the day to the records every second, and deletes
 * there what is of no use any more.
 */
export async function keepCounters(place: CountersPlace, use: Use): Promise<KeptCounters> {
  const { records, log } = use
  const counters = await openCounters(place, use)
  let forgottenBefore = ""
  const keep = async (): Promise<void> => {
    await counters.keep()
    // A day's tags are of no use the day after.
    const today = dayOf(counters.now())
    if (forgottenBefore !== today) {
      await records.forgetDailyIdentities(today)
      await records.forgetProviderCosts(dayOf(counters.now() - PROVIDER_COST_DAYS * DAY_MS))
    }
    forgottenBefore = today
  }
  const keepOrSay = (): Promise<void> =>
    keep().catch((error: unknown) => log.warn("today's identities could not be written", { error }))
  const keeping = setInterval(() => void keepOrSay(), KEEP_MS)
  return {
    of: counters.of,
    forgetWorker: counters.forgetWorker,
    async close() {
      clearInterval(keeping)
      await keepOrSay()
      await counters.close()
    },
  }
}
