import assert from "node:assert/strict"
import { test } from "node:test"
import { compactionMetrics } from "./compaction-metrics.ts"
import type { CompactionState } from "./keep-compacted.ts"

async function told(state: CompactionState | null): Promise<Record<string, number | undefined>> {
  const metrics = (await compactionMetrics(state)) as {
    name: string
    values: { value: number }[]
  }[]
  return Object.fromEntries(
    metrics.map(({ name, values }) => [
      name.replace("assay_index_compaction_", ""),
      values[0]?.value,
    ]),
  )
}

test("what is not known of a compaction is not told as 0", async () => {
  assert.deepEqual(await told(null), { running: 0 })
  assert.deepEqual(await told({ share: null, secondsLeft: null }), { running: 1 })
  assert.deepEqual(await told({ share: 0.5, secondsLeft: 0 }), {
    ...{ running: 1, done_ratio: 0.5, left_seconds: 0 },
  })
})
