import { setTimeout as delay } from "node:timers/promises"
import { dayOf } from "../../packages/runtime/src/time.ts"
import { openRecordsOf } from "./records-of.ts"

/** Usage is written within a second; on a busy machine the writing itself may take longer. */
const WRITTEN_MS = 10_000

/**
 * The lookups of a tenant today, once they have reached `expected` or can no longer be on their
 * way.
 */
export async function usageOf(data: string, tenant: string, expected: number): Promise<number> {
  const records = await openRecordsOf(data)
  try {
    const tenantId = (await records.tenantByName(tenant))?.id ?? -1
    const deadline = Date.now() + WRITTEN_MS
    for (;;) {
      const today = dayOf(Date.now())
      const rows = await records.usage({ tenantId, from: today, to: today })
      const count = rows.reduce((sum, row) => sum + row.count, 0)
      if (count >= expected || Date.now() > deadline) return count
      await delay(100)
    }
  } finally {
    await records.close()
  }
}
