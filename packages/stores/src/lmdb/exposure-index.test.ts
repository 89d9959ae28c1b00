import assert from "node:assert/strict"
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test, type TestContext } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { open as lmdb } from "lmdb"
import { breach } from "../../testing/entry-samples-suite.ts"
import type { AlterStored } from "../../testing/exposure-index-damage-suite.ts"
import { keyOf, source } from "../../testing/exposure-index-process-suite.ts"
import { exposureIndexSuite } from "../../testing/exposure-index-suite.ts"
import {
  INDEX_FORMAT,
  IndexUnavailable,
  type ExposureIndex,
  type Found,
} from "../exposure-index.ts"
import { secondProcess } from "../../testing/second-process-suite.ts"
import { openEnvironment, tenantKey, type Environment } from "./environment.ts"
import { openLmdbIndex } from "./exposure-index.ts"
import { alterIdentity, bucketsOf } from "../../testing/lmdb/buckets-suite.ts"
import { open as openSmallMap } from "../../testing/lmdb/small-map-opener.ts"
import { open } from "../../testing/lmdb/suite-opener.ts"

const opener = new URL("../../testing/lmdb/suite-opener.ts", import.meta.url)
/** Puts other bytes in the place of a value with its checksum. */
const alterStored: AlterStored = async (directory, owner, key, change) =>
  tamper(directory, (environment) => {
    if (owner === "shared") {
      alterIdentity(bucketsOf(environment), key, change)
      return
    }
    const { bare } = environment.tenants
    const place = tenantKey(owner, key)
    bare.putSync(place, change(Buffer.from(bare.getBinary(place) ?? [])))
  })
exposureIndexSuite("lmdb", open, opener, alterStored)
// A map that lmdb may move is not read without it.
const smallMapOpener = new URL("../../testing/lmdb/small-map-opener.ts", import.meta.url)
exposureIndexSuite("lmdb by its own reads", openSmallMap, smallMapOpener, alterStored)

const alice = keyOf(-1)

async function temporaryPath(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "assay-lmdb-"))
  t.after(() => rm(directory, { recursive: true, force: true }))
  return join(directory, "index")
}

/** An index in which one live batch has one entry about alice, closed. */
async function writtenIndex(t: TestContext): Promise<string> {
  const path = await temporaryPath(t)
  const index = await openLmdbIndex({ path })
  const { id } = await index.openBatch(source, "file", 1)
  await index.merge(id, [{ key: alice, entries: [{ ...breach, batchId: id }] }])
  await index.goLive(id, { rows: 1, identities: 1 }, 2)
  await index.close()
  return path
}

/** Changes stored bytes behind the index's back. */
async function tamper(path: string, change: (environment: Environment) => void): Promise<void> {
  const environment = openEnvironment(path, "write", 2 ** 30)
  await environment.root.transaction(() => {
    change(environment)
  })
  await environment.close()
}

async function closing(
  index: ExposureIndex,
  use: (index: ExposureIndex) => Promise<void>,
): Promise<void> {
  try {
    await use(index)
  } finally {
    await index.close()
  }
}

test("lmdb: an index of a newer format is refused, also for reading", async (t) => {
  const path = await writtenIndex(t)
  await tamper(path, ({ meta }) => {
    meta.put(Buffer.from("format"), Uint8Array.of(INDEX_FORMAT + 1))
  })
  await assert.rejects(openLmdbIndex({ path }), { code: "newer-format" })
  await assert.rejects(openLmdbIndex({ path, readOnly: true }), { code: "newer-format" })
})

for (const [name, bytes] of [
  ["an empty value", Buffer.alloc(0)],
  ["a value cut short", Buffer.from([0, 8, 0, 0])],
  ["a value of noise", Buffer.alloc(40, 0xff)],
] as const) {
  test(`lmdb: ${name} throws and never reads as an unknown identity`, async (t) => {
    const path = await writtenIndex(t)
    await tamper(path, ({ shared }) => {
      shared.put(alice, bytes)
    })
    await closing(await openLmdbIndex({ path }), async (index) => {
      await assert.rejects(index.lookup(alice, null), IndexUnavailable)
      assert.deepEqual((await index.lookup(keyOf(-2), null)).entries, [])
      assert.deepEqual(await index.sample(10), { read: 1, faults: 1 })
      const { id } = await index.openBatch(source, "another file", 3)
      const rows = [{ key: alice, entries: [{ ...breach, batchId: id }] }]
      await assert.rejects(index.merge(id, rows), IndexUnavailable)
    })
  })
}

