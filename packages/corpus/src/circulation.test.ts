import assert from "node:assert/strict"
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test, type TestContext } from "node:test"
import fc from "fast-check"
import type {
  Catalogue,
  Entry,
  ExposureIndex,
  Source,
  SourceDescription,
} from "@assay/stores/exposure-index"
import { openLmdbIndex } from "@assay/stores/lmdb/exposure-index"
import { circulates, circulationChanges, recomputeCirculation } from "./circulation.ts"
import {
  importTestSegment,
  otherKey,
  sampledKey,
  type TestRow,
  testSource,
  writeTestSegment,
} from "../testing/test-segments.ts"

const RUNS = process.env["ASSAY_SOAK"] === undefined ? 2 : 40

interface Corpus {
  readonly index: ExposureIndex
  readonly segments: string
  readonly work: string
  add(description: Partial<SourceDescription>, rows: readonly TestRow[]): Promise<number>
  measure(): Promise<Catalogue>
  /** Done after the test, if not before. */
  close(): Promise<void>
}

async function openCorpus(t: TestContext): Promise<Corpus> {
  const directory = await mkdtemp(join(tmpdir(), "assay-circulation-"))
  const index = await openLmdbIndex({ path: join(directory, "index") })
  let closing: Promise<void> | undefined
  const close = (): Promise<void> =>
    (closing ??= index.close().then(() => rm(directory, { recursive: true, force: true })))
  t.after(close)
  const segments = join(directory, "segments")
  const work = join(directory, "import")
  let files = 0
  return {
    index,
    segments,
    work,
    add: (description, rows) =>
      importTestSegment(index, segments, {
        description: { ...testSource, ...description },
        rows,
        fingerprint: `file ${++files}`,
      }),
    measure: () => recomputeCirculation(index, segments, work),
    close,
  }
}

function named(catalogue: Catalogue, name: string): Source {
  const source = [...catalogue.sources.values()].find((each) => each.name === name)
  assert.ok(source)
  return source
}

/** Identities `from` to `to`, each with its own password. */
function people(from: number, to: number, passwords = 0): TestRow[] {
  return Array.from({ length: to - from }, (_, i) => ({
    key: sampledKey(from + i),
    fingerprint: (from + i + passwords) & 0xfff,
  }))
}

const older = { name: "older", eventDate: "2019-05-01" }
const newer = { name: "newer", eventDate: "2023-02-01" }

test("the shares that make circulation are 80 per cent of identities and 60 of pairs, of 50 each", () => {
  const figures = { identities: 100, knownIdentities: 80, pairs: 100, knownPairs: 60 }
  assert.equal(circulates(figures), true)
  assert.equal(circulates({ ...figures, knownIdentities: 79 }), false)
  assert.equal(circulates({ ...figures, knownPairs: 59 }), false)
  const few = { identities: 49, knownIdentities: 49, pairs: 49, knownPairs: 49 }
  assert.equal(circulates(few), false)
  assert.equal(circulates({ ...few, identities: 50, knownIdentities: 50 }), false)
  const enough = { identities: 50, knownIdentities: 50, pairs: 50, knownPairs: 50 }
  assert.equal(circulates(enough), true)
  assert.equal(circulates({ ...enough, pairs: 0, knownPairs: 0 }), false)
})

test("a list made of an older source circulates it, by a sample of the keys, and the older one stays an origin", async (t) => {
  const { add, measure, work } = await openCorpus(t)
  const outside = Array.from({ length: 500 }, (_, n) => ({ key: otherKey(n), fingerprint: 1 }))
  await add(older, [...people(0, 100), ...outside])
  await add(newer, [...people(20, 120), ...outside.slice(0, 10)])
  const catalogue = await measure()
  assert.deepEqual(named(catalogue, "newer").circulation, {
    decidedBy: "measured",
    identities: 100,
    knownIdentities: 80,
    pairs: 100,
    knownPairs: 80,
    origins: [{ sourceId: named(catalogue, "older").id, identities: 80 }],
  })
  assert.equal(named(catalogue, "newer").circulates, true)
  assert.equal(named(catalogue, "older").circulates, false)
  assert.deepEqual(named(catalogue, "older").circulation, {
    decidedBy: "measured",
    identities: 100,
    knownIdentities: 0,
    pairs: 100,
    knownPairs: 0,
  })
  assert.deepEqual(await readdir(work), [])
  assert.equal((await measure()).version, catalogue.version)
})

