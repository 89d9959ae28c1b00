import type { ProviderCostRecords } from "@assay/stores/records-provider-costs"
import { dayOf } from "@assay/runtime/time"
import type { Spend, Spending } from "./spending.ts"

export interface SpendingLedgerOptions {
  readonly records: Pick<ProviderCostRecords, "spendProviderCost">
  /** The most all tenants together may spend in a UTC day. */
  readonly totalCapMicros: number
  readonly now: () => number
}

/** The records take this many in one write. */
const SPENDS_MAX = 1_000

interface Waiting {
  readonly spend: Spend
  readonly resolve: (allowed: boolean) => void
  readonly reject: (reason: unknown) => void
}

/**
 * Spends through the records, one write at a time. Spends that arrive during a write go together
 * into the next one, in order of arrival. So a busy moment costs the disk no more than a quiet one.
 */
export function openSpendingLedger(options: SpendingLedgerOptions): Spending {
  const { records, totalCapMicros, now } = options
  const waiting: Waiting[] = []
  let writing = false

  const write = async (): Promise<void> => {
    const some = waiting.splice(0, SPENDS_MAX)
    try {
      const spends = some.map(({ spend }) => spend)
      const allowed = await records.spendProviderCost(dayOf(now()), spends, totalCapMicros)
      some.forEach(({ resolve }, place) => resolve(allowed[place] === true))
    } catch (error) {
      for (const { reject } of some) reject(error)
    }
  }
  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) await write()
    writing = false
  }

  return {
    spend: (spend) =>
      new Promise((resolve, reject) => {
        waiting.push({ spend, resolve, reject })
        if (writing) return
        writing = true
        // A request asks several providers in one turn: a moment later all of them are here, for
        // one write.
        queueMicrotask(() => void writeAll())
      }),
  }
}