test("lmdb: an entry of a batch that the catalogue does not know throws", async (t) => {
  const path = await writtenIndex(t)
  await tamper(path, ({ shared }) => {
    shared.put(alice, Buffer.from("00080000000000000009", "hex"))
  })
  await closing(await openLmdbIndex({ path }), async (index) => {
    await assert.rejects(index.lookup(alice, null), IndexUnavailable)
  })
})

test("lmdb: a catalogue damaged under a running index fails lookups and the ping", async (t) => {
  const path = await writtenIndex(t)
  await closing(await openLmdbIndex({ path }), async (index) => {
    assert.equal((await index.lookup(alice, null)).entries.length, 1)
    await tamper(path, ({ meta }) => {
      meta.put(Buffer.from("catalogue"), Buffer.from("{}"))
      meta.put(Buffer.from("catalogue-version"), Buffer.alloc(8, 1))
    })
    await assert.rejects(index.lookup(alice, null), IndexUnavailable)
    await assert.rejects(index.ping(), IndexUnavailable)
  })
  await assert.rejects(openLmdbIndex({ path }), IndexUnavailable)
})

test("lmdb: entries without a format are not taken for a new index", async (t) => {
  const path = await writtenIndex(t)
  await tamper(path, ({ meta }) => {
    meta.remove(Buffer.from("format"))
  })
  await assert.rejects(openLmdbIndex({ path }), IndexUnavailable)
  await assert.rejects(openLmdbIndex({ path, readOnly: true }), IndexUnavailable)
})

for (const [name, damage] of [
  ["noise", () => Buffer.alloc(65_536, 0x5a)],
  ["zeros", () => Buffer.alloc(65_536)],
  ["the first bytes of an index", (whole: Buffer) => whole.subarray(0, 100)],
  ["an index whose second page is gone", (whole: Buffer) => whole.fill(0, 4_096, 16_384 + 4_096)],
] as const) {
  test(`lmdb: a file of ${name} is refused, and nothing worse happens`, async (t) => {
    const path = await writtenIndex(t)
    const file = join(path, "data.mdb")
    await writeFile(file, damage(await readFile(file)))
    await assert.rejects(openLmdbIndex({ path }), IndexUnavailable)
    await assert.rejects(openLmdbIndex({ path, readOnly: true }), IndexUnavailable)
  })
}

test("lmdb: where nothing is, a reader finds nothing to read and leaves nothing behind", async (t) => {
  const path = await temporaryPath(t)
  await assert.rejects(openLmdbIndex({ path, readOnly: true }), IndexUnavailable)
  await assert.rejects(stat(path), { code: "ENOENT" })
})

test("lmdb: a reader looks up, follows the writer and cannot write", async (t) => {
  const path = await writtenIndex(t)
  await closing(await openLmdbIndex({ path, readOnly: true }), async (reader) => {
    assert.equal((await reader.lookup(alice, null)).entries.length, 1)
    await assert.rejects(reader.openBatch(source, "file 2", 1), IndexUnavailable)
    await assert.rejects(reader.removeBatch(1, 1), IndexUnavailable)
    await assert.rejects(reader.checkKeyCheckValue("a"), IndexUnavailable)
    const writer = await secondProcess(t, opener, path)
    writer.tell({ verb: "import", fingerprint: "file 2", identities: 10 })
    await writer.said((answer) => answer === "live")
    assert.equal((await reader.lookup(keyOf(2), null)).entries.length, 3)
    assert.equal((await reader.lookup(alice, null)).entries.length, 1)
  })
})