test("an identity that several older sources hold counts for the oldest of them alone", async (t) => {
  const { add, measure } = await openCorpus(t)
  await add(older, people(0, 30))
  await add({ ...newer, name: "between", eventDate: "2020-01-01" }, people(10, 80))
  await add({ ...newer, name: "last", eventDate: "2024-01-01" }, people(0, 100))
  const catalogue = await measure()
  const id = (name: string): number => named(catalogue, name).id
  assert.deepEqual(named(catalogue, "last").circulation?.origins, [
    { sourceId: id("between"), identities: 50 },
    { sourceId: id("older"), identities: 30 },
  ])
  assert.deepEqual(named(catalogue, "between").circulation?.origins, [
    { sourceId: id("older"), identities: 20 },
  ])
  assert.equal(named(catalogue, "older").circulation?.origins, undefined)
})

test("the same people with other passwords are no copy, nor are too few of them", async (t) => {
  const { add, measure } = await openCorpus(t)
  await add(older, people(0, 100))
  await add({ ...newer, name: "others" }, people(0, 100, 7))
  await add({ ...newer, name: "few" }, people(0, 49))
  await add({ ...newer, name: "mixed" }, [...people(0, 79), ...people(200, 221)])
  await add(
    { ...newer, name: "addresses" },
    people(0, 100).map(({ key }) => ({ key })),
  )
  const catalogue = await measure()
  for (const name of ["others", "few", "mixed", "addresses"]) {
    assert.equal(named(catalogue, name).circulates, false, name)
  }
  assert.equal(named(catalogue, "others").circulation?.knownIdentities, 100)
  assert.equal(named(catalogue, "others").circulation?.knownPairs, 0)
  assert.equal(named(catalogue, "addresses").circulation?.pairs, 0)
})

/**
 * The same people without their passwords: what a dump of hashes leaves, or of nothing but
 * addresses.
 */
function hashed(from: number, to: number, secret: Entry["secret"] = "weak_hash"): TestRow[] {
  return people(from, to).map(({ key }) => ({ key, secret }))
}

test("hashes or addresses that one older source holds too are the same data, in whole or nearly so", async (t) => {
  const { add, measure } = await openCorpus(t)
  await add(older, hashed(0, 100))
  await add({ ...newer, name: "copy" }, hashed(0, 100))
  await add({ ...newer, name: "most of it" }, hashed(2, 60))
  await add({ ...older, name: "that day" }, hashed(0, 100))
  const catalogue = await measure()
  const { id } = named(catalogue, "older")
  assert.equal(named(catalogue, "older").circulates, false)
  for (const name of ["copy", "most of it", "that day"]) {
    assert.equal(named(catalogue, name).circulates, true, name)
    assert.equal(named(catalogue, name).circulation?.sameAs, id, name)
  }
})

test("the same people with secrets of another form, a small part, or the people of many sources are no copy", async (t) => {
  const { add, measure } = await openCorpus(t)
  await add(older, hashed(0, 200))
  await add({ ...older, name: "also older" }, hashed(200, 300))
  await add({ ...newer, name: "other form" }, hashed(0, 200, "slow_hash"))
  await add({ ...newer, name: "part" }, hashed(0, 90))
  await add({ ...newer, name: "of many" }, hashed(130, 270))
  await add({ ...newer, name: "too few" }, hashed(200, 249))
  await add({ ...newer, name: "passwords" }, people(200, 300))
  const catalogue = await measure()
  for (const name of ["other form", "part", "of many", "too few", "passwords"]) {
    assert.equal(named(catalogue, name).circulates, false, name)
    assert.equal(named(catalogue, name).circulation?.sameAs, undefined, name)
  }
})

test("several older sources together are enough, and the batches of a source are one", async (t) => {
  const { add, measure } = await openCorpus(t)
  await add(older, people(0, 50))
  await add({ ...older, name: "also older", eventDate: "2020-01-01" }, people(50, 100))
  await add(newer, people(0, 40))
  await add(newer, people(40, 100))
  const { circulation } = named(await measure(), "newer")
  assert.equal(circulation?.identities, 100)
  assert.equal(circulation.knownIdentities, 100)
})

