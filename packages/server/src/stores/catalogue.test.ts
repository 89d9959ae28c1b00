import assert from "node:assert/strict"
import { test } from "node:test"
import { MalformedBytes } from "./bytes.ts"
import {
  BatchRefused,
  catalogueBytes,
  emptyCatalogue,
  readCatalogue,
  withBatch,
  withLive,
  withoutBatch,
  type SourceDescription,
} from "./catalogue.ts"

const source: SourceDescription = {
  name: "forum-2024",
  title: "Forum, 2024",
  kind: "breach",
  confidence: 0.9,
  classes: ["phone"],
  flags: { spamList: false, fabricated: false, sensitive: true, verified: true },
  eventDate: "2024-03-01",
  circulates: false,
}
const counts = { rows: 10, identities: 9 }

test("a catalogue comes back as it was stored", () => {
  const first = withBatch(emptyCatalogue, source, "a", 1, "shared")
  const second = withBatch(withLive(first.document, 1, counts, 2), source, "b", 3, 7)
  const third = withBatch(second.document, { ...source, title: "New" }, "c", 4, "shared")
  const document = withoutBatch(third.document, 2, 5)
  assert.deepEqual(readCatalogue(catalogueBytes(document)), document)
  assert.equal(document.version, 5)
})

test("a source is one among its owner's by name, and another's source of that name is not it", () => {
  const first = withBatch(emptyCatalogue, source, "a", 1, "shared")
  const again = withBatch(first.document, source, "b", 2, "shared")
  const tenants = withBatch(again.document, source, "a", 3, 7)
  assert.deepEqual(
    [first, again, tenants].map(({ batch }) => [batch.id, batch.sourceId]),
    [
      [1, 1],
      [2, 1],
      [3, 2],
    ],
  )
  assert.equal(tenants.document.sources.get(2)?.owner, 7)
  assert.deepEqual([...tenants.document.tenants], [7])
})

test("a new description of a known source holds when its batch goes live, not before", () => {
  const first = withBatch(emptyCatalogue, source, "a", 1, "shared")
  const revised = withBatch(first.document, { ...source, confidence: 0.1 }, "b", 2, "shared")
  assert.equal(revised.document.sources.get(1)?.confidence, 0.9)
  const removed = withoutBatch(revised.document, 2, 3)
  assert.equal(removed.sources.get(1)?.confidence, 0.9)
  const live = withLive(revised.document, 2, counts, 3)
  assert.equal(live.sources.get(1)?.confidence, 0.1)
  assert.equal(live.sources.get(1)?.importedAt, 1)
})

test("a removed batch cannot come back and an unknown one is refused", () => {
  const { document } = withBatch(emptyCatalogue, source, "a", 1, "shared")
  const removed = withoutBatch(document, 1, 2)
  assert.throws(() => withLive(removed, 1, counts, 3), BatchRefused)
  assert.equal(withoutBatch(removed, 1, 4), removed)
  assert.throws(() => withLive(document, 2, counts, 3), BatchRefused)
  assert.throws(() => withoutBatch(document, 2, 3), BatchRefused)
})

test("a description that is none is refused", () => {
  for (const wrong of [{ name: "" }, { confidence: 1.1 }, { eventDate: "March" }]) {
    assert.throws(
      () => withBatch(emptyCatalogue, { ...source, ...wrong }, "a", 1, "shared"),
      RangeError,
    )
  }
})

test("a damaged catalogue throws and is never read as an empty one", () => {
  const { document } = withBatch(emptyCatalogue, source, "a", 1, "shared")
  const text = Buffer.from(catalogueBytes(document)).toString()
  for (const damaged of [
    "",
    "{}",
    text.slice(0, -1),
    text.replace('"loading"', '"alive"'),
    text.replace('"sourceId":1', '"sourceId":2'),
    text.replace('"kind":"breach"', '"kind":"leak"'),
  ]) {
    assert.notEqual(damaged, text)
    assert.throws(() => readCatalogue(Buffer.from(damaged)), MalformedBytes)
  }
})
