import assert from "node:assert/strict"
import { test } from "node:test"
import { HOUR_MS } from "@assay/runtime/time"
import { openSharedBudget, type SharedBudget } from "./shared-budget.ts"

const PER_HOUR = 60
const MINUTE_MS = 60_000

function opened(): { budget: SharedBudget; clock: { now: number } } {
  const clock = { now: 1000 * HOUR_MS }
  return { clock, budget: openSharedBudget(PER_HOUR, () => clock.now) }
}

/** How many of `tries` tries are accepted. */
const flood = (budget: SharedBudget, address: string | undefined, tries = 1000): number =>
  Array.from({ length: tries }, () => budget.take(address)).filter(Boolean).length

test("T41: one client cannot take the hour's budget: its network gets a quarter of what is left", () => {
  const { budget, clock } = opened()
  assert.equal(flood(budget, "203.0.113.7"), 15)
  assert.equal(flood(budget, "203.0.113.8"), 0, "the same network")
  assert.equal(flood(budget, "198.51.100.1"), 11)
  assert.equal(flood(budget, "2001:db8::1"), 8)
  assert.equal(flood(budget, undefined), 6)
  // All of these go on for an hour, and there is always one for somebody new.
  let refusedNewcomers = 0
  for (let minute = 0; minute < 59; minute++) {
    clock.now += MINUTE_MS
    for (const address of ["203.0.113.7", "198.51.100.1", "2001:db8::1", undefined])
      flood(budget, address, 50)
    if (!budget.take(`192.0.${minute}.1`)) refusedNewcomers += 1
  }
  assert.equal(refusedNewcomers, 0)
})

test("T41: a flood that comes by the onion address leaves one every minute, from the first minute on", () => {
  const { budget, clock } = opened()
  assert.equal(flood(budget, "127.0.0.1"), 15)
  assert.equal(flood(budget, undefined), 0, "a socket is the same place")
  const taken: number[] = []
  for (let minute = 0; minute < 30; minute++) {
    clock.now += MINUTE_MS
    taken.push(flood(budget, "127.0.0.1"))
  }
  // A little more or less than one a minute, as parts of one come back; never nothing for long.
  const total = taken.reduce((sum, n) => sum + n, 0)
  assert.ok(total >= 28 && total <= 32, String(total))
  assert.ok(!taken.join("").includes("00"), taken.join(" "))
  assert.ok(budget.take("203.0.113.7"), "and leaves enough for others")
})

test("a budget of one or two is not divided away, and a clock that is set back gives nothing", () => {
  const clock = { now: 1000 * HOUR_MS }
  const budget = openSharedBudget(2, () => clock.now)
  assert.ok(budget.take("203.0.113.7"))
  assert.ok(!budget.take("203.0.113.7"))
  assert.ok(budget.take("198.51.100.1"))
  assert.ok(!budget.take("192.0.2.1"))
  assert.equal(budget.usedShare(), 1)
  clock.now -= 10 * HOUR_MS
  assert.ok(!budget.take("192.0.2.1"))
  clock.now += HOUR_MS
  assert.ok(budget.take("192.0.2.1"))
})
