import assert from "node:assert/strict"
import { test } from "node:test"
import { importedWords } from "./imported-words.ts"

test("what an import added is a sentence, of one, of many and of none", () => {
  const many = { imported: 1_300, identities: 1_204, known: 12, repeated: 1 }
  assert.equal(
    importedWords(many),
    "1,300 observations of 1,204 identities are new and count from now on; 12 were known before, 1 was in it more than once.",
  )
  assert.equal(
    importedWords({ imported: 1, identities: 1, known: 0, repeated: 0 }),
    "1 observation of 1 identity is new and counts from now on; none was known before, none was in it more than once.",
  )
  assert.equal(
    importedWords({ imported: 0, identities: 0, known: 3, repeated: 0 }),
    "Nothing in it is new; 3 were known before, none was in it more than once.",
  )
})
