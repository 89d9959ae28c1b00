import assert from "node:assert/strict"
import { test } from "node:test"
import { emptyNote } from "@assay/core/drop"
import type { InboxThread } from "./inbox.ts"
import { hasWords } from "./search.ts"

const message = {
  opened: {
    message: "The Café on MAIN street\npays twice.",
    files: [{ name: "attachment-1.pdf", original_name: "Ledger 2025.pdf" }],
  },
}
const thread = {
  messages: [message],
  duplicates: [],
  note: { ...emptyNote("t"), labels: ["urgent"], text: "call back", replies: ["When was it?"] },
} as unknown as InboxThread

test("a thread is found by words of its texts, files, labels, note and answers, in any order", () => {
  for (const wanted of [
    "",
    "cafe",
    "TWICE main",
    "ledger",
    "attachment-1",
    "urgent",
    "back",
    "when",
    "otter",
    "ＭＡＩＮ",
  ])
    assert.equal(hasWords(thread, "otter lamp", wanted), true, wanted)
})

test("a thread that lacks one of the words is not found", () => {
  for (const wanted of ["cafe thrice", "mainstreet", "otters"])
    assert.equal(hasWords(thread, "otter lamp", wanted), false, wanted)
})
