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
  withoutSource,
  withSource,
  withSources,
  type Circulation,
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

const measured: Circulation = {
  decidedBy: "measured",
  identities: 100,
  knownIdentities: 90,
  pairs: 80,
  knownPairs: 70,
}

test("sources change together, as one version, and not at all where one change is wrong", () => {
  const first = withBatch(emptyCatalogue, source, "a", 1, "shared")
  const { document } = withBatch(first.document, { ...source, name: "list" }, "b", 2, "shared")
  const changed = withSources(
    document,
    new Map([
      [1, { title: "Forum" }],
      [2, { circulates: true, circulation: measured }],
    ]),
  )
  assert.equal(changed.version, document.version + 1)
  assert.deepEqual(
    [...changed.sources.values()].map(({ name, title, circulates }) => [name, title, circulates]),
    [
      ["forum-2024", "Forum", false],
      ["list", "Forum, 2024", true],
    ],
  )
  assert.equal(withSources(changed, new Map([[1, { title: "Forum" }]])), changed)
  assert.equal(withSources(changed, new Map()), changed)
  const unknown = new Map([
    [1, { title: "Other" }],
    [3, {}],
  ])
  assert.throws(() => withSources(changed, unknown), BatchRefused)
  assert.throws(() => withSources(changed, new Map([[1, { confidence: 2 }]])), RangeError)
  assert.deepEqual(readCatalogue(catalogueBytes(changed)), changed)
})

test("what was found of a source's circulation outlives a description that is silent about it", () => {
  const first = withBatch(emptyCatalogue, source, "a", 1, "shared")
  const known = withSource(first.document, 1, { circulates: true, circulation: measured })
  const revised = withBatch(known, { ...source, confidence: 0.1 }, "b", 2, "shared")
  const live = withLive(revised.document, 2, counts, 3).sources.get(1)
  assert.deepEqual([live?.confidence, live?.circulates, live?.circulation], [0.1, true, measured])
  const decided = { ...measured, decidedBy: "operator" as const }
  const saying = { ...source, circulates: false, circulation: decided }
  const said = withBatch(known, saying, "c", 4, "shared")
  const after = withLive(said.document, 2, counts, 5).sources.get(1)
  assert.deepEqual([after?.circulates, after?.circulation], [false, decided])
})

test("what a batch changes of sources holds from the moment it is live", () => {
  const first = withBatch(emptyCatalogue, source, "a", 1, "shared")
  const { document } = withBatch(first.document, { ...source, name: "list" }, "b", 2, "shared")
  const sources = new Map([[1, { circulates: true, circulation: measured }]])
  const live = withLive(document, 2, { ...counts, sources }, 3)
  assert.equal(live.version, document.version + 1)
  assert.equal(live.sources.get(1)?.circulates, true)
  assert.equal(live.sources.get(2)?.circulates, false)
})

test("a source is removed with all its batches at once, and its files may come again", () => {
  const first = withBatch(emptyCatalogue, source, "a", 1, "shared")
  const live = withSource(withLive(first.document, 1, counts, 2), 1, {
    circulates: true,
    circulation: measured,
  })
  const second = withBatch(live, { ...source, title: "New" }, "b", 3, "shared")
  const { document } = withBatch(second.document, { ...source, name: "list" }, "c", 4, "shared")
  const removed = withoutSource(document, 1, 5)
  assert.equal(removed.version, document.version + 1)
  assert.deepEqual(
    [...removed.batches.values()].map(({ state, removedAt }) => [state, removedAt]),
    [
      ["removed", 5],
      ["removed", 5],
      ["loading", null],
    ],
  )
  assert.equal(removed.revisions.size, 0)
  assert.deepEqual(
    [removed.sources.get(1)?.circulates, removed.sources.get(1)?.circulation],
    [false, null],
  )
  assert.equal(withoutSource(removed, 1, 6), removed)
  assert.throws(() => withoutSource(removed, 9, 6), BatchRefused)
  const again = withBatch(removed, source, "a", 7, "shared")
  assert.deepEqual([again.batch.id, again.batch.sourceId, again.batch.state], [4, 1, "loading"])
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
