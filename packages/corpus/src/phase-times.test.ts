import assert from "node:assert/strict"
import { test } from "node:test"
import { PhaseTimes } from "./phase-times.ts"

test("time counts for the phase that was told of last, and one that comes again goes on", () => {
  let now = 1000
  const times = new PhaseTimes(() => now)
  assert.deepEqual(times.sofar(), [])
  const step = (phase: "reading" | "sorting" | "merging", ms: number): void => {
    times.note(phase)
    now += ms
  }
  step("reading", 5)
  step("reading", 6)
  step("sorting", 7)
  step("merging", 8)
  step("sorting", 9)
  assert.deepEqual(times.sofar(), [
    { phase: "reading", ms: 11 },
    { phase: "sorting", ms: 16 },
    { phase: "merging", ms: 8 },
  ])
  now += 10
  assert.deepEqual(times.sofar()[1], { phase: "sorting", ms: 26 })
  // A clock that is set back takes nothing away.
  now -= 5000
  assert.deepEqual(times.sofar()[1], { phase: "sorting", ms: 26 })
})
