import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { test, type TestContext } from "node:test"
import fc from "fast-check"
import type { Entry } from "../src/entry.ts"
import { anyEntry, breach } from "./entry-samples-suite.ts"
import {
  importRows,
  keyOf,
  PROGRESS_ROWS,
  source,
  type Command,
} from "./exposure-index-process-suite.ts"
import { type AlterStored, damageSuite } from "./exposure-index-damage-suite.ts"
import { segmentSuite } from "./exposure-index-segment-suite.ts"
import { sharedSuite } from "./exposure-index-shared-suite.ts"
import { subjectSuite } from "./exposure-index-subject-suite.ts"
import {
  BatchRefused,
  INDEX_FORMAT,
  IndexUnavailable,
  type ExposureIndex,
  type Row,
} from "../src/exposure-index.ts"
import { days, importedBatch, type Opened, ownBatch, row, seen } from "./opened-index-suite.ts"
import { programArguments, secondProcess, temporaryDirectory } from "./second-process-suite.ts"
import { sourceEnvironment } from "./source-process.ts"

const soak = process.env["ASSAY_SOAK"] !== undefined
const KILLS = soak ? 50 : 1
/** Identities with more entries than the 8,192 that are merged at once. */
const MANY = soak ? 9_000 : 4_000
const alice = keyOf(-1)
const bob = keyOf(-2)

/**
 * What this suite does not state, no caller may rely on. `open` opens the index in a directory, or
 * under its name; `opener` is the module that exports it, for the other processes of the suite to
 * load. `alter` changes stored bytes. An import that is killed has `identities`, a whole number of
 * thousands.
 */