test("a date decides, in the order event, published, acquired; of what is alike on one day or without one the first import is the origin", async (t) => {
  const { add, measure } = await openCorpus(t)
  const all = people(0, 60)
  await add({ name: "published", eventDate: null, publishedDate: "2020-01-01" }, all)
  await add({ name: "acquired", publishedDate: null, acquiredDate: "2021-01-01" }, all)
  await add({ name: "event", eventDate: "2022-01-01", publishedDate: "2001-01-01" }, all)
  await add({ name: "undated" }, all)
  await add({ name: "undated too" }, all)
  await add({ name: "published that day", publishedDate: "2020-01-01" }, all)
  const catalogue = await measure()
  assert.deepEqual(
    [...catalogue.sources.values()].map(({ name, circulates: is }) => [name, is]),
    [
      ["published", false],
      ["acquired", true],
      ["event", true],
      ["undated", true],
      ["undated too", true],
      ["published that day", true],
    ],
  )
})

test("only exposures are compared; a spam list or an invented breach holds identities and no passwords", async (t) => {
  const { add, measure, index } = await openCorpus(t)
  const flags = { ...testSource.flags, spamList: true }
  await add({ ...older, flags }, people(0, 100))
  await add(
    { ...older, name: "offers" },
    people(0, 100).map((row) => ({ ...row, kind: "listing" })),
  )
  await add(newer, people(0, 100))
  const before = named(await measure(), "newer")
  assert.equal(before.circulates, false)
  assert.deepEqual([before.circulation?.knownIdentities, before.circulation?.knownPairs], [100, 0])
  assert.equal(named(await index.catalogue(), "offers").circulation?.identities, 0)
  await add({ ...older, name: "origin" }, people(0, 60))
  assert.equal(named(await measure(), "newer").circulates, true)
})

test("neither the order of imports nor when it is measured changes what is found", async (t) => {
  // Of the same date and size the first to be imported is the older, so sizes differ.
  const sources = fc.uniqueArray(
    fc.record({
      year: fc.option(fc.integer({ min: 2018, max: 2021 })),
      from: fc.nat(15),
      count: fc.integer({ min: 45, max: 90 }),
      passwords: fc.constantFrom(0, 0, 0, 7),
      spamList: fc.constantFrom(false, false, true),
    }),
    { minLength: 2, maxLength: 4, selector: ({ count }) => count },
  )
  const orders = sources.chain((given) =>
    fc.tuple(
      fc.constant(given),
      fc.shuffledSubarray([...given.keys()], { minLength: given.length }),
    ),
  )
  let circulating = 0
  await fc.assert(
    fc.asyncProperty(orders, async ([given, order]) => {
      const facts = async (sequence: readonly number[], each: boolean): Promise<unknown> => {
        const { add, measure, index, close } = await openCorpus(t)
        for (const n of sequence) {
          const made = given[n]
          assert.ok(made)
          const { year, from, count, passwords, spamList } = made
          const eventDate = year === null ? null : `${year}-01-01`
          const flags = { ...testSource.flags, spamList }
          await add(
            { name: `source ${n}`, eventDate, flags },
            people(from, from + count, passwords),
          )
          if (each) await measure()
        }
        await measure()
        // A source has its number by when it was imported, so older ones are compared by name.
        const found = (await index.catalogue()).sources
        // A process cannot hold as many indexes open as a soak makes.
        await close()
        return [...found.values()]
          .map(({ name, circulates: is, circulation }) => {
            const { sameAs = null, origins = [], ...figures } = circulation ?? {}
            const older = sameAs === null ? null : found.get(sameAs)?.name
            const of = origins.map((origin) => [
              found.get(origin.sourceId)?.name,
              origin.identities,
            ])
            return { name, is, older, figures, origins: new Map(of as [string, number][]) }
          })
          .sort((a, b) => (a.name < b.name ? -1 : 1))
      }
      const once = (await facts([...given.keys()], false)) as { is: boolean }[]
      circulating += once.filter(({ is }) => is).length
      assert.deepEqual(await facts(order, true), once)
    }),
    { seed: 2, numRuns: RUNS },
  )
  assert.ok(circulating > 0)
})

test("a corrected date turns origin and copy around, in one change of the catalogue", async (t) => {
  const { add, measure, index, segments, work } = await openCorpus(t)
  await add(older, people(0, 60))
  await add(newer, people(0, 60))
  const before = await measure()
  assert.equal(named(before, "newer").circulates, true)
  const after = await recomputeCirculation(index, segments, work, {
    sourceId: named(before, "newer").id,
    change: { eventDate: "2015-01-01" },
  })
  assert.equal(after.version, before.version + 1)
  assert.equal(named(after, "newer").eventDate, "2015-01-01")
  assert.equal(named(after, "newer").circulates, false)
  assert.equal(named(after, "older").circulates, true)
})

