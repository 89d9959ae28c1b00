import assert from "node:assert/strict"
import { test } from "node:test"
import { NOTHING } from "./compare.ts"
import type { BackTest, Batch } from "./kinds.ts"
import { percentOf, progressOf, titleOf } from "./words.ts"

const common = {
  id: "1",
  state: "running",
  begunAtMs: Date.parse("2026-11-17T12:00:00Z"),
  endedAtMs: null,
  isSeen: false,
  failure: null,
} as const
const batch: Batch = { ...common, kind: "batch", name: "l.csv", done: 0, failed: 0, total: null }
const backTest: BackTest = {
  ...common,
  kind: "back-test",
  policy: {},
  days: 30,
  comparison: NOTHING,
}
const later = common.begunAtMs + 10_000

test("a batch says how far it is, how fast, what could not be scored and how long it takes", () => {
  assert.equal(titleOf(batch), "Batch of l.csv")
  assert.equal(progressOf(batch, later), "Reading the file.")
  assert.equal(percentOf(batch), null)
  const half = { ...batch, total: 1_000, done: 500, failed: 2 }
  assert.equal(
    progressOf(half, later),
    "498 of 1,000 scored, 2 could not be, 50 a second, 10 s left.",
  )
  assert.equal(percentOf(half), 50)
})

test("how work ended is said first, and after its end no clock runs", () => {
  const ended = { ...batch, total: 1_000, done: 500, endedAtMs: later }
  const words = "500 of 1,000 scored, 50 a second."
  assert.equal(progressOf({ ...ended, state: "stopped" }, later * 2), `Stopped: ${words}`)
  assert.equal(progressOf({ ...ended, state: "failed" }, later * 2), `Broke off: ${words}`)
  assert.equal(
    progressOf({ ...batch, state: "failed", endedAtMs: later }, later),
    "Broke off: nothing was scored.",
  )
})

test("a file of nothing is done at once", () => {
  assert.equal(percentOf({ ...batch, total: 0 }), 100)
})

test("a back-test is as far as the days it has gone back", () => {
  const comparison = { ...NOTHING, looked: 12_000, reached: "2026-11-02T12:00:00.000Z" }
  const half = { ...backTest, comparison }
  assert.equal(percentOf(half), 50)
  assert.equal(progressOf(half, later), "12,000 decisions looked at, back to 2026-11-02.")
  assert.equal(percentOf({ ...half, days: 1 }), 100)
  assert.equal(titleOf({ ...half, days: 1 }), "Back-test of 1 day")
})

test("what is lost says whether it had ended, and has no name of a file", () => {
  const lost = { id: "1", kind: "batch", state: "lost", begunAtMs: 0, wasRunning: true } as const
  assert.equal(titleOf(lost), "Batch")
  assert.match(progressOf(lost, later), /ended it before it was done\. Nothing more was scored/)
  assert.match(progressOf({ ...lost, kind: "back-test" }, later), /Nothing more was compared/)
  assert.match(progressOf({ ...lost, wasRunning: false }, later), /^It had ended/)
})
