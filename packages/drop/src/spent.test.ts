import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { test } from "node:test"
import { HOUR_MS } from "@assay/runtime/time"
import { openSpent } from "./spent.ts"

const start = 1000 * HOUR_MS

test("T38: what is spent is spent once until its time is over, and then it is of no use either", () => {
  const clock = { now: start }
  const spent = openSpent({ now: () => clock.now })
  const [one, other] = [randomBytes(32), randomBytes(32)]
  const ends = start + 90 * 60_000
  assert.equal(spent.spend(one, ends), true)
  assert.equal(spent.spend(one, ends), false)
  assert.equal(spent.spend(other, ends), true)
  clock.now += HOUR_MS
  assert.equal(spent.spend(one, ends), false)
  clock.now += HOUR_MS
  // Callers check the end first; past it nothing is remembered, and `spend` returns false.
  assert.equal(spent.spend(randomBytes(32), ends + 2 * HOUR_MS), true)
  assert.equal(spent.spend(one, ends), false)
})

test("T39: so many are remembered and no more; those that end first are refused from then on", () => {
  const spent = openSpent({ now: () => start, rememberedMax: 10 })
  const [soon, later] = [start + HOUR_MS, start + 20 * HOUR_MS]
  const first = randomBytes(32)
  assert.ok(spent.spend(first, soon))
  for (let n = 0; n < 9; n++) assert.ok(spent.spend(randomBytes(32), later))
  assert.ok(spent.spend(randomBytes(32), later + HOUR_MS), "the eleventh is taken")
  assert.equal(spent.spend(first, soon), false, "and none is taken twice")
  assert.equal(spent.spend(randomBytes(32), soon), false)
  const last = randomBytes(32)
  assert.ok(spent.spend(last, later + HOUR_MS))
  assert.equal(spent.spend(last, later + HOUR_MS), false)
  assert.equal(spent.spend(randomBytes(32), later), false, "the next hour is forgotten now")
})
