import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import {
  firstDecisionIdAt,
  hasRequestTag,
  isDecisionId,
  newDecisionId,
  requestTagOf,
  timeOfDecisionId,
} from "./decision-id.ts"

const moments = fc.integer({ min: 0, max: 2 ** 48 - 1 })

test("an id tells its millisecond and sorts by it", () => {
  fc.assert(
    fc.property(moments, moments, (a, b) => {
      const [first, second] = [newDecisionId(a), newDecisionId(b)]
      assert.ok(isDecisionId(first))
      assert.equal(timeOfDecisionId(first), a)
      if (a !== b) assert.equal(first < second, a < b)
      assert.equal(firstDecisionIdAt(b) > first, b > a)
    }),
    { numRuns: 2_000, seed: 20_261_115 },
  )
})

test("ids of one millisecond do not repeat, also past the pool they are taken from", () => {
  const ids = new Set(Array.from({ length: 20_000 }, () => newDecisionId(1_700_000_000_000)))
  assert.equal(ids.size, 20_000)
})

test("a text that is no id is told from one", () => {
  const id = newDecisionId(Date.UTC(2026, 10, 15))
  for (const text of [
    "",
    "dec_",
    id.slice(1),
    id.slice(0, -1),
    `${id}0`,
    id.toUpperCase(),
    id.replace("dec_0", "dec_8"),
    id.replace(/.$/, "u"),
    `${id}\n`,
    "a@b.example",
  ])
    assert.equal(isDecisionId(text), false, text)
  assert.ok(isDecisionId(id))
})

test("the ids of a request have its tag, are ids like others, and are all different", () => {
  const at = Date.UTC(2026, 10, 17)
  const tag = requestTagOf(Uint8Array.from({ length: 32 }, (_, n) => 37 * n))
  const other = requestTagOf(Uint8Array.from({ length: 32 }, (_, n) => 37 * n + 1))
  assert.match(tag, /^[0-9a-hjkmnp-tv-z]{7}$/)
  const ids = Array.from({ length: 20_000 }, () => newDecisionId(at, tag))
  assert.equal(new Set(ids).size, ids.length)
  for (const id of ids.slice(0, 100)) {
    assert.ok(isDecisionId(id), id)
    assert.equal(timeOfDecisionId(id), at)
    assert.ok(hasRequestTag(id, tag))
    assert.ok(!hasRequestTag(id, other))
  }
  assert.ok(!hasRequestTag(newDecisionId(at), tag))
})
