import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { retryAfterSeconds, retryPause } from "./attempts.ts"
import { AssayProblem, AssayUnavailable } from "./errors.ts"

const seeded = { seed: 20260115, numRuns: 300 }
const attempts = fc.integer({ min: 0, max: 9 })
const randoms = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const seconds = fc.option(fc.nat({ max: 100_000 }))

function problemOf(status: number, retryAfter: number | null): AssayProblem {
  const fields = { status, detail: null, requestId: null, errors: [] }
  return new AssayProblem("internal-error", { ...fields, retryAfterSeconds: retryAfter })
}

test("nothing is sent again before Retry-After is over, and not long after it either", () => {
  fc.assert(
    fc.property(fc.constantFrom(429, 503), fc.nat(100_000), attempts, randoms, (...given) => {
      const [status, retryAfter, attempt, random] = given
      const pauseMs = retryPause(problemOf(status, retryAfter), attempt, () => random)
      assert.ok(pauseMs !== null)
      assert.ok(pauseMs > retryAfter * 1000)
      assert.ok(pauseMs <= retryAfter * 1000 + 50 * 2 ** attempt)
    }),
    seeded,
  )
})

test("no status but 429 and 503 is sent again, whatever it says about when", () => {
  const others = fc.integer({ min: 200, max: 599 }).filter((each) => each !== 429 && each !== 503)
  fc.assert(
    fc.property(others, seconds, attempts, (status, retryAfter, attempt) => {
      const unread = new AssayUnavailable("network", "", { status, retryAfterSeconds: retryAfter })
      assert.equal(retryPause(problemOf(status, retryAfter), attempt, Math.random), null)
      assert.equal(retryPause(unread, attempt, Math.random), null)
    }),
    seeded,
  )
})

test("a 429 that does not say when it ends is not sent again, a 503 is", () => {
  assert.equal(retryPause(problemOf(429, null), 0, Math.random), null)
  assert.notEqual(retryPause(problemOf(503, null), 0, Math.random), null)
})

test("without a response only a failed connection is sent again", () => {
  assert.notEqual(retryPause(new AssayUnavailable("network", ""), 0, Math.random), null)
  assert.equal(retryPause(new AssayUnavailable("timeout", ""), 0, Math.random), null)
  assert.equal(retryPause(new AssayUnavailable("protocol", ""), 0, Math.random), null)
})

test("what may arrive twice is also sent again after half an answer, and after the first is done", () => {
  const half = new AssayUnavailable("network", "", { status: 202 })
  assert.notEqual(retryPause(half, 0, Math.random, true), null)
  assert.notEqual(retryPause(problemOf(409, 1), 0, Math.random, true), null)
  assert.equal(retryPause(problemOf(409, null), 0, Math.random, true), null)
  for (const status of [400, 404, 422, 500])
    assert.equal(retryPause(problemOf(status, 1), 0, Math.random, true), null)
})

test("callers that failed together come back at different times", () => {
  const failure = new AssayUnavailable("network", "")
  assert.equal(
    retryPause(failure, 0, () => 0),
    25,
  )
  assert.equal(
    retryPause(failure, 2, () => 0.5),
    150,
  )
})

test("Retry-After is read as seconds or as a date, and anything else is no promise", () => {
  const now = Date.parse("2026-01-15T00:00:00.500Z")
  assert.equal(retryAfterSeconds(null, now), null)
  assert.equal(retryAfterSeconds("0", now), 0)
  assert.equal(retryAfterSeconds("120", now), 120)
  assert.equal(retryAfterSeconds("Thu, 15 Jan 2026 00:00:02 GMT", now), 2)
  assert.equal(retryAfterSeconds("Wed, 14 Jan 2026 00:00:00 GMT", now), 0)
  assert.equal(retryAfterSeconds("soon", now), null)
  assert.equal(retryAfterSeconds("", now), null)
})
