import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { PROPERTY } from "../../testing/score/arbitrary-inputs-suite.ts"
import { bitsPerLetter, handleScore } from "./handle.ts"

const CHARACTERS = Array.from("abcdefghijklmnopqrstuvwxyz0123456789._-+")

test("a tag after a plus does not change the handle", () => {
  assert.equal(handleScore("john.smith+x7qz9w2"), handleScore("john.smith"))
  assert.equal(bitsPerLetter("john.smith+x7qz9w2"), bitsPerLetter("john.smith"))
})

test("capitals do not change the handle", () => {
  assert.equal(handleScore("John.SMITH"), handleScore("john.smith"))
})

test("a handle with a letter outside a to z has no score, digits and signs do not hinder", () => {
  for (const handle of ["josé", "иван", "李雷", "müller42"]) assert.equal(handleScore(handle), null)
  for (const handle of ["o'neil", "a_b-c", "12345"]) assert.notEqual(handleScore(handle), null)
})

test("a handle without letters counts eight bits a letter", () => {
  assert.equal(bitsPerLetter("12345"), 8)
  assert.equal(handleScore("12345"), 1.2)
})

test("an initial before a surname is read as one", () => {
  const bits = (token: string) => bitsPerLetter(token) * token.length
  assert.ok(Math.abs(bits("jsmit") - (bits("smit") + Math.log2(26))) <= 1e-9)
  // Four letters are too few to distinguish an initial from a name.
  assert.ok(bits("jsmi") > bits("smi") + Math.log2(26) + 0.1)
})

test("any other character ends a run of consonants, and y is no consonant", () => {
  // Each pair has the same digits and length and is beyond the last step of surprise.
  const difference = (run: string, broken: string) =>
    Math.round(((handleScore(run) ?? NaN) - (handleScore(broken) ?? NaN)) * 100) / 100
  assert.equal(difference("xqzwk1", "xqzw1k"), 0.3)
  assert.equal(difference("xqzwkq", "xqzw.k"), 0.3)
  assert.equal(difference("xqzwk1", "xqyzw1"), 0.3)
})

test("length counts characters, not code units", () => {
  const emoji = "\u{1F600}".repeat(10)
  assert.equal(handleScore(emoji), handleScore(".".repeat(10)))
  assert.ok((handleScore(".".repeat(20)) ?? 0) > (handleScore(".".repeat(19)) ?? 0))
})

test("a score stays within its clip and is the same every time", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...CHARACTERS) }), (handle) => {
      const score = handleScore(handle)
      assert.ok(score !== null && score >= -0.6 && score <= 1.2)
      assert.equal(handleScore(handle), score)
    }),
    PROPERTY,
  )
})
