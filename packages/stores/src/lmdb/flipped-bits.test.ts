import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { test, type TestContext } from "node:test"
import { fileURLToPath } from "node:url"
import { importRows, keyOf, source } from "../../testing/exposure-index-process-suite.ts"
import { type ExposureIndex, IndexDamaged } from "../exposure-index.ts"
import { temporaryDirectory } from "../../testing/second-process-suite.ts"
import { sourceArguments, sourceEnvironment } from "../../testing/source-process.ts"
import { compactLmdbIndex } from "./compact.ts"
import { examineIndex } from "./examine.ts"
import { openLmdbIndex } from "./exposure-index.ts"
import { cellOf, firstOf } from "../cells.ts"
import { cellsIn, placesOf } from "../../testing/lmdb/buckets-suite.ts"
import { ownBatch } from "../../testing/opened-index-suite.ts"
import {
  askedForAll,
  dataFileOf,
  flipBit,
  placeOfKey,
  seeded,
  type Trial,
} from "../../testing/lmdb/flipped-bits-suite.ts"

const IDENTITIES = 4_000
const KEY_BYTES = 16
/** What an identity with one entry has in the file: the key, the set and the checksum. */
const NODE_BYTES = KEY_BYTES + 10
const FLIPS = 12
const TENANT = 7
/** Of LMDB's file, as lmdb lays it out. */
const PAGE_BYTES = 4096
const PAGE_FLAGS_AT = 18
const BRANCH_PAGE = 1
const TRIALS = process.env["ASSAY_SOAK"] === undefined ? 20 : 2_000
/** Few enough to look up every identity after each of many flips. */
const TRIAL_IDENTITIES = 600

/**
 * An index of some thousand identities in one live batch, of everyone or of one tenant's own,
 * compacted so that the file has each of them once; closed.
 */
async function writtenIndex(
  t: TestContext,
  tenantId: number | null = null,
  identities = IDENTITIES,
): Promise<{ path: string; file: string }> {
  const path = join(await temporaryDirectory(t), "index")
  const index = await openLmdbIndex({ path })
  if (tenantId === null) {
    const { id } = await index.openBatch(source, "file", 1)
    await index.merge(id, importRows(id, identities))
    await index.goLive(id, { rows: identities, identities }, 2)
  } else {
    const id = await ownBatch(index, "own", tenantId)
    await index.replaceTenantEvidence(tenantId, id, [...importRows(id, identities)])
  }
  await index.close()
  await compactLmdbIndex({ path })
  return { path, file: dataFileOf(path) }
}

async function reading<T>(path: string, use: (index: ExposureIndex) => Promise<T>): Promise<T> {
  const index = await openLmdbIndex({ path, readOnly: true })
  return await use(index).finally(() => index.close())
}

const faultsOf = async (path: string): Promise<[string, number][]> => [
  ...(await examineIndex(path, () => undefined)).faults,
]

/** Somebody with one entry, so that key and value are next to each other. */
const oneOf = (below: (number: number) => number): number => 3 * (1 + below(IDENTITIES / 3 - 2))

test("flipped bits: nobody whose key or set changed reads as unknown or as anything else, and everybody else is answered", async (t) => {
  const { path, file } = await writtenIndex(t)
  const below = seeded(20_261_115)
  const hit = new Set<number>()
  while (hit.size < FLIPS) {
    const person = oneOf(below)
    if (hit.has(person)) continue
    hit.add(person)
    const { rest, items, set, setEnd } = placesOf(path, file, keyOf(person))
    // Half of them in the key or its own checksum.
    const at = hit.size % 2 === 0 ? rest + below(14) : set + below(setEnd - set)
    assert.ok(at >= items)
    flipBit(file, at, below(8))
  }
  const { right, refused, wrong } = await reading(path, (index) => askedForAll(index, IDENTITIES))
  assert.deepEqual(
    { right, refused, wrong },
    { right: IDENTITIES - FLIPS, refused: FLIPS, wrong: 0 },
  )
  await reading(path, async (index) => {
    for (const person of hit) await assert.rejects(index.lookup(keyOf(person), null), IndexDamaged)
    assert.equal(await refusedStrangers(index), 0)
  })
  assert.deepEqual(await faultsOf(path), [
    ["shared: a value that does not have its checksum", FLIPS],
  ])
})

