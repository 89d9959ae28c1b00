import assert from "node:assert/strict"
import { test } from "node:test"
import { type ImportCounts, importMetrics } from "./import-metrics.ts"

const NONE: ImportCounts = {
  ...{ outcomes: { done: 0, failed: 0, stopped: 0 }, rows: 0, rejected: 0, seconds: 0 },
  ...{ phases: {}, running: 0, current: null },
}

async function ofPhase(current: ImportCounts["current"]): Promise<unknown[]> {
  const metrics = (await importMetrics({ ...NONE, current })) as {
    name: string
    values: { value: number; labels: object }[]
  }[]
  return ["assay_import_phase_done_ratio", "assay_import_phase_left_seconds"].map((name) =>
    metrics
      .find((metric) => metric.name === name)
      ?.values.map(({ value, labels }) => [value, labels]),
  )
}

test("the phase of an import that runs is told with its share and time left, as far as they are known", async () => {
  assert.deepEqual(await ofPhase(null), [[], []])
  const merging = { phase: "merging" } as const
  assert.deepEqual(await ofPhase({ ...merging, share: 0.25, secondsLeft: 12 }), [
    [[0.25, merging]],
    [[12, merging]],
  ])
  assert.deepEqual(await ofPhase({ ...merging, share: 0, secondsLeft: null }), [[[0, merging]], []])
})