test("lmdb: look-ups of one turn share a state, and those of the next one see what came live", async (t) => {
  const path = await writtenIndex(t)
  await closing(await openLmdbIndex({ path, readOnly: true }), async (reader) => {
    const now = (key: Uint8Array): Found => {
      const found = reader.lookupInTurn(key, null)
      return found instanceof Promise ? assert.fail("it came as a promise") : found
    }
    const writer = await secondProcess(t, opener, path)
    const first = now(alice)
    assert.deepEqual(first, await reader.lookup(alice, null))
    assert.equal(now(alice).catalogue, first.catalogue)
    for (const fingerprint of ["file 2", "file 3"]) {
      writer.tell({ verb: "import", fingerprint, identities: 10 })
      await writer.said((answer) => answer === "live")
      const newest = now(keyOf(2))
      assert.deepEqual(newest, await reader.lookup(keyOf(2), null))
      // What lies in no batch is checked on the same state, also after lmdb's own timer ran.
      await delay(3)
      for (let i = 0; i < 50; i++) assert.equal(now(keyOf(1000 + i)).entries.length, 0)
    }
    assert.equal(now(keyOf(2)).entries.length, 6)
    await reader.close()
    assert.throws(() => now(alice), IndexUnavailable)
  })
})

test("lmdb: a connection that writes sees its own writes at once", async (t) => {
  await closing(await openLmdbIndex({ path: await writtenIndex(t) }), async (index) => {
    assert.equal((await index.lookupInTurn(alice, null)).erased, false)
    const erasing = index.erase(alice)
    await erasing
    assert.equal((await index.lookupInTurn(alice, null)).erased, true)
  })
})

test("lmdb: a full disk fails the import and nothing else", async (t) => {
  const path = await writtenIndex(t)
  const writer = await secondProcess(t, opener, path, 2_000)
  writer.tell({ verb: "import", fingerprint: "huge", identities: 100_000 })
  let failure: unknown
  await writer.said((answer) => {
    assert.notEqual(answer, "live")
    failure = (answer as { failed?: string }).failed
    return failure !== undefined
  })
  assert.equal(failure, "IndexUnavailable")
  // The same process goes on answering.
  const key = Buffer.from(alice).toString("hex")
  assert.equal(await writer.ask({ verb: "count", key }), 1)
  assert.equal(await writer.ask({ verb: "count", key: Buffer.from(keyOf(1)).toString("hex") }), 0)
  await closing(await openLmdbIndex({ path }), async (index) => {
    assert.equal((await index.lookup(alice, null)).entries.length, 1)
    assert.equal((await index.catalogue()).batches.get(2)?.state, "loading")
  })
})

test("lmdb: only its owner can read the index, also where it was opened up before", async (t) => {
  const path = await writtenIndex(t)
  const files = (await readdir(path)).map((name) => join(path, name))
  assert.equal(files.length, 3)
  const modes = async (): Promise<number[]> =>
    Promise.all([path, ...files].map(async (file) => (await stat(file)).mode & 0o777))
  assert.deepEqual(await modes(), [0o700, 0o600, 0o600, 0o600])
  for (const file of [path, ...files]) await chmod(file, 0o755)
  await (await openLmdbIndex({ path })).close()
  assert.deepEqual(await modes(), [0o700, 0o600, 0o600, 0o600])
})

test("lmdb: the index takes the disk it fills, not the address space it sets aside", async (t) => {
  const path = await writtenIndex(t)
  assert.ok((await stat(join(path, "data.mdb"))).size < 1_000_000)
})

test("an index whose maker died before it had its databases is none; one that lost a database is a fault", async (t) => {
  const path = await temporaryPath(t)
  const read = async (): Promise<unknown> => await openLmdbIndex({ path, readOnly: true })
  await mkdir(path)
  for (const made of [
    [],
    ["shared-2"],
    ["shared-2", "shared"],
    ["shared-2", "shared", "tenants"],
  ]) {
    const root = lmdb({ path, noSubdir: false, maxDbs: 4 })
    for (const name of made) root.openDB(name, { encoding: "binary", keyEncoding: "binary" })
    await root.close()
    await assert.rejects(read(), { code: "none" }, made.join())
  }
  const root = lmdb({ path, noSubdir: false, maxDbs: 4 })
  const shared = root.openDB("shared", { encoding: "binary", keyEncoding: "binary" })
  await shared.put(alice, Buffer.from([1]))
  await root.close()
  await assert.rejects(read(), { code: "unavailable" })
})
