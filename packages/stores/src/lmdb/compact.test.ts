import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { copyFile, lstat, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { after, test, type TestContext } from "node:test"
import { fileURLToPath } from "node:url"
import type { SegmentBlock } from "../segment-block.ts"
import { importRows, keyOf, source } from "../../testing/exposure-index-process-suite.ts"
import {
  INDEX_FORMAT,
  IndexDamaged,
  IndexUnavailable,
  type ExposureIndex,
} from "../exposure-index.ts"
import { importedBatch, ownBatch, row, seen } from "../../testing/opened-index-suite.ts"
import { secondProcess, temporaryDirectory } from "../../testing/second-process-suite.ts"
import { segmentBlocks } from "../../testing/segment-samples-suite.ts"
import { compactionReason } from "@assay/corpus/compaction"
import { emptyCatalogue } from "../catalogue.ts"
import { CheckedDatabase } from "./checked-database.ts"
import { compactLmdbIndex } from "./compact.ts"
import { openEnvironment } from "./environment.ts"
import { examineIndex } from "./examine.ts"
import { openLmdbIndex } from "./exposure-index.ts"
import { linkedGeneration } from "./generations.ts"
import { readIndexFacts } from "./index-facts.ts"
import { putDocument } from "./stored.ts"
import { sourceArguments } from "../../testing/source-process.ts"

const opener = new URL("../../testing/lmdb/suite-opener.ts", import.meta.url)
const IDENTITIES = 20_000
const soak = process.env["ASSAY_SOAK"] !== undefined
const KILLS = soak ? 50 : 1
const alice = keyOf(-1)
const bob = keyOf(-2)

/**
 * Two batches of many identities, one of them removed; a tenant's evidence; an erased identity. In
 * an index that is new or was of an older format. Each is made once, and copied for each test.
 */
async function filledIndex(
  t: TestContext,
  format = INDEX_FORMAT,
): Promise<{ path: string; index: ExposureIndex }> {
  const made = await (filled[format] ??= filledData(format))
  const path = join(await temporaryDirectory(t), "index")
  await mkdir(path)
  await copyFile(made, join(path, "data.mdb"))
  const index = await openLmdbIndex({ path })
  t.after(() => index.close())
  return { path, index }
}

const filled: Record<number, Promise<string>> = {}
const filledFolder = await mkdtemp(join(tmpdir(), "assay-compact-"))
after(() => rm(filledFolder, { recursive: true }))

async function filledData(format: number): Promise<string> {
  const path = join(filledFolder, `${format}`)
  if (format < INDEX_FORMAT) await emptyOldIndex(path, format)
  const index = await openLmdbIndex({ path })
  for (const name of ["kept", "removed"]) {
    const { id } = await index.openBatch({ ...source, name }, name, 1)
    await index.merge(id, importRows(id, IDENTITIES))
    if (name === "removed") await index.merge(id, [row(bob, id)])
    await index.goLive(id, { rows: IDENTITIES, identities: IDENTITIES }, 2)
    if (name === "removed") await index.removeBatch(id, 3)
  }
  const own = await ownBatch(index, "reports", 7)
  await index.replaceTenantEvidence(7, own, [row(keyOf(1), own), row(alice, own)])
  await index.erase(keyOf(5))
  await index.close()
  return join(path, "data.mdb")
}

async function answers(index: ExposureIndex): Promise<string> {
  const found: unknown[] = []
  for (let i = -2; i < IDENTITIES; i += i < 20 ? 1 : 97) {
    const answer = await index.lookup(keyOf(i), 7)
    found.push({ ...seen(answer), erased: answer.erased })
  }
  return JSON.stringify(found)
}

test("lmdb: compacting changes no answer, drops what is gone, and every process goes on with the new one", async (t) => {
  const { path, index } = await filledIndex(t)
  const reader = await openLmdbIndex({ path, readOnly: true })
  t.after(() => reader.close())
  const other = await secondProcess(t, opener, path)
  const look = { verb: "look", key: Buffer.from(keyOf(5)).toString("hex") } as const
  const said = await other.ask(look)
  const [before, catalogue, stats] = [
    await answers(index),
    await index.catalogue(),
    await index.stats(),
  ]

  const { bytesBefore, bytesAfter, generation } = await compactLmdbIndex({ path })
  assert.equal(generation, 1)
  assert.ok(bytesAfter < bytesBefore / 2, `${bytesAfter} of ${bytesBefore} bytes`)
  for (const each of [index, reader]) {
    assert.equal(await answers(each), before)
    assert.deepEqual(await each.catalogue(), catalogue)
  }
  assert.deepEqual(await other.ask(look), said)
  const after = await index.stats()
  assert.equal(after.bytes, bytesAfter)
  // Bob was named by the removed batch alone.
  assert.equal(after.identities, stats.identities - 1)
  assert.equal(after.tenantIdentities, stats.tenantIdentities)
  await assert.rejects(index.checkKeyCheckValue("a").then(() => index.checkKeyCheckValue("b")))

  // From here on all of them write to the same generation.
  assert.equal(
    await other.ask({ verb: "erase", key: Buffer.from(alice).toString("hex") }),
    "erased",
  )
  assert.equal((await reader.lookup(alice, null)).erased, true)
  await importedBatch(index, "later", [bob])
  assert.equal((await reader.lookup(bob, null)).entries.length, 1)
  assert.deepEqual((await readdir(path)).sort(), ["data.mdb", "generation-1", "lock", "turn"])
  const inTurn = reader.lookupInTurn(bob, null)
  await compactLmdbIndex({ path })
  assert.deepEqual(await reader.lookupInTurn(bob, null), await inTurn)
  assert.equal((await reader.lookup(bob, null)).entries.length, 1)
  assert.deepEqual((await readdir(path)).sort(), ["data.mdb", "generation-2", "lock", "turn"])
})

test("lmdb: a process that looked nobody up while the file grew and was replaced finds all in the new one", async (t) => {
  const { path, index } = await filledIndex(t)
  const other = await secondProcess(t, opener, path)
  const seenByOther = async (): Promise<unknown[]> => {
    const seen: unknown[] = []
    for (const key of [alice, bob, keyOf(1), keyOf(5)]) {
      const answer = await other.ask({ verb: "look", key: Buffer.from(key).toString("hex") })
      const { entries, erased } = answer as { entries: number; erased: boolean }
      seen.push({ entries, erased })
    }
    return seen
  }
  const before = await seenByOther()
  // The file of the first generation gives way to a link, and that of the second is gone.
  for (const generation of [1, 2]) {
    const name = `grown ${generation}`
    const { id } = await index.openBatch({ ...source, name }, name, 1)
    await index.merge(id, importRows(id, soak ? 5 * IDENTITIES : 4_000))
    await index.removeBatch(id, 3)
    assert.equal((await compactLmdbIndex({ path })).generation, generation)
    assert.deepEqual(await seenByOther(), before)
  }
})

test("lmdb: what is written while the index is compacted is in it afterwards", async (t) => {
  const { path, index } = await filledIndex(t)
  const own = await ownBatch(index, "during", 8)
  const { id } = await index.openBatch({ ...source, name: "during" }, "during", 1)
  const writes: Promise<unknown>[] = []
  let steps = 0
  let failed = 0
  await compactLmdbIndex({
    path,
    onProgress() {
      const i = steps++
      const write = async (): Promise<void> => {
        await index.merge(id, [row(keyOf(-100 - i), id), row(keyOf(10 + i), id)])
        await index.replaceTenantEvidence(8, own, [row(keyOf(10 + i), own)])
        await index.erase(keyOf(1_000 + i))
        if (i === 0) await index.replaceTenantEvidence(7, 3, [{ key: alice, entries: [] }])
        await index.lookup(keyOf(1), 7).catch(() => failed++)
      }
      writes.push(write())
    },
  })
  await Promise.all(writes)
  await index.goLive(id, { rows: 0, identities: 0 }, 5)
  assert.ok(steps > 2)
  assert.equal(failed, 0)
  assert.equal(linkedGeneration(path), 1)
  for (let i = 0; i < steps; i++) {
    const batchesOf = async (key: Uint8Array): Promise<number[]> =>
      (await index.lookup(key, 8)).entries.map(({ batchId }) => batchId)
    assert.ok((await batchesOf(keyOf(-100 - i))).includes(id))
    assert.ok((await batchesOf(keyOf(10 + i))).includes(id))
    assert.ok((await batchesOf(keyOf(10 + i))).includes(own))
    assert.equal((await index.lookup(keyOf(1_000 + i), null)).erased, true)
  }
  assert.deepEqual((await index.lookup(alice, 7)).entries, [])
})

test(`lmdb: a compaction killed ${KILLS} times leaves the index as it was or compacted, and the next one clears up`, async (t) => {
  const { path, index } = await filledIndex(t)
  const before = await answers(index)
  for (let kill = 0; kill < KILLS; kill++) {
    const child = spawn(
      process.execPath,
      [
        ...sourceArguments,
        fileURLToPath(new URL("../../testing/lmdb/compact-process-suite.ts", import.meta.url)),
        path,
      ],
      { stdio: ["ignore", "pipe", "inherit"] },
    )
    const ended = once(child, "exit")
    let lines = 0
    for await (const line of createInterface({ input: child.stdout })) {
      if (lines++ === kill % 6 || line === "compacted") break
    }
    child.kill("SIGKILL")
    await ended
    assert.equal(await answers(index), before)
    await index.replaceTenantEvidence(7, 3, [row(keyOf(1), 3)])
    const anew = await openLmdbIndex({ path })
    assert.equal(await answers(anew), before)
    await anew.close()
    const generations = (await readdir(path)).filter((name) => name.startsWith("generation"))
    assert.ok(generations.length <= 1)
  }
  await compactLmdbIndex({ path })
  assert.equal(await answers(index), before)
})

test("lmdb: a compaction that ended between its commit and its link has happened", async (t) => {
  const { path, index } = await filledIndex(t)
  const before = await answers(index)
  // The link cannot be made while a folder has its temporary name.
  await mkdir(join(path, "data.mdb.new"))
  await writeFile(join(path, "data.mdb.new", "in the way"), "")
  await assert.rejects(compactLmdbIndex({ path }))
  assert.equal(linkedGeneration(path), 0)
  assert.equal(await answers(index), before)
  await index.erase(alice)
  const reader = await openLmdbIndex({ path, readOnly: true })
  t.after(() => reader.close())
  assert.equal((await reader.lookup(alice, null)).erased, true)

  await rm(join(path, "data.mdb.new"), { recursive: true })
  const writer = await openLmdbIndex({ path })
  t.after(() => writer.close())
  assert.equal(linkedGeneration(path), 1)
  assert.ok((await lstat(join(path, "data.mdb"))).isSymbolicLink())
  for (const each of [index, reader, writer]) {
    assert.equal((await each.lookup(alice, null)).erased, true)
  }
})

test("lmdb: a compaction that fails leaves nothing but the index as it was", async (t) => {
  const { path, index } = await filledIndex(t)
  const before = await answers(index)
  const failing = compactLmdbIndex({
    path,
    onProgress() {
      throw new Error("stopped")
    },
  })
  await assert.rejects(failing, { message: "stopped" })
  assert.equal(await answers(index), before)
  assert.ok(!existsSync(join(path, "generation-1")))
  await compactLmdbIndex({ path })
  assert.equal(await answers(index), before)
})

test("lmdb: two compactions at once are one, and the other is told", async (t) => {
  const { path } = await filledIndex(t)
  const outcomes = await Promise.allSettled([
    compactLmdbIndex({ path }),
    compactLmdbIndex({ path }),
  ])
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["fulfilled", "rejected"],
  )
  const { reason } = outcomes[1] as { reason: { code: string } }
  assert.equal(reason.code, "index-in-replacement")
})

