import assert from "node:assert/strict"
import { test } from "node:test"
import { countedSlices } from "../../../testing/http/test-slices.ts"
import { Problem, problemDetails } from "../../base/problem.ts"
import { batchResults } from "./batch.ts"
import { openRefusedLines } from "./refused-lines.ts"
import { testCaller } from "../../../testing/score/many/test-caller.ts"

test("items that are dear are worked on a few at a time, cheap ones many, all in order", async () => {
  for (const [itemMs, longestMs] of [
    [2, 4],
    [0.001, 0.032],
  ] as const) {
    const { slices, work, longestMs: longest } = countedSlices()
    const identities = Array.from({ length: 500 }, (_, n) => `${n}@mail.example`)
    const results = await batchResults({
      identities,
      member: "emails",
      async score(index, identity) {
        work(itemMs)
        return { index, result: { identity } }
      },
      callerNow: async () => testCaller,
      refused: openRefusedLines({ chargeRefused: () => 0 }),
      slices,
    })
    assert.deepEqual(
      results,
      identities.map((identity, index) => ({ index, result: { identity } })),
    )
    assert.ok(longest() <= longestMs + 1e-9, `${longest()} ms in one slice`)
  }
})

test("a key that ends while a batch is worked on leaves the rest with its problem", async () => {
  const ended = new Problem("unauthenticated", "The API key is not valid here.")
  let asked = 0
  const results = await batchResults({
    identities: Array<string>(100).fill("a@mail.example"),
    member: "emails",
    score: async (index) => ({ index, result: {} }),
    callerNow: async () => (++asked === 1 ? testCaller : Promise.reject(ended)),
    refused: openRefusedLines({ chargeRefused: () => 0 }),
    slices: countedSlices().slices,
  })
  assert.equal(results.length, 100)
  assert.ok(results.slice(0, 32).every(({ result }) => result !== undefined))
  for (const [n, item] of results.slice(32).entries())
    assert.deepEqual(item, { index: 32 + n, problem: problemDetails(ended, null) })
})
