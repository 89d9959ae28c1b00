import assert from "node:assert/strict"
import { test } from "node:test"
import * as fc from "fast-check"
import { openAnswerCache } from "./answer-cache.ts"

test("an answer is kept for its time and not a moment longer", () => {
  const cache = openAnswerCache<string>(10)
  cache.set("a.example", "yes", 1000, 500)
  assert.equal(cache.get("a.example", 1499), "yes")
  assert.equal(cache.get("a.example", 1500), undefined)
  assert.equal(cache.get("b.example", 1000), undefined)
})

test("a full cache drops the name that was asked for longest ago, not one in use", () => {
  const cache = openAnswerCache<number>(2)
  cache.set("used.example", 1, 0, 1000)
  cache.set("idle.example", 2, 0, 1000)
  cache.get("used.example", 1)
  cache.set("new.example", 3, 2, 1000)
  assert.equal(cache.get("used.example", 3), 1)
  assert.equal(cache.get("idle.example", 3), undefined)
  assert.equal(cache.get("new.example", 3), 3)
})

test("setting a name again takes no second place", () => {
  const cache = openAnswerCache<number>(2)
  cache.set("a.example", 1, 0, 1000)
  cache.set("b.example", 1, 0, 1000)
  cache.set("b.example", 2, 0, 1000)
  assert.equal(cache.get("a.example", 0), 1)
  assert.equal(cache.get("b.example", 0), 2)
})

test("whatever is set and asked, an answer is the last one set, and never one past its time", () => {
  const step = fc.record({
    name: fc.constantFrom("a", "b", "c", "d"),
    waitMs: fc.nat(50),
    keepMs: fc.option(fc.integer({ min: 1, max: 100 })),
  })
  fc.assert(
    fc.property(fc.array(step), fc.integer({ min: 1, max: 4 }), (steps, namesMax) => {
      const cache = openAnswerCache<number>(namesMax)
      const set = new Map<string, { n: number; untilMs: number }>()
      let nowMs = 0
      steps.forEach(({ name, waitMs, keepMs }, n) => {
        nowMs += waitMs
        if (keepMs !== null) {
          cache.set(name, n, nowMs, keepMs)
          set.set(name, { n, untilMs: nowMs + keepMs })
          assert.equal(cache.get(name, nowMs), n)
          return
        }
        const known = cache.get(name, nowMs)
        if (known === undefined) return
        assert.equal(known, set.get(name)?.n)
        assert.ok(nowMs < (set.get(name)?.untilMs ?? 0))
      })
    }),
    { seed: 6, numRuns: 1000 },
  )
})
