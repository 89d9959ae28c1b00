import assert from "node:assert/strict"
import { test } from "node:test"
import { DAY_MS } from "@assay/runtime/time"
import { openLookBack } from "./look-back.ts"

test("the window is what is wanted, as far as the settings and the definition allow it", () => {
  assert.equal(openLookBack().windowHours(240, 0), 240)
  assert.equal(openLookBack(100).windowHours(240, 0), 100)
  assert.equal(openLookBack().windowHours(9999, 0), 2400)
  assert.equal(openLookBack().windowHours(0.5, 0), 1)
})

test("a window that was too long is not asked for again, for a day", () => {
  const lookBack = openLookBack()
  assert.equal(lookBack.shorten(240, 0), 168)
  assert.equal(lookBack.windowHours(240, DAY_MS - 1), 168)
  assert.equal(lookBack.shorten(168, 0), 72)
  assert.equal(lookBack.windowHours(240, DAY_MS - 1), 72)
  assert.equal(lookBack.windowHours(48, DAY_MS - 1), 48)
  assert.equal(lookBack.windowHours(240, DAY_MS), 240)
})

test("below a day there is no shorter window, and nothing is learned", () => {
  const lookBack = openLookBack()
  assert.equal(lookBack.shorten(24, 0), null)
  assert.equal(lookBack.windowHours(240, 1), 240)
})

test("of what two questions learned at the same time the less counts", () => {
  const lookBack = openLookBack()
  lookBack.shorten(240, 0)
  lookBack.shorten(168, 1)
  assert.equal(lookBack.shorten(240, 2), 72)
  assert.equal(lookBack.windowHours(240, 3), 72)
})
