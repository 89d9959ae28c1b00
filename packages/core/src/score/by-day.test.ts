import assert from "node:assert/strict"
import { test } from "node:test"
import { ByDay } from "./by-day.ts"
import { decayed } from "./scale.ts"

test("a kept value is the computed one, for whole days, parts of days and any age", () => {
  const half = (days: number): number => decayed(days, 7)
  const kept = new ByDay(half)
  for (const days of [0, -0, 1, 6.5, 7, 4_095, 4_096, 4_095.5, 36_500, 1e9, 0.1, -3, 2 ** 32]) {
    for (let time = 0; time < 2; time++) assert.equal(kept.at(days), half(days), String(days))
  }
})

test("a whole day is computed once", () => {
  let computed = 0
  const kept = new ByDay((days) => {
    computed++
    return days
  })
  for (let time = 0; time < 3; time++) assert.equal(kept.at(30), 30)
  assert.equal(computed, 1)
})
