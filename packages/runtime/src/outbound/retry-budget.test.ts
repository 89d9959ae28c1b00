import assert from "node:assert/strict"
import { test } from "node:test"
import * as fc from "fast-check"
import { openRetryBudget } from "./retry-budget.ts"

test("one retry is there at first, and the next after as many calls as earn one", () => {
  const budget = openRetryBudget({ callsPerRetry: 10, savedMax: 5 })
  assert.equal(budget.take(), true)
  assert.equal(budget.take(), false)
  for (let call = 0; call < 9; call++) budget.earn()
  assert.equal(budget.take(), false)
  budget.earn()
  assert.equal(budget.take(), true)
  assert.equal(budget.take(), false)
})

test("a quiet time saves up no more retries than may be saved", () => {
  const budget = openRetryBudget({ callsPerRetry: 10, savedMax: 5 })
  for (let call = 0; call < 10_000; call++) budget.earn()
  const taken = Array.from({ length: 10 }, () => budget.take()).filter(Boolean)
  assert.equal(taken.length, 5)
})

test("whatever comes in whatever order, retries stay within a tenth of the calls and the first one", () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 500 }), (steps) => {
      const budget = openRetryBudget({ callsPerRetry: 10, savedMax: 5 })
      let calls = 0
      let retries = 0
      for (const isCall of steps) {
        if (isCall) {
          calls++
          budget.earn()
        } else if (budget.take()) retries++
        assert.ok(retries <= 1 + calls / 10)
      }
    }),
    { seed: 29, numRuns: 500 },
  )
})