for (const format of [1, 2, 3]) {
  test(`lmdb: an index of format ${format} is served as it is and made anew when it is compacted, and meanwhile served`, async (t) => {
    const empty = join(await temporaryDirectory(t), "index")
    await emptyOldIndex(empty, format)
    const untouched = await openLmdbIndex({ path: empty, readOnly: true })
    assert.equal((await untouched.stats()).format, format)
    await untouched.close()
    const { path, index } = await filledIndex(t, format)
    const reader = await openLmdbIndex({ path, readOnly: true })
    const made = await index.openBatch({ ...source, name: "segment" }, "segment", 1)
    await index.mergeSegment(made.id, segmentBlocks([...importRows(made.id, 3_000)]))
    await index.goLive(made.id, { rows: 3_000, identities: 3_000 }, 2)
    assert.equal((await index.stats()).format, Math.max(2, format))
    assert.deepEqual([...(await examineIndex(path, () => undefined)).faults], [])
    const before = await answers(index)
    assert.equal(compactionReason(await readIndexFacts(path), Date.now()), "format")
    // Every second set of the copy comes after it began.
    const written: Promise<unknown>[] = []
    const served: Promise<string>[] = []
    await compactLmdbIndex({
      path,
      onProgress(done) {
        served.push(answers(reader))
        if (written.length < 3) written.push(importedBatch(index, `${done}`, [keyOf(-9 - done)]))
      },
    })
    await Promise.all(written)
    assert.ok(served.length > 2)
    for (const said of await Promise.all(served)) assert.equal(said, before)
    for (const each of [reader, index]) {
      assert.equal(await answers(each), before)
      assert.equal((await each.stats()).format, INDEX_FORMAT)
      assert.equal((await each.lookup(keyOf(-9 - 8_192), null)).entries.length, 1)
      await each.close()
    }
    assert.equal(compactionReason(await readIndexFacts(path), Date.now()), null)
    // What a program from before reads is the first byte of this, in data.mdb; the checksum follows
    // it.
    const stored = openEnvironment(path, "read", 2 ** 30)
    t.after(() => stored.close())
    const bytes = stored.meta.bare.getBinary(Buffer.from("format"))
    assert.deepEqual([bytes?.length, bytes?.[0]], [5, INDEX_FORMAT])
  })
}