test("flipped bits: whichever bit of a head it is, those of its cell are refused and all others answered", async (t) => {
  const { path, file } = await writtenIndex(t)
  const { bucket, items } = placesOf(path, file, keyOf(3))
  const cell = async (index: ExposureIndex): Promise<number> => {
    const { right, refused, wrong } = await askedForAll(index, IDENTITIES)
    assert.deepEqual([right + refused, wrong], [IDENTITIES, 0])
    return refused
  }
  await reading(path, async (index) => {
    assert.equal(await cell(index), 0)
    flipBit(file, bucket + 1, 0)
    const refused = await cell(index)
    assert.ok(refused > 1 && refused < 100, `${refused}`)
    // Nobody who is unknown in the cell is called that, and few others are refused.
    const strangers = await refusedStrangers(index)
    assert.ok(strangers > 1 && strangers < 100, `${strangers}`)
    flipBit(file, bucket + 1, 0)
    for (let at = bucket; at < items; at++) {
      const bit = at % 8
      flipBit(file, at, bit)
      await assert.rejects(index.lookup(keyOf(3), null), IndexDamaged)
      flipBit(file, at, bit)
    }
    assert.equal(await cell(index), 0)
  })
})

test("flipped bits: whose bucket lies behind a changed key of a branch is refused or answered, and not unknown", async (t) => {
  const { path, file } = await writtenIndex(t)
  const bytes = readFileSync(file)
  const cells = new Map<number, number[]>()
  const count = cellsIn(path)
  for (let person = 0; person < IDENTITIES; person++) {
    const cell = cellOf(firstOf(keyOf(person)), count)
    cells.set(cell, [...(cells.get(cell) ?? []), person])
  }
  let changed = 0
  for (const [cell, people] of cells) {
    for (const at of placesInBranches(bytes, cell)) {
      // So that the leaf seems to begin after its first key.
      const clear = [0, 1, 2, 3, 4, 5].find((bit) => (cell & (1 << bit)) === 0)
      if (clear === undefined) continue
      flipBit(file, at + 3, clear)
      await reading(path, async (index) => {
        let refused = 0
        for (const person of people) {
          await index.lookup(keyOf(person), null).then(
            ({ entries }) => assert.ok(entries.length > 0),
            (error: unknown) => {
              assert.ok(error instanceof IndexDamaged)
              refused++
            },
          )
        }
        // All of them, or the page with this key is one that is no longer used.
        assert.ok(refused === 0 || refused === people.length)
        if (refused > 0) changed++
      })
      flipBit(file, at + 3, clear)
    }
  }
  assert.ok(changed > 10, `${changed}`)
  await reading(path, async (index) => {
    assert.deepEqual(await askedForAll(index, IDENTITIES), {
      right: IDENTITIES,
      refused: 0,
      wrong: 0,
    })
  })
})

test("flipped bits: a copy of a damaged index is as damaged, and of a bucket that cannot be read none is made", async (t) => {
  const { path, file } = await writtenIndex(t)
  const { set, rest } = placesOf(path, file, keyOf(3))
  flipBit(file, set + 3, 1)
  flipBit(file, placesOf(path, file, keyOf(6)).rest + 4, 2)
  for (let copies = 0; copies < 2; copies++) {
    await compactLmdbIndex({ path })
    await reading(path, async (index) => {
      for (const person of [3, 6]) {
        await assert.rejects(index.lookup(keyOf(person), null), IndexDamaged)
      }
      const { right, wrong } = await askedForAll(index, IDENTITIES)
      assert.deepEqual([right, wrong], [IDENTITIES - 2, 0])
      assert.equal(await refusedStrangers(index), 0)
    })
    assert.deepEqual(await faultsOf(path), [["shared: a value that does not have its checksum", 2]])
  }
  assert.ok(rest < set)
  flipBit(file, placesOf(path, file, keyOf(9)).bucket + 2, 0)
  await assert.rejects(compactLmdbIndex({ path }), IndexDamaged)
  const faults = new Map(await faultsOf(path))
  assert.equal(faults.get("shared: a part whose identities cannot be read or were lost"), 1)
})

