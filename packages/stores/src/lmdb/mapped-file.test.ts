import assert from "node:assert/strict"
import { closeSync, openSync, writeSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test, type TestContext } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { flipBit, seeded } from "../../testing/lmdb/flipped-bits-suite.ts"
import { IndexDamaged } from "../exposure-index.ts"
import type { BareDatabase } from "./checked-database.ts"
import { type Environment, LMDB_MAP_BYTES, openEnvironment } from "./environment.ts"
import { FORMAT } from "./format.ts"
import { MappedFile, placed } from "./mapped-file.ts"

const PAGE_BYTES = 4_096
const FLIPS = process.env["ASSAY_SOAK"] === undefined ? 500 : 50_000

async function written(
  t: TestContext,
  write: (environment: Environment) => void,
): Promise<Environment> {
  const directory = await mkdtemp(join(tmpdir(), "assay-mapped-"))
  const environment = openEnvironment(join(directory, "index"), "create", LMDB_MAP_BYTES)
  t.after(async () => {
    await environment.close()
    await rm(directory, { recursive: true, force: true })
  })
  await writing(environment, () => {
    environment.meta.put(FORMAT, Uint8Array.of(4))
    write(environment)
  })
  return environment
}

async function writing(environment: Environment, write: () => void): Promise<void> {
  await environment.root.transaction(write)
}

function pagesOf(environment: Environment): MappedFile {
  const { newest } = environment
  const at = newest.at() ?? assert.fail("the map was not found")
  return at.pages
}

const bareOf = ({ tenants }: Environment): BareDatabase => tenants.bare

const valueFound = (): Buffer =>
  Buffer.from(placed.bytes.subarray(placed.from, placed.from + placed.length))

/** Four bytes, as the keys of buckets. */
function numberKey(number: number): Buffer {
  const key = Buffer.alloc(4)
  key.writeUInt32BE(number)
  return key
}

/** Of all lengths: within a page, beside others, and on one or more pages of its own. */
function valueOf(number: number): Buffer {
  return Buffer.alloc([8, 700, 1_900, 2_100, 5_000, 20_000][number % 6] as number, number & 0xff)
}

for (const [name, numbers] of [
  ["one after the other", Array.from({ length: 3_000 }, (_, n) => n)],
  ["with gaps", Array.from({ length: 3_000 }, (_, n) => 7 * n + (n % 5))],
  ["at one end", Array.from({ length: 600 }, (_, n) => 2 ** 32 - 1 - n * n).toReversed()],
  ["of one page", [3]],
] as const) {
  test(`mapped file: numbers ${name} are found by pages as lmdb finds them, and no others`, async (t) => {
    const environment = await written(t, (on) => {
      for (const number of numbers) bareOf(on).putSync(numberKey(number), valueOf(number))
    })
    const pages = pagesOf(environment)
    const root = pages.rootOf("tenants")
    const known = new Set<number>(numbers)
    for (const number of numbers) {
      assert.ok(pages.findNumber(root, number), `${number}`)
      assert.deepEqual(valueFound(), valueOf(number))
      assert.ok(pages.findKey(root, numberKey(number)))
      assert.deepEqual(valueFound(), valueOf(number))
      for (const other of [number - 1, number + 1]) {
        if (other < 0 || known.has(other)) continue
        assert.ok(!pages.findNumber(root, other))
        assert.ok(other >= 2 ** 32 || !pages.findKey(root, numberKey(other)))
      }
    }
    assert.ok(!pages.findNumber(pages.rootOf("shared"), numbers[0]))
  })
}

test("mapped file: keys of any length are found by pages as lmdb finds them, and so are those beside one that is missing", async (t) => {
  const below = seeded(183)
  const keys = Array.from({ length: 4_000 }, (_, n) =>
    Buffer.from(Array.from({ length: 1 + below(40) }, () => below(n < 200 ? 3 : 256))),
  )
  const environment = await written(t, (on) => {
    for (const key of keys) bareOf(on).putSync(key, Buffer.from(key.toString("hex")))
  })
  const pages = pagesOf(environment)
  const root = pages.rootOf("tenants")
  const bare = bareOf(environment)
  for (const key of keys) {
    assert.ok(pages.findKey(root, key))
    assert.equal(valueFound().toString(), key.toString("hex"))
  }
  const sorted = [...bare.getKeys()]
  assert.ok(sorted.length > 3_000)
  const missing = (key: Uint8Array): void => {
    assert.ok(!pages.findKey(root, key))
    const above = sorted.findIndex((each) => Buffer.compare(each, key) > 0)
    const at = above < 0 ? sorted.length : above
    for (const [side, wanted] of [
      ["previous", sorted[at - 1]],
      ["next", sorted[at]],
    ] as const) {
      const found = pages.findBeside(root, key, side)
      assert.deepEqual(
        found && Buffer.from(found),
        wanted === undefined ? null : Buffer.from(wanted),
      )
      if (wanted === undefined) continue
      assert.equal(valueFound().toString(), Buffer.from(wanted).toString("hex"))
    }
  }
  // Beside each key, so that all ends of pages are among them.
  for (const key of sorted) {
    const longer = Buffer.concat([key, Buffer.alloc(1)])
    if (bare.get(longer) === undefined) missing(longer)
  }
  missing(Buffer.alloc(60, 0xff))
  if (bare.get(Buffer.alloc(1)) === undefined) missing(Buffer.alloc(1))
  assert.equal(pages.findBeside(pages.rootOf("shared"), Buffer.alloc(1), "next"), null)
})

