import assert from "node:assert/strict"
import { test } from "node:test"
import { SIGNAL_NAMES, SIGNAL_STATUSES, type SignalName, type SignalResult } from "./signals.ts"
import { keepMs } from "./keep-times.ts"
import { REFUSALS, refused } from "./refusals.ts"

const MINUTE = 60_000
const observedAt = "2026-03-10T12:00:00Z"

const ok = (signal: SignalName, value: SignalResult["value"]): SignalResult => ({
  signal,
  status: "ok",
  source: "test",
  observedAt,
  ...(value !== undefined && { value }),
})

test("no change is kept for five minutes, a change that matters for fifteen", () => {
  for (const signal of ["sim_change", "device_change", "ported"] as const) {
    assert.equal(keepMs(ok(signal, { none: true })), 5 * MINUTE)
    assert.equal(keepMs(ok(signal, { at: "2026-03-10T11:00:00Z" })), 15 * MINUTE)
    assert.equal(keepMs(ok(signal, { withinHours: 72, notWithinHours: 24 })), 15 * MINUTE)
  }
})

test("a change of long ago is no longer kept than no change: a new one must be seen as soon", () => {
  assert.equal(keepMs(ok("sim_change", { at: "2021-01-01T00:00:00Z" })), 5 * MINUTE)
  assert.equal(keepMs(ok("sim_change", { withinHours: 2400, notWithinHours: 240 })), 5 * MINUTE)
})

test("settings of a line are kept for minutes, what stays the same for a day", () => {
  assert.equal(keepMs(ok("call_forwarding", true)), 5 * MINUTE)
  assert.equal(keepMs(ok("reachable", false)), 5 * MINUTE)
  assert.equal(keepMs(ok("active", true)), 5 * MINUTE)
  assert.equal(keepMs(ok("roaming", { roaming: true, country: null })), 15 * MINUTE)
  for (const [signal, value] of [
    ["recycled", false],
    ["line_type", "mobile"],
    ["carrier", { name: null, region: null }],
  ] as const)
    assert.equal(keepMs(ok(signal, value)), 24 * 60 * MINUTE)
})

test("a failure is kept for at most a minute, and a time-out not at all, whatever was asked", () => {
  for (const signal of SIGNAL_NAMES)
    for (const status of SIGNAL_STATUSES) {
      if (status === "ok" || status === "partial") continue
      const kept = keepMs({ signal, status, source: "test", observedAt })
      if (status === "timeout") assert.equal(kept, 0)
      else assert.ok(kept >= 15_000 && kept <= MINUTE)
    }
})

test("what kept us from asking is not remembered, but for a cap, which holds for longer", () => {
  for (const reason of REFUSALS) {
    const [result] = refused(["active"], "test", reason, observedAt)
    assert.ok(result !== undefined)
    assert.equal(keepMs(result), reason === "cost_cap" ? 15_000 : 0)
  }
})
