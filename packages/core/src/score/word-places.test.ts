import assert from "node:assert/strict"
import { test } from "node:test"
import { EMAIL_EVIDENCE_KINDS, SECRETS } from "./vocabulary.ts"
import { WordPlaces } from "./word-places.ts"

test("every word is found at its place, and nothing else is", () => {
  for (const words of [EMAIL_EVIDENCE_KINDS, SECRETS]) {
    const places = new WordPlaces(words)
    words.forEach((word, place) => assert.equal(places.of(word, -1), place, word))
    for (const word of words) {
      // The same first and last letter and length, and so the same slot.
      const alike = `${word[0]}${"?".repeat(word.length - 2)}${word.at(-1)}`
      assert.equal(places.of(alike, -1), -1, alike)
    }
    for (const other of ["", "x", "constructor", "über", "breach ", "NONE"])
      assert.equal(places.of(other, 99), 99, other)
  }
})

test("words that no factor tells apart are refused", () => {
  assert.throws(() => new WordPlaces(["abc", "axc"]), RangeError)
})
