import assert from "node:assert/strict"
import { test } from "node:test"
import { type Breaker, openBreaker } from "./breaker.ts"

function opened(): { breaker: Breaker; changes: boolean[] } {
  const changes: boolean[] = []
  const breaker = openBreaker({
    failuresMax: 3,
    pauseMs: 1000,
    onChange: (open) => void changes.push(open),
  })
  return { breaker, changes }
}

test("failures one after the other open it; a success between them does not let it come to that", () => {
  const { breaker, changes } = opened()
  for (const outcome of ["failed", "failed", "succeeded", "failed", "failed"] as const) {
    assert.ok(breaker.admit(0))
    breaker[outcome](0)
  }
  assert.equal(breaker.isOpen(0), false)
  assert.ok(breaker.admit(0))
  breaker.failed(0)
  assert.equal(breaker.isOpen(0), true)
  assert.equal(breaker.admit(0), false)
  assert.deepEqual(changes, [true])
})

test("after the pause one question is let through as a trial, and none beside it", () => {
  const { breaker } = opened()
  for (let n = 0; n < 3; n++) breaker.failed(0)
  assert.equal(breaker.admit(999), false)
  assert.equal(breaker.isOpen(1000), false)
  assert.equal(breaker.admit(1000), true)
  assert.equal(breaker.admit(1000), false)
  assert.equal(breaker.isOpen(1000), true)
})

test("a trial that fails begins the pause again; one that succeeds closes it", () => {
  const { breaker, changes } = opened()
  for (let n = 0; n < 3; n++) breaker.failed(0)
  breaker.admit(1000)
  breaker.failed(1100)
  assert.equal(breaker.admit(2099), false)
  assert.equal(breaker.admit(2100), true)
  breaker.succeeded()
  assert.equal(breaker.isOpen(2100), false)
  assert.ok(breaker.admit(2100) && breaker.admit(2100))
  assert.deepEqual(changes, [true, false])
})

test("after it closed it takes as many failures as at first to open it", () => {
  const { breaker } = opened()
  for (let n = 0; n < 3; n++) breaker.failed(0)
  breaker.admit(1000)
  breaker.succeeded()
  breaker.failed(1000)
  breaker.failed(1000)
  assert.equal(breaker.isOpen(1000), false)
})

test("a trial that is not asked after all leaves its place to the next, and is no failure", () => {
  const { breaker, changes } = opened()
  for (let n = 0; n < 3; n++) breaker.failed(0)
  assert.ok(breaker.admit(1000))
  breaker.forgone()
  assert.equal(breaker.admit(1000), true)
  assert.deepEqual(changes, [true])
  breaker.succeeded()
  for (let n = 0; n < 10; n++) {
    assert.ok(breaker.admit(1000))
    breaker.forgone()
  }
  assert.equal(breaker.isOpen(1000), false)
})