test("lmdb: damage of an index of format 3 is damage of the one made of it, and nobody else's", async (t) => {
  const { path, index } = await filledIndex(t, 3)
  const environment = openEnvironment(path, "write", 2 ** 30)
  const { bare } = environment.shared as CheckedDatabase
  await environment.root.transaction(() => {
    const [value, key] = [keyOf(100), keyOf(200)].map((each) => {
      const stored = bare.getBinary(each)
      assert.ok(stored !== undefined)
      return Buffer.from(stored)
    }) as [Buffer, Buffer]
    value[3] = (value[3] as number) ^ 1
    bare.putSync(keyOf(100), value)
    // As if a bit of the key had changed where it stands.
    const changed = Buffer.from(keyOf(200))
    changed[3] = (changed[3] as number) ^ 4
    bare.removeSync(keyOf(200))
    bare.putSync(changed, key)
  })
  await environment.close()
  for (let copies = 0; copies < 3; copies++) {
    let refused = 0
    for (let person = 0; person < IDENTITIES; person++) {
      await index.lookup(keyOf(person), null).then(
        ({ entries, erased }) => assert.ok(erased || entries.length > 0),
        (error: unknown) => {
          assert.ok(error instanceof IndexDamaged)
          refused++
        },
      )
    }
    assert.equal(refused, copies === 0 ? refused : 2)
    for (const person of [100, 200]) {
      await assert.rejects(index.lookup(keyOf(person), null), IndexDamaged)
    }
    let strangers = 0
    for (let person = -2_000; person < -10; person++) {
      await index.lookup(keyOf(person), null).catch(() => strangers++)
    }
    // Those of two to four of many hundred cells.
    assert.ok(strangers < 40, `${strangers}`)
    await compactLmdbIndex({ path })
    assert.equal((await index.stats()).format, INDEX_FORMAT)
  }
  await index.erase(keyOf(100))
  assert.equal((await index.lookup(keyOf(100), null)).erased, true)
})

