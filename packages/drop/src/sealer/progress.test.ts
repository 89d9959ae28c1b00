import assert from "node:assert/strict"
import { test } from "node:test"
import { openProgress } from "./progress.ts"

test("a sender's speed is that of the last window: a fast start does not pay for standing still", () => {
  let nowMs = 0
  const progress = openProgress(5000, () => nowMs)
  assert.equal(progress.bytesPerSecond(), 0)
  progress.note({ phase: "receiving", bytes: 0 })
  nowMs = 1000
  progress.note({ phase: "receiving", bytes: 1_000_000 })
  assert.equal(progress.bytesPerSecond(), 1_000_000)
  for (nowMs = 2000; nowMs <= 8000; nowMs += 1000)
    progress.note({ phase: "receiving", bytes: 1_000_000 + nowMs })
  assert.ok(progress.bytesPerSecond() < 2000, String(progress.bytesPerSecond()))
  // No report is no speed either.
  nowMs = 100_000
  assert.ok(progress.bytesPerSecond() < 100)
})

test("every phase is counted from its beginning", () => {
  let nowMs = 0
  const progress = openProgress(5000, () => nowMs)
  progress.note({ phase: "receiving", bytes: 50_000 })
  nowMs = 4000
  assert.equal(progress.phaseMs(), 4000)
  progress.note({ phase: "answering", bytes: 0 })
  assert.equal(progress.phaseMs(), 0)
  nowMs = 6000
  progress.note({ phase: "answering", bytes: 4000 })
  assert.equal(progress.bytesPerSecond(), 2000)
})
