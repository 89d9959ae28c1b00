import assert from "node:assert/strict"
import { test } from "node:test"
import { METADATA_LABELS } from "@assay/core/drop/metadata"
import { carriesLine, foundLine } from "./message-view.ts"

test("a recipient is told what was found before sending and what was done about it", () => {
  const found = ["location", "colour-profile"]
  assert.equal(
    foundLine({ metadata: "stripped", found }),
    "Hidden data found before sending: place, colour profile. All of it was removed. Colours can look different.",
  )
  assert.match(
    foundLine({ metadata: "unknown", found: ["author"] }),
    /author\. It could not be removed/,
  )
  assert.match(
    foundLine({ metadata: "kept", found: ["author"] }),
    /chose to send the file untouched/,
  )
  assert.match(foundLine({ metadata: "unknown", found: ["newer-kind"] }), /: newer-kind\./)
})

test("nothing found and nobody looked are two things", () => {
  for (const metadata of ["kept", "unknown"] as const) {
    assert.match(foundLine({ metadata }), /not looked into/)
    assert.doesNotMatch(foundLine({ metadata }), /none was found/)
    assert.match(foundLine({ metadata, found: [] }), /none was found/)
  }
})

test("what a file carries is told with its values, and every kind has a word", () => {
  const carries = METADATA_LABELS.map((label) => ({ label, value: null }))
  assert.doesNotMatch(carriesLine(carries), /undefined|colour-profile|hidden-data/)
  assert.equal(
    carriesLine([
      { label: "author", value: "Ada \u202e" },
      { label: "thumbnail", value: null },
    ]),
    "The file carries: author “Ada ⟨U+202E⟩”; small copy of the picture.",
  )
})