test("mapped file: a state is read until another one is committed, and not held for long", async (t) => {
  const environment = await written(t, (on) => {
    for (let n = 0; n < 100; n++) bareOf(on).putSync(numberKey(n), valueOf(0))
  })
  const { newest } = environment
  const first = newest.at()
  assert.equal(newest.at(), first)
  const readers = (): string[] =>
    (environment.root as unknown as { readerList(): string })
      .readerList()
      .split("\n")
      .filter((line) => /^ *\d+ .* \d+ *$/.test(line))
  assert.ok(readers().length > 0)
  for (let round = 1; round < 20; round++) {
    await writing(environment, () => {
      bareOf(environment).putSync(numberKey(round), valueOf(round))
    })
    const pages = pagesOf(environment)
    assert.ok(pages.findNumber(pages.rootOf("tenants"), round))
    assert.deepEqual(valueFound(), valueOf(round))
  }
  assert.notEqual(newest.at(), first)
  const held = readers().length
  // lmdb's own transaction ends as well.
  for (let waits = 0; readers().length > 0 && waits < 200; waits++) await delay(10)
  assert.deepEqual([held > 0, readers()], [true, []])
  const pages = pagesOf(environment)
  assert.ok(pages.findNumber(pages.rootOf("tenants"), 19))
})

test(`mapped file: whichever bit of its pages is another, ${FLIPS} times, nothing worse happens than a refusal or another value`, async (t) => {
  const numbers = Array.from({ length: 400 }, (_, n) => 3 * n)
  const environment = await written(t, (on) => {
    for (const number of numbers) {
      bareOf(on).putSync(numberKey(number), valueOf(number))
      on.meta.bare.putSync(Buffer.from(`key ${number}`), valueOf(0))
    }
  })
  const { dataFile } = environment
  const below = seeded(20_261_119)
  const pages = pagesOf(environment)
  const roots = [pages.rootOf("tenants"), pages.rootOf("meta")] as const
  const totals = { refused: 0, found: 0, missing: 0 }
  const asked = (ask: () => unknown): void => {
    try {
      if (ask()) {
        assert.ok(placed.from + placed.length <= placed.bytes.length)
        totals.found++
      } else totals.missing++
    } catch (error) {
      if (!(error instanceof IndexDamaged)) throw error
      totals.refused++
    }
  }
  const bytes = 2 * PAGE_BYTES
  for (let flip = 0; flip < FLIPS; flip++) {
    // Mostly in what describes a page.
    const page = roots[flip % 2] as number
    const at = page * PAGE_BYTES + below(flip % 3 === 0 ? bytes : 64)
    const bit = below(8)
    flipBit(dataFile, at, bit)
    for (let n = 0; n < 20; n++) {
      const number = numbers[below(numbers.length)] as number
      asked(() => pages.findNumber(roots[0], number + (n % 2)))
      asked(() => pages.findKey(roots[1], Buffer.from(`key ${number}${n % 2 === 0 ? "" : "x"}`)))
      asked(() => pages.findBeside(roots[1], Buffer.from(`key ${number}x`), "next"))
    }
    flipBit(dataFile, at, bit)
  }
  assert.ok(totals.refused > 0 && totals.found > 0 && totals.missing > 0, JSON.stringify(totals))
  for (const number of numbers) assert.ok(pages.findNumber(roots[0], number))
})

test("mapped file: a page that seems to have no keys is damage, and an empty database is not", async (t) => {
  const environment = await written(t, (on) => {
    bareOf(on).putSync(Buffer.from("key"), valueOf(0))
  })
  const pages = pagesOf(environment)
  const root = pages.rootOf("tenants")
  const other = Buffer.from("other")
  assert.ok(!pages.findKey(root, other))
  assert.ok(!pages.findKey(pages.rootOf("shared"), other))
  const file = openSync(environment.dataFile, "r+")
  // Where the places of its nodes end.
  writeSync(file, Buffer.alloc(2), 0, 2, root * PAGE_BYTES + 20)
  closeSync(file)
  assert.throws(() => pages.findKey(root, other), IndexDamaged)
  assert.throws(() => pages.findBeside(root, other, "next"), IndexDamaged)
})

test("mapped file: where the map is smaller than asked for, lmdb reads", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "assay-mapped-"))
  t.after(() => rm(directory, { recursive: true, force: true }))
  const environment = openEnvironment(join(directory, "index"), "create", LMDB_MAP_BYTES / 2)
  await writing(environment, () => {
    environment.meta.put(FORMAT, Uint8Array.of(4))
  })
  assert.equal(environment.newest.at(), null)
  await environment.close()
})
