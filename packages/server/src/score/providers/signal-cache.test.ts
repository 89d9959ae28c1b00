import assert from "node:assert/strict"
import { test } from "node:test"
import * as fc from "fast-check"
import type { SignalResult } from "./signals.ts"
import { openSignalCache } from "./signal-cache.ts"

const said = (providerCode: string): SignalResult => ({
  signal: "active",
  status: "error",
  source: "test",
  observedAt: "2026-01-01T00:00:00Z",
  providerCode,
})

test("an answer is kept for its time and not a moment longer, for its slot alone", () => {
  const cache = openSignalCache(10)
  cache.set("a", "1:active", said("x"), 1000, 500)
  assert.equal(cache.get("a", "1:active", 1499)?.providerCode, "x")
  assert.equal(cache.get("a", "2:active", 1499), undefined)
  assert.equal(cache.get("b", "1:active", 1499), undefined)
  assert.equal(cache.get("a", "1:active", 1500), undefined)
})

test("forgetting an identity takes the answers of every tenant, and no other identity's", () => {
  const cache = openSignalCache(10)
  cache.set("a", "1:active", said("x"), 0, 500)
  cache.set("a", "2:sim_change", said("x"), 0, 500)
  cache.set("b", "1:active", said("y"), 0, 500)
  cache.forget("a")
  assert.equal(cache.get("a", "1:active", 0), undefined)
  assert.equal(cache.get("a", "2:sim_change", 0), undefined)
  assert.equal(cache.get("b", "1:active", 0)?.providerCode, "y")
})

test("forgetting all leaves nothing, and room for as many as before", () => {
  const cache = openSignalCache(2)
  for (const key of ["a", "b"]) cache.set(key, "s", said("x"), 0, 500)
  cache.forgetAll()
  for (const key of ["a", "b"]) assert.equal(cache.get(key, "s", 0), undefined)
  for (const key of ["c", "d"]) cache.set(key, "s", said("y"), 0, 500)
  for (const key of ["c", "d"]) assert.equal(cache.get(key, "s", 0)?.providerCode, "y")
})

test("a full cache drops the identity asked for longest ago, not one in use", () => {
  const cache = openSignalCache(2)
  cache.set("used", "s", said("1"), 0, 500)
  cache.set("idle", "s", said("2"), 0, 500)
  cache.get("used", "s", 1)
  cache.set("new", "s", said("3"), 2, 500)
  assert.equal(cache.get("used", "s", 3)?.providerCode, "1")
  assert.equal(cache.get("idle", "s", 3), undefined)
  assert.equal(cache.get("new", "s", 3)?.providerCode, "3")
})

test("whatever is set, asked and forgotten, an answer is the last one set, in time, and the bound holds", () => {
  const step = fc.record({
    key: fc.constantFrom("a", "b", "c", "d"),
    slot: fc.constantFrom("1:x", "1:y", "2:x"),
    waitMs: fc.nat(50),
    does: fc.constantFrom("set", "get", "forget"),
    keepMs: fc.integer({ min: 1, max: 100 }),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const answersMax = 6
      const cache = openSignalCache(answersMax)
      const set = new Map<string, { n: string; untilMs: number }>()
      let nowMs = 0
      steps.forEach(({ key, slot, waitMs, does, keepMs }, at) => {
        nowMs += waitMs
        const name = `${key}/${slot}`
        if (does === "set") {
          cache.set(key, slot, said(String(at)), nowMs, keepMs)
          set.set(name, { n: String(at), untilMs: nowMs + keepMs })
          assert.equal(cache.get(key, slot, nowMs)?.providerCode, String(at))
        } else if (does === "forget") {
          cache.forget(key)
          for (const other of [...set.keys()]) if (other.startsWith(`${key}/`)) set.delete(other)
        } else {
          const found = cache.get(key, slot, nowMs)
          if (found === undefined) return
          assert.equal(found.providerCode, set.get(name)?.n)
          assert.ok(nowMs < (set.get(name)?.untilMs ?? 0))
        }
      })
      const live = [...set.keys()].filter((name) => {
        const [key = "", slot = ""] = name.split("/")
        return cache.get(key, slot, nowMs) !== undefined
      })
      assert.ok(live.length <= answersMax)
    }),
    { seed: 29, numRuns: 500 },
  )
})
