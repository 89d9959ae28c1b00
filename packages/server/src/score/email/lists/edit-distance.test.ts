import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { isOneSlipApart } from "./edit-distance.ts"

/** Every text one slip makes of another, spelled out. */
function slips(text: string, alphabet: string): Set<string> {
  const made = new Set<string>()
  for (let at = 0; at <= text.length; at++) {
    const [head, tail] = [text.slice(0, at), text.slice(at)]
    for (const letter of alphabet) {
      made.add(head + letter + tail)
      if (tail !== "") made.add(head + letter + tail.slice(1))
    }
    if (tail !== "") made.add(head + tail.slice(1))
    if (tail.length > 1) made.add(head + tail.charAt(1) + tail.charAt(0) + tail.slice(2))
  }
  made.delete(text)
  return made
}

test("one slip is what adding, dropping, replacing or swapping one letter makes, and nothing else", () => {
  const word = fc.stringMatching(/^[abc]{0,6}$/)
  fc.assert(
    fc.property(word, word, (a, b) => {
      assert.equal(isOneSlipApart(a, b), slips(a, "abc").has(b))
      assert.equal(isOneSlipApart(b, a), isOneSlipApart(a, b))
    }),
    { seed: 20261115, numRuns: 5000 },
  )
})

test("known slips of provider names are found", () => {
  for (const slip of ["gmial", "gmai", "gmaill", "gnail"])
    assert.equal(isOneSlipApart("gmail", slip), true, slip)
  for (const other of ["gmail", "gmx", "gmiall", "hotmail"])
    assert.equal(isOneSlipApart("gmail", other), false, other)
})
