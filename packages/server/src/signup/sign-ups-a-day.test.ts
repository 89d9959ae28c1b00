import assert from "node:assert/strict"
import { test } from "node:test"
import { DAY_MS } from "@assay/runtime/time"
import { NETWORK_SIGN_UPS, openSignUpsADay, SERVICE_SIGN_UPS } from "./sign-ups-a-day.ts"

const START = Date.UTC(2026, 10, 17, 12)

test("a network has a few sign-ups a day, and others have theirs", () => {
  let nowMs = START
  const days = openSignUpsADay(() => nowMs)
  for (let n = 1; n <= NETWORK_SIGN_UPS; n++) assert.equal(days.admit("c00002"), true)
  assert.equal(days.admit("c00002"), false)
  assert.equal(days.admit("c63364"), true)
  nowMs += DAY_MS
  assert.equal(days.admit("c00002"), true)
})

test("the service has a bound of its own, also for networks that are not known", () => {
  const days = openSignUpsADay(() => START)
  for (let n = 0; n < SERVICE_SIGN_UPS; n++) assert.equal(days.admit(null), true)
  assert.equal(days.admit(null), false)
  assert.equal(days.admit("cb0071"), false)
})