/** How many of as many again, of whom the index has nothing, are not called unknown. */
async function refusedStrangers(index: ExposureIndex): Promise<number> {
  let refused = 0
  for (let i = IDENTITIES; i < 2 * IDENTITIES; i++) {
    await index.lookup(keyOf(i), null).then(
      ({ entries }) => assert.equal(entries.length, 0),
      () => refused++,
    )
  }
  return refused
}

/** Where the number of a cell stands as a key in a page that leads to others. */
function placesInBranches(bytes: Buffer, cell: number): number[] {
  const key = Buffer.alloc(6)
  // The length of a key stands before it, and that of cells is 4.
  key.writeUInt16LE(4)
  key.writeUInt32BE(cell, 2)
  const places: number[] = []
  for (let at = bytes.indexOf(key); at >= 0; at = bytes.indexOf(key, at + 1)) {
    if (isBranch(bytes, at)) places.push(at + 2)
  }
  return places
}

test("flipped bits of a tenant's own: nobody whose value changed reads as unknown or as anything else", async (t) => {
  const { path, file } = await writtenIndex(t, TENANT)
  const below = seeded(20_261_115)
  const hit = new Set<number>()
  while (hit.size < FLIPS) {
    const person = oneOf(below)
    if (hit.has(person) || person % 1_000 === 0) continue
    hit.add(person)
    const at = placeOfKey(file, keyOf(person)) + KEY_BYTES
    flipBit(file, at + below(NODE_BYTES - KEY_BYTES), below(8))
  }
  const { right, refused, wrong } = await reading(path, (index) =>
    askedForAll(index, IDENTITIES, TENANT),
  )
  assert.deepEqual(
    { right, refused, wrong },
    { right: IDENTITIES - FLIPS, refused: FLIPS, wrong: 0 },
  )
  await reading(path, async (index) => {
    for (const person of hit)
      await assert.rejects(index.lookup(keyOf(person), TENANT), IndexDamaged)
  })
  assert.deepEqual(await faultsOf(path), [
    ["tenants: a value that does not have its checksum", FLIPS],
  ])
})

test("flipped bits of a tenant's own: nobody whose key changed reads as unknown, and the rest are answered", async (t) => {
  const { path, file } = await writtenIndex(t, TENANT)
  const below = seeded(1)
  const hit = new Set<number>()
  while (hit.size < FLIPS) {
    const person = oneOf(below)
    if (hit.has(person)) continue
    hit.add(person)
    flipBit(file, placeOfKey(file, keyOf(person)) + below(KEY_BYTES), below(8))
  }
  const { right, refused, wrong } = await reading(path, (index) =>
    askedForAll(index, IDENTITIES, TENANT),
  )
  assert.equal(wrong, 0)
  assert.ok(refused >= FLIPS && right >= IDENTITIES - 4 * FLIPS, `${right} ${refused}`)
  const faults = new Map(await faultsOf(path))
  assert.equal(faults.get("tenants: a value that does not have its checksum"), FLIPS)
})

test("flipped bits of a tenant's own: who lies behind a changed key of a branch is refused, and not unknown", async (t) => {
  const { path, file } = await writtenIndex(t, TENANT)
  const bytes = readFileSync(file)
  const keys = Array.from({ length: IDENTITIES }, (_, person) => keyOf(person))
  // The first key of a leaf is once more in the branch, by which lmdb finds the leaf.
  const firsts = keys.flatMap((key) => {
    const places = [bytes.indexOf(key), bytes.lastIndexOf(key)]
    const inBranch = places[0] === places[1] ? undefined : places.find((at) => isBranch(bytes, at))
    return inBranch === undefined ? [] : [{ key, last: inBranch + KEY_BYTES - 1 }]
  })
  assert.ok(firsts.length > 10, `${firsts.length}`)
  for (const { key, last } of firsts) {
    // So that the leaf seems to begin after its first key.
    const clear = [0, 1, 2, 3, 4, 5, 6, 7].find((bit) => ((bytes[last] ?? 0) & (1 << bit)) === 0)
    if (clear === undefined) continue
    flipBit(file, last, clear)
    await reading(path, (index) => assert.rejects(index.lookup(key, TENANT), IndexDamaged))
    flipBit(file, last, clear)
    await reading(path, async (index) =>
      assert.ok((await index.lookup(key, TENANT)).entries.length > 0),
    )
  }
})

