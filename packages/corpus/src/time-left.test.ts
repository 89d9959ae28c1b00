import assert from "node:assert/strict"
import { test } from "node:test"
import { TimeLeft } from "./time-left.ts"

function clocked(): { left: TimeLeft<string>; at: (ms: number) => void } {
  let now = 50_000
  const left = new TimeLeft<string>(() => now)
  return { left, at: (ms) => (now = 50_000 + ms) }
}

test("a phase that goes evenly counts down to 0 and never up, and says nothing in its first second", () => {
  const { left, at } = clocked()
  assert.equal(left.leftMs(), null)
  let before = Infinity
  for (let ms = 0; ms <= 20_000; ms += 100) {
    at(ms)
    // Told four times a second, in steps that are not all alike.
    if (ms % 300 === 0) left.note({ phase: "reading", done: ms * 7, total: 140_000 })
    const now = left.leftMs()
    if (ms < 1_000) {
      assert.equal(now, null)
      continue
    }
    assert.ok(now !== null)
    // As it is shown, in whole seconds.
    const seconds = Math.ceil(now / 1000)
    assert.ok(seconds <= before, `${seconds} after ${before}`)
    assert.ok(Math.abs(now - (20_000 - ms)) <= 2_500, `${now} at ${ms}`)
    before = seconds
  }
  left.note({ phase: "reading", done: 140_000, total: 140_000 })
  assert.equal(left.leftMs(), 0)
})

test("another phase begins anew, and counts only what went in it", () => {
  const { left, at } = clocked()
  left.note({ phase: "reading", done: 0, total: 100 })
  at(10_000)
  left.note({ phase: "reading", done: 100, total: 100 })
  left.note({ phase: "merging", done: 500, total: 1_500 })
  assert.equal(left.elapsedMs, 0)
  assert.equal(left.leftMs(), null)
  at(12_000)
  assert.equal(left.leftMs(), null, "nothing went since it began")
  left.note({ phase: "merging", done: 700, total: 1_500 })
  assert.equal(left.leftMs(), 8_000)
  left.note({ phase: "measuring", done: 0, total: null })
  at(20_000)
  assert.equal(left.leftMs(), null)
  left.note({ phase: "compacting", done: 0, total: 0 })
  assert.equal(left.leftMs(), 0)
})

test("a phase that stands still is not told to be over, and one that became slower is told so", () => {
  const { left, at } = clocked()
  left.note({ phase: "merging", done: 0, total: 100 })
  at(5_000)
  left.note({ phase: "merging", done: 50, total: 100 })
  assert.equal(left.leftMs(), 5_000)
  at(6_000)
  assert.equal(left.leftMs(), 4_000, "a moment without news counts down")
  at(20_000)
  assert.equal(left.leftMs(), 20_000)
  at(25_000)
  left.note({ phase: "merging", done: 99, total: 100 })
  assert.ok((left.leftMs() as number) <= 1_000)
  at(60_000)
  assert.ok((left.leftMs() as number) > 0)
})
