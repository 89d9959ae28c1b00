import assert from "node:assert/strict"
import { test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { openCountingClock } from "./counting-clock.ts"

const TRUE = Date.UTC(2026, 10, 30, 23, 58)
const off = (): number => TRUE + 10 * 60_000

test("what nodes count together is named by their common time, also where a machine's clock is off or set", async () => {
  let machine = off()
  let elapsed = 5000
  const clock = await openCountingClock({
    counters: { clock: async () => TRUE + elapsed - 5000 },
    now: () => machine,
    elapsed: () => elapsed,
  })
  assert.equal(clock.now(), TRUE)
  machine -= 86_400_000
  elapsed += 1500
  assert.equal(clock.now(), TRUE + 1500)
  clock.close()
})

test("counters of one machine count by its clock, whatever it is set to", async () => {
  let machine = off()
  const clock = await openCountingClock({
    counters: { clock: async () => null },
    now: () => machine,
    elapsed: () => 0,
  })
  assert.equal(clock.now(), off())
  machine = TRUE
  assert.equal(clock.now(), TRUE)
  clock.close()
})

test("counters that do not answer are asked again, and what they said last goes on", async () => {
  let answers: (() => Promise<number>) | null = null
  let elapsed = 0
  const clock = await openCountingClock({
    counters: {
      clock: async () => (answers === null ? Promise.reject(new Error("away")) : answers()),
    },
    now: off,
    elapsed: () => elapsed,
    everyMs: 1,
  })
  assert.equal(clock.now(), off())
  answers = async () => TRUE
  while (clock.now() !== TRUE) await delay(1)
  answers = null
  await delay(10)
  elapsed = 700
  assert.equal(clock.now(), TRUE + 700)
  clock.close()
})
