import assert from "node:assert/strict"
import { rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { test, type TestContext } from "node:test"
import { breach } from "@assay/stores/testing/entry-samples-suite"
import { importRows, keyOf } from "@assay/stores/testing/exposure-index-process-suite"
import type { ExposureIndex, Row } from "@assay/stores/exposure-index"
import { openEnvironment } from "@assay/stores/lmdb/environment"
import { compactLmdbIndex } from "@assay/stores/lmdb/compact"
import { openLmdbIndex } from "@assay/stores/lmdb/exposure-index"
import type { Rebuilt } from "@assay/stores/lmdb/rebuild"
import { bucketsOf, bucketWith } from "@assay/stores/testing/lmdb/buckets-suite"
import { importedBatch, ownBatch, row, seen } from "@assay/stores/testing/opened-index-suite"
import { temporaryDirectory } from "@assay/stores/testing/second-process-suite"
import { rebuildCorpus } from "./rebuild.ts"
import { type Verified, verifyCorpus } from "./verify.ts"
import { importWithSegment, KEY_CHECK_VALUE } from "@assay/corpus/testing/written-segment-suite"

const IDENTITIES = 3_000
const demo = keyOf(-1)

interface Corpus {
  readonly index: ExposureIndex
  readonly paths: { readonly index: string; readonly segments: string }
  verify(keyCheckValue?: string): Promise<Verified>
}

/**
 * Two imports over each other, one of them named twice; a batch without a segment; a tenant's; an
 * erased identity.
 */
async function corpus(t: TestContext): Promise<Corpus> {
  const directory = await temporaryDirectory(t)
  const paths = { index: join(directory, "index"), segments: join(directory, "segments") }
  const index = await openLmdbIndex({ path: paths.index })
  t.after(() => index.close())
  await index.checkKeyCheckValue(KEY_CHECK_VALUE)
  await index.erase(keyOf(7))
  await importWithSegment(index, paths.segments, "first", [...importRows(1, IDENTITIES)])
  await importWithSegment(index, paths.segments, "second", secondRows())
  await importedBatch(index, "without", [demo, keyOf(3)])
  const own = await ownBatch(index, "reports", 7)
  await index.replaceTenantEvidence(7, own, [row(keyOf(1), own)])
  const quiet = { onPhase: () => undefined, onProgress: () => undefined }
  return {
    index,
    paths,
    verify: (keyCheckValue = KEY_CHECK_VALUE) =>
      verifyCorpus({ ...paths, keyCheckValue, ...quiet }),
  }
}

function secondRows(): Row[] {
  return Array.from({ length: IDENTITIES }, (_, i) => ({
    key: keyOf(2 * i),
    entries: [
      { ...breach, kind: "stealer", hours: 24 * i, item: i % 3 === 0 ? "shop.example" : null },
      { ...breach, hours: 24 * i },
    ],
  }))
}

async function answers(index: ExposureIndex): Promise<string> {
  const found: unknown[] = []
  for (let i = -2; i < 2 * IDENTITIES; i++) {
    const answer = await index.lookup(keyOf(i), 7)
    found.push({ ...seen(answer), erased: answer.erased })
  }
  return JSON.stringify(found)
}

/** `meanwhile` runs while sets are written. */
function rebuild(
  { paths }: Corpus,
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<Rebuilt> {
  const during: Promise<unknown>[] = []
  return rebuildCorpus({
    ...paths,
    keyCheckValue: KEY_CHECK_VALUE,
    now: Date.now,
    onPhase(phase) {
      if (phase === "index") during.push(meanwhile())
    },
    onProgress: () => undefined,
  }).finally(() => Promise.all(during))
}

test("an index and its segments that are whole have no fault, also with identities erased since", async (t) => {
  const made = await corpus(t)
  await made.index.erase(keyOf(4))
  const { faults, notes, segments, identities } = await made.verify()
  assert.deepEqual(faults, [])
  assert.deepEqual(notes, ["batch 3 has no segment: it is in the index alone"])
  assert.equal(segments, 2)
  const stats = await made.index.stats()
  assert.equal(identities, stats.identities + stats.tenantIdentities)
  await compactLmdbIndex({ path: made.paths.index })
  assert.deepEqual((await made.verify()).faults, [])
})

test("every way in which segments and index can differ is named", async (t) => {
  const made = await corpus(t)
  const { paths } = made
  const first = join(paths.segments, "first.parquet")
  const whole = async (): Promise<void> => {
    await rename(`${first}.away`, first)
    assert.deepEqual((await made.verify()).faults, [])
  }
  assert.ok(
    (await made.verify("another")).faults.includes("the index was made with another master secret"),
  )

  await rename(first, `${first}.away`)
  const missing = await made.verify()
  assert.deepEqual(missing.faults, ["batch 1: its segment is missing"])
  assert.ok(missing.notes.includes("first.parquet.away is the segment of no batch"))
  await writeFile(first, "x")
  assert.deepEqual((await made.verify()).faults, ["batch 1: its segment has another length"])
  await assert.rejects(rebuild(made), { code: "segments-damaged" })
  await rm(first)
  await whole()

  const environment = openEnvironment(paths.index, "write", 2 ** 30)
  t.after(() => environment.close())
  const { shared, root } = environment
  const change = async (write: () => void): Promise<readonly string[]> => {
    await root.transaction(write)
    return (await made.verify()).faults
  }
  const key = keyOf(10)
  const stored = shared.copied(key)
  assert.ok(stored !== undefined)
  assert.deepEqual(await change(() => shared.remove(key)), [
    "batch 1: the index has 6890 of its entries where 6892 are due",
    "batch 2: the index has 5998 of its entries where 6000 are due",
  ])
  assert.ok(
    (await change(() => shared.put(key, Buffer.alloc(5, 0xff)))).includes(
      "shared: a set of entries that cannot be read",
    ),
  )
  const unknownBatch = Buffer.from("00080000000000000063", "hex")
  assert.ok(
    (await change(() => shared.put(key, unknownBatch))).includes(
      "shared: an entry of a batch that the catalogue does not have for its owner",
    ),
  )
  assert.deepEqual(await change(() => shared.put(key, stored)), [])
})

test("an index made again from its segments answers as before, with what only it held and what came meanwhile", async (t) => {
  const made = await corpus(t)
  const { index } = made
  const before = await answers(index)
  const { rows, unreadable } = await rebuild(made)
  assert.ok(rows > 2 * IDENTITIES)
  assert.equal(unreadable, 0)
  assert.equal(await answers(index), before)
  assert.deepEqual((await made.verify()).faults, [])

  const [own] = [...(await index.catalogue()).batches.values()].filter(({ owner }) => owner === 7)
  assert.ok(own !== undefined)
  await rebuild(made, async () => {
    await index.erase(keyOf(20))
    await index.replaceTenantEvidence(7, own.id, [row(keyOf(21), own.id)])
    await importedBatch(index, "meanwhile", [keyOf(22), keyOf(-9)])
  })
  assert.equal((await index.lookup(keyOf(20), null)).erased, true)
  assert.ok((await index.lookup(keyOf(21), 7)).entries.some(({ owner }) => owner === 7))
  assert.equal((await index.lookup(keyOf(-9), null)).entries.length, 1)
  assert.deepEqual((await made.verify()).faults, [])
})

test("entries that a removed batch displaced return when the index is made again", async (t) => {
  const directory = await temporaryDirectory(t)
  const paths = { index: join(directory, "index"), segments: join(directory, "segments") }
  const index = await openLmdbIndex({ path: paths.index })
  t.after(() => index.close())
  const days = (kind: "breach" | "stealer"): Row[] => [
    {
      key: demo,
      entries: Array.from({ length: 200 }, (_, i) => ({ ...breach, kind, hours: 24 * i })),
    },
  ]
  await importWithSegment(index, paths.segments, "weak", days("breach"))
  const strong = await importWithSegment(index, paths.segments, "strong", days("stealer"))
  // Only live batches push others out, so it takes one more import.
  await importWithSegment(index, paths.segments, "later", [{ key: demo, entries: [breach] }])
  await index.removeBatch(strong, 3)
  assert.equal((await index.lookup(demo, null)).entries.length, 57)
  await rebuildCorpus({
    ...paths,
    keyCheckValue: KEY_CHECK_VALUE,
    now: Date.now,
    onPhase: () => undefined,
    onProgress: () => undefined,
  })
  const { entries, cut } = await index.lookup(demo, null)
  assert.deepEqual({ entries: entries.length, cut }, { entries: 201, cut: 0 })
})

test("what of an index cannot be read is counted when it is made again, and its segments make up for it", async (t) => {
  const made = await corpus(t)
  const environment = openEnvironment(made.paths.index, "write", 2 ** 30)
  const before = await answers(made.index)
  await environment.root.transaction(() => {
    environment.shared.put(keyOf(11), Buffer.alloc(5, 0xff))
  })
  await environment.close()
  await assert.rejects(made.index.lookup(keyOf(11), null))
  assert.equal((await rebuild(made)).unreadable, 1)
  assert.equal(await answers(made.index), before)

  // A whole bucket, of people whom the segments have.
  const anew = openEnvironment(made.paths.index, "write", 2 ** 30)
  t.after(() => anew.close())
  const buckets = bucketsOf(anew)
  const elsewhere = [7, 3, -1].map((person) => bucketWith(buckets, keyOf(person)).cell)
  const person = [...Array(IDENTITIES).keys()].find(
    (each) => !elsewhere.includes(bucketWith(buckets, keyOf(each)).cell),
  )
  assert.ok(person !== undefined)
  const { side, cell, bytes, reader } = bucketWith(buckets, keyOf(person))
  await anew.root.transaction(() => {
    bytes[1] = (bytes[1] as number) ^ 1
    buckets.putBucket(side, cell, bytes, false)
  })
  await assert.rejects(made.index.lookup(keyOf(person), null))
  const { faults } = await made.verify()
  assert.ok(faults.includes("shared: a part whose identities cannot be read or were lost"))
  assert.equal((await rebuild(made)).unreadable, reader.count)
  assert.equal(await answers(made.index), before)
  assert.deepEqual((await made.verify()).faults, [])
})
