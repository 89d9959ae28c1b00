import assert from "node:assert/strict"
import { test } from "node:test"
import { countedSlices } from "../http/test-slices.ts"
import { batchResults } from "./batch.ts"

test("items that are dear are worked on a few at a time, cheap ones many, all in order", async () => {
  for (const [itemMs, longestMs] of [
    [2, 4],
    [0.001, 0.032],
  ] as const) {
    const { slices, work, longestMs: longest } = countedSlices()
    const identities = Array.from({ length: 500 }, (_, n) => `${n}@mail.example`)
    const results = await batchResults(
      identities,
      "emails",
      async (index, identity) => {
        work(itemMs)
        return { index, result: { identity } }
      },
      slices,
    )
    assert.deepEqual(
      results,
      identities.map((identity, index) => ({ index, result: { identity } })),
    )
    assert.ok(longest() <= longestMs + 1e-9, `${longest()} ms in one slice`)
  }
})
