import { Gauge, Registry } from "prom-client"
import type { CompactionState } from "./keep-compacted.ts"

/** As a registry reports it: how far a compaction of the index is; null: none runs. */
export async function compactionMetrics(state: CompactionState | null): Promise<object> {
  const registry = new Registry()
  const gauge = (name: string, help: string, value: number | null | undefined): void => {
    // One that was made and not set would say 0.
    if (value != null) new Gauge({ name, help, registers: [registry] }).set(value)
  }
  gauge(
    "assay_index_compaction_running",
    "1 while the service compacts its index or makes an older one anew.",
    state === null ? 0 : 1,
  )
  gauge(
    "assay_index_compaction_done_ratio",
    "How much of it is done, 0 to 1; absent while none runs.",
    state?.share,
  )
  gauge(
    "assay_index_compaction_left_seconds",
    "How long it still takes, as it went so far; absent where that is not known.",
    state?.secondsLeft,
  )
  return await registry.getMetricsAsJSON()
}
