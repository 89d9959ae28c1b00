import assert from "node:assert/strict"
import { test } from "node:test"
import { Random } from "./random.ts"

const many = 20_000
const drawn = <T>(draw: (random: Random) => T): T[] => {
  const random = new Random(1, 2)
  return Array.from({ length: many }, () => draw(random))
}
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

test("a seed and a stream give the same numbers for ever", () => {
  const random = new Random(20_261_102, 0)
  assert.deepEqual(
    Array.from({ length: 4 }, () => random.share() * 2 ** 32),
    [459_902_987, 3_924_757_638, 3_665_315_700, 1_347_601_508],
  )
})

test("another seed and another stream give other numbers", () => {
  const firsts = [new Random(1, 0), new Random(2, 0), new Random(1, 1), new Random(0, 1)]
  assert.equal(new Set(firsts.map((random) => random.share())).size, 4)
})

test("shares fill the range evenly and never reach 1", () => {
  const tenths = new Array<number>(10).fill(0)
  for (const share of drawn((random) => random.share())) {
    assert.ok(share >= 0 && share < 1)
    const tenth = Math.floor(share * 10)
    tenths[tenth] = (tenths[tenth] ?? 0) + 1
  }
  for (const count of tenths) assert.ok(Math.abs(count - many / 10) < 200, tenths.join(" "))
})

test("waiting times and counts have the mean they are given", () => {
  assert.ok(Math.abs(mean(drawn((random) => random.exponential(40))) - 40) < 1)
  const counts = drawn((random) => random.poisson(1.5))
  assert.ok(Math.abs(mean(counts) - 1.5) < 0.03)
  // The mark of a Poisson count: as much variance as mean.
  assert.ok(Math.abs(mean(counts.map((count) => (count - 1.5) ** 2)) - 1.5) < 0.06)
  assert.equal(new Random(3, 4).poisson(0), 0)
})

test("a choice follows its weights, and what has no weight is never chosen", () => {
  const picked = drawn((random) => random.pick({ often: 0.7, seldom: 0.3, never: 0 }))
  const often = picked.filter((name) => name === "often").length
  assert.ok(Math.abs(often / many - 0.7) < 0.02)
  assert.ok(!picked.includes("never"))
})
