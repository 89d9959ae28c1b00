import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { handleSkeleton } from "./handle-skeleton.ts"

const runs = { numRuns: 2000, seed: 815 }

test("generated handles of one pattern share a skeleton, names do not", () => {
  for (const [skeleton, ...handles] of [
    ["anna.k0", "anna.k8371", "anna.k2213", "anna.k7"],
    ["user0", "user83749201", "user1234567"],
    ["0_shop.0", "7_shop.11", "12345_shop.9"],
    ["~6", "x7k2p9", "q3m8z1"],
    ["8374000", "8374123", "8374999"],
    ["анна0", "анна7", "анна٣٤"],
  ] as const) {
    for (const handle of handles) assert.equal(handleSkeleton(handle), skeleton, handle)
  }
  const apart = ["anna.k", "anna.k0.", "annak1", "anna_k1", "anna.l1", "anna", "ann.a1", "a1b2c"]
  assert.equal(new Set(apart.map(handleSkeleton)).size, apart.length)
})

const name = fc.stringMatching(/^[a-z]{1,12}([._-][a-z]{1,8})?$/)
const digits = fc.stringMatching(/^[0-9]{1,12}$/)

test("a name is its own skeleton, and any number behind it changes nothing", () => {
  fc.assert(
    fc.property(name, digits, digits, (letters, one, other) => {
      assert.equal(handleSkeleton(letters), letters)
      assert.equal(handleSkeleton(letters + one), handleSkeleton(letters + other))
      assert.notEqual(handleSkeleton(letters + one), letters)
    }),
    runs,
  )
})

test("different names stay different whatever numbers they carry", () => {
  fc.assert(
    fc.property(name, name, digits, (one, other, number) => {
      fc.pre(one !== other)
      assert.notEqual(handleSkeleton(one + number), handleSkeleton(other + number))
    }),
    runs,
  )
})

test("numbers alone are one family only with the same length and the same first half", () => {
  fc.assert(
    fc.property(digits, digits, (one, other) => {
      const half = Math.ceil(one.length / 2)
      const family = one.length === other.length && one.slice(0, half) === other.slice(0, half)
      assert.equal(handleSkeleton(one) === handleSkeleton(other), family)
    }),
    runs,
  )
  assert.notEqual(handleSkeleton("12345678"), handleSkeleton("1234567"))
  assert.equal(handleSkeleton("10000007"), handleSkeleton("10000008"))
})

test("no text has an empty skeleton, or one that depends on when it is asked for", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: "grapheme" }), (text) => {
      assert.notEqual(handleSkeleton(text), "")
      assert.equal(handleSkeleton(text), handleSkeleton(text))
    }),
    runs,
  )
})