/** An index of an older program; up to format 2 none of its values has a checksum. */
async function emptyOldIndex(path: string, format: number): Promise<void> {
  const environment = openEnvironment(path, "create", 2 ** 30)
  const meta = new CheckedDatabase(environment.meta.bare, format > 2)
  await environment.root.transaction(() => {
    meta.put(Buffer.from("format"), Uint8Array.of(format))
    putDocument(meta, emptyCatalogue)
  })
  await environment.close()
}

test("lmdb: where the link to the generation in use is lost, nothing is taken for a new index", async (t) => {
  const { path, index } = await filledIndex(t)
  await compactLmdbIndex({ path })
  await index.close()
  await rm(join(path, "data.mdb"))
  await assert.rejects(openLmdbIndex({ path }), { message: "There is no index to read" })
  await assert.rejects(openLmdbIndex({ path, readOnly: true }), NotNewer)
})

const NotNewer = (error: unknown): boolean =>
  !(error instanceof IndexUnavailable && error.code === "newer-format")

test("lmdb: an identity with one exposure takes at most 38 bytes after compaction", async (t) => {
  const path = join(await temporaryDirectory(t), "index")
  const index = await openLmdbIndex({ path })
  t.after(() => index.close())
  const count = soak ? 10_000_000 : 50_000
  for (let part = 0; part < 5; part++) {
    const { id } = await index.openBatch(source, `part ${part}`, 1)
    const { identities } = await index.mergeSegment(id, singleExposures(part, count / 5))
    await index.goLive(id, { rows: identities, identities }, 2)
  }
  const bytesEach = async (): Promise<number> => {
    const { bytes, identities } = await index.stats()
    assert.equal(identities, count)
    return bytes / identities
  }
  const imported = await bytesEach()
  await compactLmdbIndex({ path })
  const compacted = await bytesEach()
  t.diagnostic(
    `${count} identities: ${imported.toFixed(1)} bytes each after five imports, ${compacted.toFixed(1)} compacted`,
  )
  assert.ok(compacted <= 38)
})

/** Identities in order, each with one exposure; those of different parts lie between each other. */
async function* singleExposures(part: number, count: number): AsyncGenerator<SegmentBlock> {
  const BLOCK = 2_000
  const stride = 2n ** 64n / BigInt(count)
  for (let from = 0; from < count; from += BLOCK) {
    const keys = Buffer.alloc(BLOCK * 16)
    const heads = Buffer.alloc(BLOCK * 8)
    for (let i = 0; i < BLOCK; i++) {
      keys.writeBigUInt64BE(BigInt(from + i) * stride + BigInt(part), i * 16)
      heads.set([8 | 5, 7, 57, 8, 0x80, i & 0xff, 0, 0], i * 8)
    }
    yield { count: BLOCK, keys, heads, extended: new Map() }
  }
}
