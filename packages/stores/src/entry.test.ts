import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { test } from "node:test"
import fc from "fast-check"
import { Cursor, MalformedBytes } from "./bytes.ts"
import { entryBytes, ENTRY_BYTES_MAX, ENTRY_KINDS, readEntry, type Entry } from "./entry.ts"
import { anyEntry, breach } from "../testing/entry-samples-suite.ts"

// Frozen with entry v1: bytes stored today must be readable for ever. Lines may be added, never
// changed.
const vectors = JSON.parse(
  readFileSync(new URL("./entry-v1.vectors.json", import.meta.url), "utf8"),
) as {
  stored: { name: string; hex: string; entry: Entry }[]
  refused: { name: string; hex: string }[]
}

function read(bytes: Uint8Array): Entry {
  const cursor = new Cursor(bytes)
  const entry = readEntry(cursor)
  assert.equal(cursor.at, bytes.length, "bytes were left over")
  return entry
}

for (const { name, hex, entry } of vectors.stored) {
  test(`entry v1 is stored and read as it always was: ${name}`, () => {
    assert.equal(Buffer.from(entryBytes(entry)).toString("hex"), hex)
    assert.deepEqual(read(Buffer.from(hex, "hex")), entry)
  })
}

for (const { name, hex } of vectors.refused) {
  test(`entry v1 refuses bytes it never writes: ${name}`, () => {
    assert.throws(() => readEntry(new Cursor(Buffer.from(hex, "hex"))), MalformedBytes)
  })
}

test("every kind has a vector of its own", () => {
  const kinds = new Set(vectors.stored.map(({ entry }) => entry.kind))
  assert.deepEqual(
    [...ENTRY_KINDS].filter((kind) => !kinds.has(kind)),
    [],
  )
})

test("a plain exposure takes nine bytes", () => {
  assert.equal(entryBytes({ ...breach, fingerprint: 0xabc, batchId: 127 }).length, 9)
})

test("an entry comes back as it went in, and fits the longest length announced", () => {
  fc.assert(
    fc.property(anyEntry(), (entry) => {
      const bytes = entryBytes(entry)
      assert.ok(bytes.length <= ENTRY_BYTES_MAX)
      assert.deepEqual(read(bytes), entry)
    }),
    { seed: 1, numRuns: 2_000 },
  )
})

test("bytes are refused or are the one spelling of what they say", () => {
  const damaged = fc
    .tuple(anyEntry(), fc.array(fc.tuple(fc.nat(120), fc.nat(255)), { maxLength: 3 }), fc.nat(3))
    .map(([entry, edits, cut]) => {
      const bytes = entryBytes(entry)
      for (const [at, value] of edits) if (at < bytes.length) bytes[at] = value
      return bytes.subarray(0, bytes.length - cut)
    })
  let refused = 0
  fc.assert(
    fc.property(fc.oneof(damaged, fc.uint8Array({ maxLength: 40 })), (bytes) => {
      const cursor = new Cursor(bytes)
      try {
        const entry = readEntry(cursor)
        assert.deepEqual(Buffer.from(entryBytes(entry)), Buffer.from(bytes.subarray(0, cursor.at)))
      } catch (error) {
        assert.ok(error instanceof MalformedBytes, String(error))
        refused += 1
      }
    }),
    { seed: 2, numRuns: 5_000 },
  )
  assert.ok(refused > 500, "the damage hardly ever mattered, so this test shows nothing")
})

test("classes named in another order or twice are the same entry", () => {
  const once = entryBytes({ ...breach, classes: ["phone", "session"] })
  assert.deepEqual(entryBytes({ ...breach, classes: ["session", "phone", "session"] }), once)
})

const without: [string, Partial<Record<keyof Entry, unknown>>][] = [
  ["an unknown kind", { kind: "constructor" }],
  ["an unknown secret class", { secret: "rot13" }],
  ["hours before 1970", { hours: -1 }],
  ["hours past three bytes", { hours: 2 ** 24 }],
  ["half an hour", { hours: 0.5 }],
  ["a fingerprint of 13 bits", { fingerprint: 4096 }],
  ["an alias tag of 17 bits", { aliasTag: 65_536 }],
  ["batch 0", { batchId: 0 }],
  ["a batch past 32 bits", { batchId: 2 ** 32 }],
  ["an item of 65 bytes", { item: "é".repeat(32) + "x" }],
  ["an item that is half a character", { item: "\ud83d" }],
  ["confidence above 1", { confidence: 1.001 }],
  ["confidence that is no number", { confidence: NaN }],
  ["an unknown data class", { classes: ["shoe size"] }],
  ["a value that is not exact", { value: 2 ** 52 }],
]
for (const [name, part] of without) {
  test(`an entry has no stored form with ${name}`, () => {
    assert.throws(() => entryBytes({ ...breach, ...(part as Partial<Entry>) }), RangeError)
  })
}