export function exposureIndexSuite(
  engine: string,
  open: (directory: string) => Promise<ExposureIndex>,
  opener: URL,
  alter: AlterStored,
  identities = soak ? 20_000 : 10_000,
  newestFormat = INDEX_FORMAT,
): void {
  const opened = async (t: TestContext): Promise<Opened> => {
    const directory = await temporaryDirectory(t)
    const index = await open(directory)
    t.after(() => index.close())
    return { index, directory }
  }

  test(`${engine}: an identity never seen has no entries, and the answer carries the catalogue`, async (t) => {
    const { index } = await opened(t)
    const found = await index.lookup(alice, null)
    assert.deepEqual(found.entries, [])
    assert.equal(found.cut, 0)
    assert.deepEqual(found.catalogue.batches, new Map())
    assert.deepEqual(found.catalogue, await index.catalogue())
  })

  test(`${engine}: a batch is seen while it is live, not while it loads and not after it was removed`, async (t) => {
    const { index } = await opened(t)
    const batch = await index.openBatch(source, "file", 1)
    assert.equal(batch.state, "loading")
    assert.equal(await index.merge(batch.id, [row(alice, batch.id)]), 1)
    assert.deepEqual((await index.lookup(alice, null)).entries, [])

    const before = await index.catalogue()
    const live = await index.goLive(batch.id, { rows: 1, identities: 1 }, 2)
    assert.ok(live.version > before.version)
    const found = await index.lookup(alice, null)
    assert.deepEqual(found.entries, [{ ...breach, batchId: batch.id, owner: "shared" }])
    assert.equal(found.catalogue.version, live.version)
    assert.equal(found.catalogue.sources.get(batch.sourceId)?.name, source.name)
    assert.deepEqual((await index.lookup(bob, null)).entries, [])
    const { state, rows, identities, liveAt } = found.catalogue.batches.get(batch.id) ?? batch
    assert.deepEqual(
      { state, rows, identities, liveAt },
      { state: "live", rows: 1, identities: 1, liveAt: 2 },
    )

    const removed = await index.removeBatch(batch.id, 3)
    assert.equal(removed.batches.get(batch.id)?.state, "removed")
    assert.deepEqual((await index.lookup(alice, null)).entries, [])
  })

  test(`${engine}: a copy is the index of one moment and can take its place; where there are no files nothing is written`, async (t) => {
    const { index } = await opened(t)
    await index.checkKeyCheckValue("of a secret")
    const first = await importedBatch(index, "first", [alice])
    await index.erase(bob)
    const own = await ownBatch(index, "own", 7)
    await index.addTenantEvidence(7, [row(alice, own)])
    const before = await index.lookup(alice, 7)
    const directory = join(await temporaryDirectory(t), "copy")
    const copied = await index.copyTo(directory)
    await index.removeBatch(first, 3)
    assert.equal(existsSync(directory), copied)
    if (!copied) return
    const copy = await open(directory)
    t.after(() => copy.close())
    assert.deepEqual(await copy.lookup(alice, 7), before)
    assert.equal((await copy.lookup(bob, null)).erased, true)
    await assert.rejects(copy.checkKeyCheckValue("of another"), { code: "wrong-secret" })
    const later = await importedBatch(copy, "later", [keyOf(-3)])
    assert.equal((await copy.lookup(keyOf(-3), null)).entries[0]?.batchId, later)
    assert.deepEqual((await index.lookup(keyOf(-3), null)).entries, [])
  })

  test(`${engine}: a source goes with all its batches at once, and others stay`, async (t) => {
    const { index } = await opened(t)
    const first = await importedBatch(index, "first", [alice])
    const second = await importedBatch(index, "second", [alice, bob])
    const loading = await index.openBatch(source, "loading", 1)
    const other = await index.openBatch({ ...source, name: "other" }, "other", 1)
    await index.merge(other.id, [row(bob, other.id)])
    await index.goLive(other.id, { rows: 1, identities: 1 }, 2)

    const { version } = await index.catalogue()
    const removed = await index.removeSource(other.sourceId - 1, 3)
    assert.equal(removed.version, version + 1)
    for (const id of [first, second, loading.id]) {
      assert.equal(removed.batches.get(id)?.state, "removed")
    }
    assert.deepEqual((await index.lookup(alice, null)).entries, [])
    assert.deepEqual(
      (await index.lookup(bob, null)).entries.map(({ batchId }) => batchId),
      [other.id],
    )
    await assert.rejects(index.merge(loading.id, [row(bob, loading.id)]), BatchRefused)
    await assert.rejects(index.removeSource(99, 4), BatchRefused)
    assert.equal((await index.removeSource(other.sourceId - 1, 4)).version, version + 1)

    const again = await importedBatch(index, "first", [alice])
    assert.notEqual(again, first)
    assert.equal((await index.lookup(alice, null)).entries.length, 1)
  })

  test(`${engine}: sources change together, and only by who has seen the catalogue as it is`, async (t) => {
    const { index } = await opened(t)
    await importedBatch(index, "file", [alice])
    const { id } = await index.openBatch({ ...source, name: "other" }, "other", 1)
    await index.goLive(id, { rows: 0, identities: 0 }, 2)
    const { version } = await index.catalogue()
    const changes = new Map([
      [1, { title: "One", circulates: true }],
      [2, { title: "Two" }],
    ])
    assert.equal(await index.changeSources(changes, version - 1), null)
    assert.equal((await index.catalogue()).version, version)
    const changed = await index.changeSources(changes, version)
    assert.equal(changed?.version, version + 1)
    const { catalogue } = await index.lookup(alice, null)
    assert.deepEqual(
      [...catalogue.sources.values()].map(({ title, circulates }) => [title, circulates]),
      [
        ["One", true],
        ["Two", false],
      ],
    )
    assert.equal((await index.changeSources(changes, version + 1))?.version, version + 1)
    const unknown = new Map([[99, { title: "None" }]])
    await assert.rejects(index.changeSources(unknown, version + 1), BatchRefused)
  })

  test(`${engine}: only a loading batch takes rows, and only rows that name it`, async (t) => {
    const { index } = await opened(t)
    const other = await importedBatch(index, "other", [])
    const batch = await index.openBatch(source, "file", 1)
    await assert.rejects(index.merge(other, [row(alice, other)]), BatchRefused)
    await assert.rejects(index.merge(99, [row(alice, 99)]), BatchRefused)
    await assert.rejects(index.merge(batch.id, [row(alice, other)]), BatchRefused)
    await assert.rejects(index.merge(batch.id, [row(alice.subarray(1), batch.id)]), RangeError)
    await index.removeBatch(batch.id, 2)
    await assert.rejects(index.merge(batch.id, [row(alice, batch.id)]), BatchRefused)
    await assert.rejects(index.goLive(batch.id, { rows: 0, identities: 0 }, 3), BatchRefused)
    assert.deepEqual((await index.lookup(alice, null)).entries, [])
    assert.equal((await index.stats()).identities, 0)
  })

  test(`${engine}: rows come from an array, a generator or a stream, however many`, async (t) => {
    const { index } = await opened(t)
    const batch = await index.openBatch(source, "file", 1)
    async function* stream(): AsyncGenerator<Row> {
      yield* importRows(batch.id, MANY)
    }
    assert.equal(await index.merge(batch.id, stream()), MANY)
    assert.equal(await index.merge(batch.id, importRows(batch.id, MANY)), MANY)
    await index.goLive(batch.id, { rows: MANY, identities: MANY }, 2)
    assert.equal((await index.stats()).identities, MANY)
    assert.equal((await index.lookup(keyOf(MANY - 1), null)).entries.length, 1 + ((MANY - 1) % 3))
  })

  test(`${engine}: the same fingerprint is the same batch, whatever its state`, async (t) => {
    const { index } = await opened(t)
    const { id } = await index.openBatch(source, "file", 1)
    const { version } = await index.catalogue()
    assert.equal((await index.openBatch(source, "file", 2)).id, id)
    assert.equal((await index.catalogue()).version, version)
    const live = await index.goLive(id, { rows: 5, identities: 4 }, 3)
    assert.equal((await index.openBatch(source, "file", 4)).state, "live")
    assert.deepEqual(await index.goLive(id, { rows: 0, identities: 0 }, 5), live)
    const removed = await index.removeBatch(id, 6)
    assert.equal((await index.openBatch(source, "file", 7)).state, "removed")
    assert.deepEqual(await index.removeBatch(id, 8), removed)
    assert.notEqual((await index.openBatch(source, "another file", 9)).id, id)
    assert.notEqual((await index.openBatch(source, "file", 9, 7)).id, id)
  })

  test(`${engine}: neither the order of imports nor a repeated one changes an answer`, async (t) => {
    const keys = [alice, bob, keyOf(-3)]
    const batches = fc.array(
      fc.array(fc.tuple(fc.nat(2), fc.array(anyEntry(fc.constant(1)), { maxLength: 4 })), {
        maxLength: 6,
      }),
      { minLength: 2, maxLength: 4 },
    )
    const orders = batches.chain((given) =>
      fc.tuple(
        fc.constant(given),
        fc.shuffledSubarray([...given.keys()], { minLength: given.length }),
        fc.subarray([...given.keys()]),
      ),
    )
    await fc.assert(
      fc.asyncProperty(orders, async ([given, order, repeated]) => {
        const answers = async (sequence: readonly number[]): Promise<string> => {
          const { index } = await opened(t)
          for (const i of given.keys()) await index.openBatch(source, `file ${i}`, 1)
          for (const i of sequence) {
            const batchId = i + 1
            const rows = (given[i] ?? []).map(([key, entries]) => ({
              key: keys[key] ?? alice,
              entries: entries.map((entry) => ({ ...entry, batchId })),
            }))
            await index.merge(batchId, rows)
          }
          for (const i of new Set(sequence)) {
            await index.goLive(i + 1, { rows: 0, identities: 0 }, 2)
          }
          const found = await Promise.all(keys.map((key) => index.lookup(key, null)))
          await index.close()
          return JSON.stringify(found.map(seen))
        }
        assert.equal(await answers([...order, ...repeated]), await answers([...given.keys()]))
      }),
      { seed: 5, numRuns: soak ? 50 : 7 },
    )
  })

  test(`${engine}: an answer rests on 256 entries at most and says how many were cut`, async (t) => {
    const { index } = await opened(t)
    const first = await index.openBatch(source, "first", 1)
    const second = await index.openBatch(source, "second", 1)
    await index.merge(first.id, [{ key: alice, entries: days(300, first.id, "breach") }])
    await index.goLive(first.id, { rows: 300, identities: 1 }, 2)
    const alone = await index.lookup(alice, null)
    assert.equal(alone.entries.length, 256)
    assert.equal(alone.cut, 44)
    assert.equal(Math.min(...alone.entries.map(({ hours }) => hours)), 24 * 45)

    // The second batch is not visible yet, so it must take no place from the first.
    await index.merge(second.id, [{ key: alice, entries: days(300, second.id, "stealer") }])
    assert.deepEqual(seen(await index.lookup(alice, null)), seen(alone))
    await index.merge(second.id, [{ key: alice, entries: days(300, second.id, "stealer") }])
    await index.goLive(second.id, { rows: 300, identities: 1 }, 3)
    const both = await index.lookup(alice, null)
    assert.equal(both.entries.length, 256)
    assert.ok(both.entries.every(({ kind }) => kind === "stealer"))
    assert.equal(both.cut, 344)

    await index.removeBatch(second.id, 4)
    assert.deepEqual(seen(await index.lookup(alice, null)), seen(alone))
  })

  test(`${engine}: a tenant's evidence is the tenant's alone, and seen at once`, async (t) => {
    const { index } = await opened(t)
    await importedBatch(index, "shared", [alice, bob])
    const everyone = seen(await index.lookup(alice, null))
    const own = await index.openBatch({ ...source, name: "reports" }, "reports", 1, 7)
    const evidence: Row = {
      key: alice,
      entries: [{ ...breach, kind: "fraud_report", batchId: own.id }],
    }
    const sent = { tenantId: 7, batchId: own.id, rows: [evidence] }
    const replace = ({ tenantId, batchId, rows }: typeof sent): Promise<void> =>
      index.replaceTenantEvidence(tenantId, batchId, rows)
    await assert.rejects(replace(sent), BatchRefused)
    await assert.rejects(index.addFirstTenantEvidence(7, [evidence]), BatchRefused)
    await assert.rejects(index.addTenantEvidence(7, [evidence]), BatchRefused)
    await index.goLive(own.id, { rows: 0, identities: 0 }, 2)
    await assert.rejects(replace({ ...sent, tenantId: 8 }), BatchRefused)
    await assert.rejects(index.addFirstTenantEvidence(8, [evidence]), BatchRefused)
    await assert.rejects(index.addTenantEvidence(8, [evidence]), BatchRefused)
    await assert.rejects(replace({ ...sent, batchId: 1 }), BatchRefused)
    await assert.rejects(replace({ ...sent, batchId: 1, rows: [row(alice, 1)] }), BatchRefused)
    await assert.rejects(replace({ ...sent, rows: [row(alice, 1)] }), BatchRefused)
    await assert.rejects(replace({ ...sent, batchId: 99, rows: [] }), BatchRefused)
    await assert.rejects(index.addFirstTenantEvidence(7, [row(alice, 1)]), BatchRefused)
    await assert.rejects(index.addTenantEvidence(7, [row(alice, 1)]), BatchRefused)
    assert.deepEqual(seen(await index.lookup(alice, 7)), everyone)

    await replace(sent)
    await replace(sent)
    const found = await index.lookup(alice, 7)
    assert.deepEqual(
      found.entries.map(({ kind, owner }) => ({ kind, owner })),
      [
        { kind: "breach", owner: "shared" },
        { kind: "fraud_report", owner: 7 },
      ],
    )
    for (const other of [null, 8, 0]) {
      assert.deepEqual(seen(await index.lookup(alice, other)), everyone)
    }
    assert.equal((await index.lookup(bob, 7)).entries.length, 1)
    assert.equal((await index.stats()).tenantIdentities, 1)
    await index.removeBatch(own.id, 3)
    assert.deepEqual(seen(await index.lookup(alice, 7)), everyone)
  })

  test(`${engine}: a tenant's import goes live like any other, for the tenant alone, with 64 entries each`, async (t) => {
    const { index } = await opened(t)
    const batch = await index.openBatch(source, "file", 1, 7)
    await index.merge(batch.id, [{ key: alice, entries: days(70, batch.id, "breach") }])
    assert.deepEqual((await index.lookup(alice, 7)).entries, [])
    await index.goLive(batch.id, { rows: 70, identities: 1 }, 2)
    const found = await index.lookup(alice, 7)
    assert.equal(found.entries.length, 64)
    assert.equal(found.cut, 6)
    assert.ok(found.entries.every(({ owner }) => owner === 7))
    for (const other of [null, 8]) {
      const { entries, cut } = await index.lookup(alice, other)
      assert.deepEqual({ entries, cut }, { entries: [], cut: 0 })
    }
  })

  test(`${engine}: replacing leaves exactly the row's entries of that batch, and every other batch as it is`, async (t) => {
    const { index } = await opened(t)
    const reports = await ownBatch(index, "reports", 7)
    const others = await ownBatch(index, "others", 7)
    await index.replaceTenantEvidence(7, others, [row(alice, others)])
    const say = (kinds: readonly Entry["kind"][]): Row => ({
      key: alice,
      entries: kinds.map((kind) => ({ ...breach, kind, batchId: reports })),
    })
    const kindsOf = async (batchId: number, key = alice): Promise<string[]> =>
      (await index.lookup(key, 7)).entries
        .filter((entry) => entry.batchId === batchId)
        .map(({ kind }) => kind)
        .sort()
    for (const kinds of [["attack", "monetized"], ["fraud_confirmed"], [], ["attack"]] as const) {
      await index.replaceTenantEvidence(7, reports, [say(kinds), { ...say(kinds), key: bob }])
      assert.deepEqual(await kindsOf(reports), [...kinds])
      assert.deepEqual(await kindsOf(reports, bob), [...kinds])
      assert.deepEqual(await kindsOf(others), ["breach"])
    }
    await index.replaceTenantEvidence(7, reports, [say([]), { ...say([]), key: bob }])
    await index.replaceTenantEvidence(7, others, [{ key: alice, entries: [] }])
    assert.equal((await index.stats()).tenantIdentities, 0)
  })

  test(`${engine}: an identity is restated by what is asked for, and other batches stay`, async (t) => {
    const { index } = await opened(t)
    const reports = await ownBatch(index, "reports", 7)
    const others = await ownBatch(index, "others", 7)
    await index.replaceTenantEvidence(7, others, [row(alice, others)])
    const restate = async (...kinds: readonly Entry["kind"][]): Promise<void> => {
      const entries = kinds.map((kind) => ({ ...breach, kind, batchId: reports }))
      await index.restateTenantEvidence(7, reports, alice, async () => entries)
    }
    const kinds = async (): Promise<string[]> =>
      (await index.lookup(alice, 7)).entries.map(({ kind }) => kind).sort()
    const { identities, tenantIdentities } = await index.stats()
    await restate("attack", "monetized")
    assert.deepEqual(await kinds(), ["attack", "breach", "monetized"])
    await restate("fraud_confirmed")
    assert.deepEqual(await kinds(), ["breach", "fraud_confirmed"])
    await restate()
    assert.deepEqual(await kinds(), ["breach"])
    const strange = { ...breach, batchId: others }
    const asked = index.restateTenantEvidence(7, reports, alice, async () => [strange])
    await assert.rejects(asked, BatchRefused)
    const failing = index.restateTenantEvidence(7, reports, alice, async () => {
      throw new RangeError("nothing can be said")
    })
    await assert.rejects(failing, RangeError)
    assert.deepEqual(await kinds(), ["breach"])
    const after = await index.stats()
    assert.deepEqual([after.identities, after.tenantIdentities], [identities, tenantIdentities])
  })

  test(`${engine}: rows are replaced together or not at all`, async (t) => {
    const { index } = await opened(t)
    const batchId = await ownBatch(index, "reports", 7)
    await index.replaceTenantEvidence(7, batchId, [row(alice, batchId)])
    const before = seen(await index.lookup(alice, 7))
    const impossible = { ...breach, batchId, hours: -1 }
    const rows = [
      { key: alice, entries: [] },
      { key: bob, entries: [impossible] },
    ]
    await assert.rejects(index.replaceTenantEvidence(7, batchId, rows), RangeError)
    assert.deepEqual(seen(await index.lookup(alice, 7)), before)
    assert.deepEqual((await index.lookup(bob, 7)).entries, [])
  })

  test(`${engine}: adding leaves what was there, in every batch, and adding again changes nothing`, async (t) => {
    const { index } = await opened(t)
    const soc = await ownBatch(index, "soc", 7)
    const reports = await ownBatch(index, "reports", 7)
    const on = (day: number, batchId: number): Entry => ({ ...breach, hours: 24 * day, batchId })
    const daysOf = async (key: Uint8Array, tenantId: number | null): Promise<number[][]> =>
      (await index.lookup(key, tenantId)).entries.map(({ hours, batchId }) => [hours / 24, batchId])
    await index.addTenantEvidence(7, [{ key: alice, entries: [on(5, soc)] }])
    const more = [
      { key: alice, entries: [on(5, soc), on(6, soc), on(5, reports)] },
      { key: bob, entries: [on(9, reports)] },
    ]
    for (let twice = 0; twice < 2; twice++) {
      await index.addTenantEvidence(7, more)
      assert.deepEqual(
        (await daysOf(alice, 7)).sort(),
        [
          [5, soc],
          [5, reports],
          [6, soc],
        ].sort(),
      )
      assert.deepEqual(await daysOf(bob, 7), [[9, reports]])
    }
    for (const other of [null, 8]) assert.deepEqual(await daysOf(alice, other), [])
    const impossible = { key: bob, entries: [{ ...on(1, soc), hours: -1 }] }
    const rows = [{ key: alice, entries: [on(7, soc)] }, impossible]
    await assert.rejects(index.addTenantEvidence(7, rows), RangeError)
    assert.equal((await daysOf(alice, 7)).length, 3)
    await index.addTenantEvidence(7, [{ key: bob, entries: days(80, soc, "breach") }])
    const { entries, cut } = await index.lookup(bob, 7)
    assert.deepEqual({ entries: entries.length, cut }, { entries: 64, cut: 17 })
    await index.erase(alice)
    await index.addTenantEvidence(7, more)
    assert.deepEqual(await daysOf(alice, 7), [])
  })

  test(`${engine}: of marks the first stays, by batch and identity`, async (t) => {
    const { index } = await opened(t)
    const marks = await ownBatch(index, "marks", 7)
    const reports = await ownBatch(index, "reports", 7)
    const mark = (key: Uint8Array, day: number): Row => ({
      key,
      entries: [{ ...breach, kind: "decided", secret: "none", hours: 24 * day, batchId: marks }],
    })
    const daysOf = async (key: Uint8Array, tenantId: number | null): Promise<number[]> =>
      (await index.lookup(key, tenantId)).entries
        .filter(({ kind }) => kind === "decided")
        .map(({ hours }) => hours / 24)
    await index.replaceTenantEvidence(7, reports, [row(alice, reports)])
    await index.addFirstTenantEvidence(7, [mark(alice, 5)])
    await index.addFirstTenantEvidence(7, [mark(alice, 3), mark(bob, 9), mark(alice, 5)])
    assert.deepEqual(await daysOf(alice, 7), [5])
    assert.deepEqual(await daysOf(bob, 7), [9])
    for (const other of [null, 8]) assert.deepEqual(await daysOf(alice, other), [])
    await index.replaceTenantEvidence(7, reports, [{ key: alice, entries: [] }])
    assert.deepEqual(await daysOf(alice, 7), [5])
  })

  test(`${engine}: where 64 entries are taken, feedback pushes marks and readings out, and never the reverse`, async (t) => {
    const { index } = await opened(t)
    const batchId = await ownBatch(index, "feedback", 7)
    const marks = await ownBatch(index, "marks", 7)
    const readings = await ownBatch(index, "readings", 7)
    const mark = { ...breach, kind: "decided" as const, hours: 24 * 900, batchId: marks }
    const feedback = (["fraud_confirmed", "good_history", "ownership_verified"] as const).map(
      (kind) => ({ ...breach, kind, hours: 24, batchId }),
    )
    const kinds = async (): Promise<Set<string>> =>
      new Set((await index.lookup(alice, 7)).entries.map(({ kind }) => kind))
    await index.addFirstTenantEvidence(7, [{ key: alice, entries: [mark] }])
    const delivered = { key: alice, entries: days(64, readings, "delivered") }
    await index.replaceTenantEvidence(7, readings, [delivered])
    assert.deepEqual(await kinds(), new Set(["delivered"]))
    await index.replaceTenantEvidence(7, batchId, [{ key: alice, entries: feedback }])
    await index.addFirstTenantEvidence(7, [{ key: alice, entries: [mark] }])
    const full = await index.lookup(alice, 7)
    assert.deepEqual(await kinds(), new Set(["delivered", ...feedback.map(({ kind }) => kind)]))
    assert.deepEqual({ entries: full.entries.length, cut: full.cut }, { entries: 64, cut: 4 })
    // Repeating it counts nothing a second time.
    await index.replaceTenantEvidence(7, batchId, [{ key: alice, entries: feedback }])
    assert.deepEqual(seen(await index.lookup(alice, 7)), seen(full))
  })

  test(`${engine}: tenant evidence is in the next lookup of a process already running`, async (t) => {
    const { index, directory } = await opened(t)
    const batchId = await ownBatch(index, "reports", 7)
    const other = await secondProcess(t, opener, directory)
    const count = { verb: "count", key: Buffer.from(alice).toString("hex"), tenantId: 7 } as const
    assert.equal(await other.ask(count), 0)
    await index.replaceTenantEvidence(7, batchId, [row(alice, batchId)])
    assert.equal(await other.ask(count), 1)
    await index.replaceTenantEvidence(7, batchId, [{ key: alice, entries: [] }])
    assert.equal(await other.ask(count), 0)
  })

  test(`${engine}: a replacement that a process was told is done outlives its being killed at once`, async (t) => {
    const directory = await temporaryDirectory(t)
    const other = await secondProcess(t, opener, directory)
    assert.equal(await other.ask({ verb: "replace", tenantId: 7, identities: 10 }), "replaced")
    await other.kill()
    const index = await open(directory)
    t.after(() => index.close())
    assert.equal((await index.lookup(keyOf(9), 7)).entries.length, 1)
    assert.equal((await index.lookup(keyOf(9), 8)).entries.length, 0)
  })

  test(`${engine}: a batch made live here is in the next lookup of a process already running`, async (t) => {
    const { index, directory } = await opened(t)
    const other = await secondProcess(t, opener, directory)
    const key = Buffer.from(alice).toString("hex")
    const batch = await index.openBatch(source, "file", 1)
    await index.merge(batch.id, [row(alice, batch.id)])
    assert.equal(await other.ask({ verb: "count", key }), 0)
    await index.goLive(batch.id, { rows: 1, identities: 1 }, 2)
    assert.equal(await other.ask({ verb: "count", key }), 1)
    await index.removeBatch(batch.id, 3)
    assert.equal(await other.ask({ verb: "count", key }), 0)
  })

  test(`${engine}: a batch made live by another process is in the very next lookup here`, async (t) => {
    const { index, directory } = await opened(t)
    assert.equal((await index.lookup(keyOf(1), null)).entries.length, 0)
    // Holds up this process meanwhile: no timer runs between the two lookups that could drop a
    // snapshot of the first.
    const command: Command = { verb: "import", fingerprint: "file", identities: 10 }
    const { stdout } = spawnSync(process.execPath, programArguments(opener, directory), {
      input: `${JSON.stringify(command)}\n`,
      stdio: ["pipe", "pipe", "inherit"],
      env: sourceEnvironment,
    })
    assert.match(stdout.toString(), /"live"\n$/)
    const found = await index.lookup(keyOf(1), null)
    assert.equal(found.entries.length, 2)
    assert.equal(found.catalogue.batches.get(1)?.state, "live")
  })

  test(`${engine}: what a process was told is done outlives its being killed at once`, async (t) => {
    const directory = await temporaryDirectory(t)
    const other = await secondProcess(t, opener, directory)
    other.tell({ verb: "import", fingerprint: "file", identities: 10 })
    await other.said((answer) => answer === "live")
    await other.kill()
    const index = await open(directory)
    t.after(() => index.close())
    assert.equal((await index.lookup(keyOf(1), null)).entries.length, 2)
  })

  test(`${engine}: an import killed ${KILLS} times is invisible, and repeated ends as if it never was`, async (t) => {
    const undisturbed = await opened(t)
    const { index, directory } = await opened(t)
    for (const each of [undisturbed.index, index]) await importedBatch(each, "earlier", someKeys())
    const batch = await undisturbed.index.openBatch(source, "file", 1)
    await undisturbed.index.merge(batch.id, importRows(batch.id, identities))
    await undisturbed.index.goLive(batch.id, { rows: identities, identities }, 2)

    const before = await digest(index, identities)
    const command: Command = { verb: "import", fingerprint: "file", identities }
    for (let kill = 0; kill < KILLS; kill++) {
      const other = await secondProcess(t, opener, directory)
      other.tell(command)
      const rows = PROGRESS_ROWS * (1 + ((kill * 7) % (identities / PROGRESS_ROWS - 1)))
      await other.said((answer) => (answer as { rows?: number }).rows === rows)
      await other.kill()
      assert.equal((await index.catalogue()).batches.get(batch.id)?.state, "loading")
      assert.equal(await digest(index, identities), before)
    }
    const other = await secondProcess(t, opener, directory)
    other.tell(command)
    await other.said((answer) => answer === "live")
    assert.notEqual(await digest(index, identities), before)
    assert.equal(await digest(index, identities), await digest(undisturbed.index, identities))
    // 300 entries of this import and one of the earlier, each counted once however often they were
    // merged.
    assert.equal((await index.lookup(keyOf(1_000), null)).cut, 301 - 256)
  })

  test(`${engine}: another master secret is refused, also after reopening`, async (t) => {
    const { index, directory } = await opened(t)
    await index.checkKeyCheckValue("a")
    await index.checkKeyCheckValue("a")
    await assert.rejects(index.checkKeyCheckValue("b"), { code: "wrong-secret" })
    await assert.rejects(index.checkKeyCheckValue(""), { code: "wrong-secret" })
    await index.close()
    const reopened = await open(directory)
    t.after(() => reopened.close())
    await assert.rejects(reopened.checkKeyCheckValue("b"), { code: "wrong-secret" })
    await reopened.checkKeyCheckValue("a")
  })

  test(`${engine}: keys of identity/v1 are refused as a whole, with what to do`, async (t) => {
    const { index } = await opened(t)
    await index.checkKeyCheckValue("0123456789abcdef")
    await assert.rejects(index.checkKeyCheckValue("v2:0123456789abcdef"), {
      code: "old-keys",
      message:
        "The index holds keys of identity/v1, which this program cannot use and cannot convert. Make a new data directory (in a cluster also an index of another name) and import again.",
    })
  })

  test(`${engine}: closing and opening again keeps everything`, async (t) => {
    const { index, directory } = await opened(t)
    await importedBatch(index, "shared", [alice])
    const loading = await index.openBatch(source, "loading", 1)
    const own = await index.openBatch(source, "own", 1, 7)
    await index.goLive(own.id, { rows: 0, identities: 0 }, 2)
    await index.replaceTenantEvidence(7, own.id, [row(alice, own.id)])
    const found = await index.lookup(alice, 7)
    assert.equal(found.entries.length, 2)
    await index.close()
    await assert.rejects(index.lookup(alice, 7), IndexUnavailable)
    await assert.rejects(index.ping(), IndexUnavailable)
    await assert.rejects(index.merge(loading.id, [row(bob, loading.id)]), IndexUnavailable)

    const reopened = await open(directory)
    t.after(() => reopened.close())
    assert.deepEqual(await reopened.lookup(alice, 7), found)
    await reopened.ping()
  })

  test(`${engine}: a sample covers the identities of everyone and of tenants`, async (t) => {
    const { index } = await opened(t)
    assert.deepEqual(await index.sample(10), { read: 0, faults: 0 })
    await importedBatch(index, "shared", someKeys())
    const own = await index.openBatch(source, "own", 1, 7)
    await index.goLive(own.id, { rows: 0, identities: 0 }, 2)
    await index.replaceTenantEvidence(7, own.id, [row(alice, own.id)])
    const { read, faults } = await index.sample(10_000)
    assert.equal(faults, 0)
    assert.equal(read, 101)
    const few = await index.sample(10)
    assert.ok(few.read > 1 && few.read <= 20)
    const { identities, tenantIdentities, bytes, format } = await index.stats()
    assert.deepEqual(
      { identities, tenantIdentities, format },
      { identities: 100, tenantIdentities: 1, format: newestFormat },
    )
    assert.ok(bytes > 0)
  })

  test(`${engine}: a key of another length is a mistake, not an unknown identity`, async (t) => {
    const { index } = await opened(t)
    await assert.rejects(index.lookup(alice.subarray(0, 15), null), RangeError)
    await assert.rejects(index.lookup(new Uint8Array(0), null), RangeError)
  })

  segmentSuite(engine, opened, opener)
  sharedSuite(engine, opened)
  subjectSuite(engine, opened, open, opener)
  damageSuite(engine, opened, alter)
}

function someKeys(): Uint8Array[] {
  return Array.from({ length: 100 }, (_, i) => keyOf(200 * i))
}

/**
 * One number for what can be seen of imported identities: in a soak of all, otherwise of every
 * fifth, among them those of many entries and of an earlier batch.
 */
async function digest(index: ExposureIndex, identities: number): Promise<string> {
  const hash = createHash("sha256")
  const step = soak ? 1 : 5
  // Many at a time, as a service asks: one by one, a store across a network would mostly wait.
  for (let i = 0; i < identities; i += 500 * step) {
    const most = Math.min(500, (identities - i) / step)
    const keys = Array.from({ length: most }, (_, n) => keyOf(i + n * step))
    const found = await Promise.all(keys.map((key) => index.lookup(key, null)))
    for (const each of found) hash.update(JSON.stringify(seen(each)))
  }
  return hash.digest("hex")
}