/** Whether the page of a place in the file is one that leads to others. */
function isBranch(bytes: Buffer, at: number): boolean {
  const page = at - (at % PAGE_BYTES)
  return bytes.readUInt16LE(page + PAGE_FLAGS_AT) === BRANCH_PAGE
}

test("flipped bits of a tenant's own: who is unknown beside a damaged value is refused too, everybody else is unknown", async (t) => {
  const { path, file } = await writtenIndex(t, TENANT)
  flipBit(file, placeOfKey(file, keyOf(3)) + 5, 0)
  await reading(path, async (index) => {
    let refused = 0
    for (let i = IDENTITIES; i < 2 * IDENTITIES; i++) {
      const empty = await index.lookup(keyOf(i), TENANT).then(
        ({ entries }) => entries.length === 0,
        () => false,
      )
      if (!empty) refused++
    }
    assert.ok(refused < 20, `${refused}`)
  })
})

test("flipped bits of a tenant's own: a copy of a damaged index is as damaged, and one that would lose a key is not made", async (t) => {
  const { path, file } = await writtenIndex(t, TENANT)
  const place = placeOfKey(file, keyOf(3))
  flipBit(file, place + KEY_BYTES + 3, 1)
  await compactLmdbIndex({ path })
  await reading(path, async (index) => {
    await assert.rejects(index.lookup(keyOf(3), TENANT), IndexDamaged)
    const { right, wrong } = await askedForAll(index, IDENTITIES, TENANT)
    assert.deepEqual([right, wrong], [IDENTITIES - 1, 0])
  })
  // The highest bit of a key in the middle: it no longer stands where its neighbours expect it.
  const middle = [...Array(IDENTITIES).keys()].map(keyOf).sort(Buffer.compare)[IDENTITIES / 4]
  flipBit(file, placeOfKey(file, middle as Uint8Array), 7)
  await assert.rejects(compactLmdbIndex({ path }), IndexDamaged)
  assert.ok((await faultsOf(path)).some(([fault]) => fault === "tenants: keys out of order"))
})

for (const tenantId of [null, TENANT])
  test(`flipped bits${tenantId === null ? "" : " of a tenant's own"}: wherever in the file, ${TRIALS} times, whom an answer gets wrong a walk finds`, async (t) => {
    const { path, file } = await writtenIndex(t, tenantId, TRIAL_IDENTITIES)
    const below = seeded(7)
    const { size } = statSync(file)
    let places = Array.from({ length: TRIALS }, () => `${below(size)}:${below(8)}`)
    const totals = { unharmed: 0, refused: 0, wrong: 0, hidden: 0, ended: 0 }
    const directory = join(path, "..", "trial")
    mkdirSync(directory)
    const program = fileURLToPath(
      new URL("../../testing/lmdb/flipped-bits-suite.ts", import.meta.url),
    )
    while (places.length > 0) {
      copyFileSync(file, dataFileOf(directory))
      const { stdout, signal } = spawnSync(
        process.execPath,
        [
          ...sourceArguments,
          program,
          directory,
          String(TRIAL_IDENTITIES),
          String(tenantId ?? 0),
          ...places.slice(0, 500),
        ],
        { encoding: "utf8", env: sourceEnvironment },
      )
      const trials = stdout.split("\n").filter((line) => line.endsWith("}"))
      for (const trial of trials.map((line) => JSON.parse(line) as Trial)) {
        if (trial.wrong > 0) totals.wrong++
        else if (trial.refused > 0) totals.refused++
        else totals.unharmed++
        if (trial.wrong > 0 && trial.faults === 0) totals.hidden++
      }
      if (trials.length < Math.min(500, places.length)) {
        assert.notEqual(signal, null)
        totals.ended++
      }
      places = places.slice(Math.min(500, trials.length + 1))
    }
    t.diagnostic(JSON.stringify(totals))
    assert.equal(totals.hidden, 0)
  })
