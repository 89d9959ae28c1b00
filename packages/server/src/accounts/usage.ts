import type { Log } from "@assay/runtime/log"
import type { Metering, UsageRow } from "@assay/stores/records"
import { dayOf } from "@assay/runtime/time"

export interface Usage {
  /** Counts one answered lookup; made durable by the next flush, at most a second later. */
  count(keyId: string, operation: string): void
  flush(): Promise<void>
}

/** Counts in memory; what could not be written stays and goes with the next flush. */
export function openUsage(
  metering: Pick<Metering, "addUsage">,
  now: () => number,
  log: Log,
): Usage {
  let counts = new Map<string, UsageRow>()
  // Mostly the same key asks again, and finding its row by a name costs more than counting.
  let last: UsageRow | null = null
  /** Returns the row that now counts it. */
  const add = (row: UsageRow): UsageRow => {
    const name = `${row.keyId} ${row.day} ${row.operation}`
    const found = counts.get(name)
    if (found === undefined) counts.set(name, row)
    else found.count += row.count
    return found ?? row
  }
  return {
    count(keyId, operation) {
      const day = dayOf(now())
      if (last?.keyId === keyId && last.operation === operation && last.day === day) last.count++
      else last = add({ keyId, day, operation, count: 1 })
    },
    async flush() {
      if (counts.size === 0) return
      const rows = [...counts.values()]
      counts = new Map()
      last = null
      try {
        await metering.addUsage(rows)
      } catch (error) {
        for (const row of rows) add(row)
        log.warn("usage could not be written and is kept for the next try", { error })
      }
    },
  }
}
