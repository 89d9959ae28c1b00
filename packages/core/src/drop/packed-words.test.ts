import assert from "node:assert/strict"
import { test } from "node:test"
import { WORD_LANGUAGES } from "@assay/core/drop"
import { loadWords } from "@assay/core/drop/words"
import { packWords, unpackWords } from "./packed-words.ts"

test("every word list comes out of its packed form as it went in", async () => {
  for (const language of WORD_LANGUAGES) {
    const { words } = await loadWords(language)
    const joined = words.map((word) => word.normalize("NFC"))
    assert.deepEqual(unpackWords(packWords(words)), joined, language)
    assert.ok(packWords(words).length <= joined.join(" ").length + 1, language)
  }
  assert.deepEqual(unpackWords(packWords(["abandonnement", "abandonnements", "b", ""])), [
    "abandonnement",
    "abandonnements",
    "b",
    "",
  ])
})