test("what an operator decided stays, with new figures, until it is given back to measuring", async (t) => {
  const { add, measure, index, segments, work } = await openCorpus(t)
  await add(older, people(0, 60))
  await add(newer, people(0, 60))
  const { id } = named(await measure(), "newer")
  const figures = { identities: 0, knownIdentities: 0, pairs: 0, knownPairs: 0 }
  const decided = await recomputeCirculation(index, segments, work, {
    sourceId: id,
    change: { circulates: false, circulation: { decidedBy: "operator", ...figures } },
  })
  assert.equal(named(decided, "newer").circulates, false)
  assert.deepEqual(named(decided, "newer").circulation, {
    decidedBy: "operator",
    identities: 60,
    knownIdentities: 60,
    pairs: 60,
    knownPairs: 60,
    origins: [{ sourceId: named(decided, "older").id, identities: 60 }],
  })
  assert.equal((await measure()).version, decided.version)
  const given = await recomputeCirculation(index, segments, work, {
    sourceId: id,
    change: { circulates: false, circulation: null },
  })
  assert.equal(named(given, "newer").circulates, true)
  assert.equal(named(given, "newer").circulation?.decidedBy, "measured")
})

test("a loading batch is measured as if it were live, and goes live with what that changes", async (t) => {
  const { add, measure, index, segments, work } = await openCorpus(t)
  await add(newer, people(0, 60))
  assert.equal(named(await measure(), "newer").circulates, false)
  const description = { ...testSource, ...older }
  const { id } = await index.openBatch(description, "loading", 5)
  const segment = await writeTestSegment(people(0, 60), segments, "loading.parquet")
  const catalogue = await index.catalogue()
  const loading = { batchId: id, file: segment.file, description, identities: 60, inputs: null }
  const sources = await circulationChanges(catalogue, segments, work, loading)
  assert.equal(named(await index.catalogue(), "newer").circulates, false)
  const { file, bytes, sha256 } = segment
  const live = await index.goLive(
    id,
    { rows: 60, identities: 60, segment: { file, bytes, sha256 }, sources },
    6,
  )
  assert.equal(live.version, catalogue.version + 1)
  assert.equal(named(live, "newer").circulates, true)
  assert.equal((await measure()).version, live.version)
})

test("a source removed leaves others what they are without it", async (t) => {
  const { add, measure, index } = await openCorpus(t)
  await add(older, people(0, 60))
  await add(newer, people(0, 60))
  assert.equal(named(await measure(), "newer").circulates, true)
  await index.removeSource(named(await index.catalogue(), "older").id, 9)
  const after = named(await measure(), "newer")
  assert.deepEqual([after.circulates, after.circulation?.knownIdentities], [false, 0])
})

test("what changes while it is measured is measured too, and nothing is written on old figures", async (t) => {
  const { add, index, segments, work } = await openCorpus(t)
  const batch = await add(older, people(0, 60))
  await add(newer, people(0, 60))
  const { id } = named(await index.catalogue(), "older")
  let interrupted = 0
  const removing: ExposureIndex = {
    ...index,
    async changeSources(...args) {
      if (++interrupted === 1) {
        await index.removeSource(id, 9)
        await rm(join(segments, `${batch}.parquet`))
      }
      return index.changeSources(...args)
    },
  }
  const after = await recomputeCirculation(removing, segments, work)
  assert.equal(interrupted, 2)
  assert.deepEqual(
    [named(after, "newer").circulates, named(after, "newer").circulation?.knownIdentities],
    [false, 0],
  )
  assert.equal(named(after, "older").circulation, null)
})

test("a segment that cannot be read is an error and changes nothing", async (t) => {
  const { add, index, segments, measure, work } = await openCorpus(t)
  const batch = await add(older, people(0, 60))
  await add(newer, people(0, 60))
  const { version } = await measure()
  await writeFile(join(segments, `${batch}.parquet`), "not a segment")
  await assert.rejects(measure(), { code: "circulation-unknown" })
  await rm(join(segments, `${batch}.parquet`))
  await assert.rejects(measure(), { code: "circulation-unknown" })
  assert.equal((await index.catalogue()).version, version)
  assert.deepEqual(await readdir(work), [])
})
