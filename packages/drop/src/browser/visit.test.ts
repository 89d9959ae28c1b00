import assert from "node:assert/strict"
import { test } from "node:test"
import { WITHDRAWABLE } from "@assay/core/drop"
import { nextOf, type OpenThread } from "./visit.ts"

test("no number of a thread is given twice, and past the last a message cannot be withdrawn", () => {
  const thread: OpenThread = { secret: new Uint8Array(15), next: 0 }
  const given = Array.from({ length: WITHDRAWABLE + 3 }, () => nextOf(thread, WITHDRAWABLE).n)
  assert.deepEqual(
    given,
    Array.from({ length: WITHDRAWABLE + 3 }, (_, n) => (n < WITHDRAWABLE ? n : null)),
  )
})

test("a thread of an earlier visit has no numbers at all", () => {
  const thread: OpenThread = { secret: new Uint8Array(15), next: null }
  assert.equal(nextOf(thread, WITHDRAWABLE).n, null)
  assert.equal(nextOf(thread, WITHDRAWABLE).n, null)
})
