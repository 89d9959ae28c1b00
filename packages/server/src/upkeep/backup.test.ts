import assert from "node:assert/strict"
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test, type TestContext } from "node:test"
import { importWithSegment } from "@assay/corpus/testing/written-segment-suite"
import { type DataDirectory, openDataDirectory } from "@assay/runtime/data-directory"
import { openFeedbackWriter } from "../intake/feedback-writer.ts"
import { deriveSecrets } from "@assay/runtime/secrets"
import { importRows, keyOf } from "@assay/stores/testing/exposure-index-process-suite"
import type { ExposureIndex } from "@assay/stores/exposure-index"
import type { Tombstone } from "@assay/stores/records-subjects"
import { openLmdbIndex } from "@assay/stores/lmdb/exposure-index"
import { feedback, tenants } from "@assay/stores/testing/records-feedback-suite"
import type { Records } from "@assay/stores/records"
import { openSqliteRecords } from "@assay/stores/sqlite/records"
import { makeBackup } from "./make-backup.ts"
import { restoreBackup } from "./restore-backup.ts"
import { replays } from "../run/features.ts"
import { Explained } from "@assay/runtime/explained"

const secrets = deriveSecrets(new Uint8Array(32).fill(7))
const now = (): number => Date.UTC(2026, 2, 2)

interface Held {
  readonly folder: string
  readonly directory: DataDirectory
  readonly index: ExposureIndex
  readonly records: Records
  /** Makes a backup; `meanwhile` happens right after the index was copied. */
  backUp(meanwhile?: () => Promise<unknown>): Promise<unknown>
  /** Makes a backup of an index that is opened so. */
  backUpOf(openIndex: () => Promise<ExposureIndex>): Promise<unknown>
}

/** A data directory with one live batch, its index and records open as a service has them. */
async function held(t: TestContext): Promise<Held> {
  const folder = mkdtempSync(join(tmpdir(), "assay-backup-"))
  t.after(() => rmSync(folder, { recursive: true }))
  const directory = openDataDirectory(join(folder, "data"))
  const index = await openLmdbIndex({ path: directory.index })
  await index.checkKeyCheckValue(secrets.checkValue)
  await importWithSegment(index, directory.segments, "first", [...importRows(1, 20)], "")
  const records = await openSqliteRecords({
    file: directory.records,
    auditKey: secrets.subkeys.audit,
  })
  await records.migrate()
  await records.checkKeyCheckValue(secrets.checkValue)
  t.after(() => Promise.all([index.close(), records.close()]))
  const backUpOf: Held["backUpOf"] = (openIndex) =>
    makeBackup(join(folder, "backup"), {
      config: { databaseUrl: null, dataDirectory: directory.path },
      directory,
      secrets,
      pid: 1,
      now,
      signal: AbortSignal.abort(),
      note: () => undefined,
      openIndex,
    })
  return {
    folder,
    directory,
    index,
    records,
    backUpOf,
    backUp: (meanwhile = async () => undefined) =>
      backUpOf(async () => {
        const opened = await openLmdbIndex({ path: directory.index, readOnly: true })
        return {
          ...opened,
          async copyTo(to) {
            const copied = await opened.copyTo(to)
            await meanwhile()
            return copied
          },
        }
      }),
  }
}

/** Restores the backup and opens what is there then. */
async function restored(
  t: TestContext,
  folder: string,
  tombstones: readonly Tombstone[] = [],
): Promise<{ index: ExposureIndex; records: Records; directory: DataDirectory }> {
  const dataDirectory = join(folder, "restored")
  await restoreBackup(join(folder, "backup"), {
    config: {
      databaseUrl: null,
      dataDirectory,
      secretFile: join(folder, "secret"),
      auditHeadsFile: join(folder, "audit-heads"),
    },
    user: "shell:test",
    secrets,
    tombstones: async () => tombstones,
    replays,
    now,
    note: () => undefined,
  })
  const directory = openDataDirectory(dataDirectory)
  const index = await openLmdbIndex({ path: directory.index })
  const records = await openSqliteRecords({
    file: directory.records,
    auditKey: secrets.subkeys.audit,
  })
  t.after(() => Promise.all([index.close(), records.close()]))
  return { index, records, directory }
}

test("reports that arrive or end while a backup is made are in it as a whole", async (t) => {
  const { folder, index, records, backUp } = await held(t)
  const { acme, other } = await tenants({
    records,
    open: async () => records,
    execute: async () => undefined,
  })
  const writer = await openFeedbackWriter({ records, index, now })
  const { id: _, receivedAt: __, ...report } = feedback(acme, "")
  const before = await writer.submit({ ...report, identityKey: keyOf(1) }, null)
  assert.ok(before.state === "stored")
  await backUp(async () => {
    await writer.submit({ ...report, ...other, keyId: "k2", identityKey: keyOf(2) }, null)
    await writer.undo(before.id, acme.tenantId)
  })
  const after = await restored(t, folder)
  // One that was copied before it was noted as applied is due there, and applied once more.
  const there = { records: after.records, index: after.index, now: () => now() + 1000 }
  await (await openFeedbackWriter(there)).settleDue()
  for (const [key, tenantId, reports] of [
    [keyOf(1), acme.tenantId, 0],
    [keyOf(2), other.tenantId, 1],
    [keyOf(2), acme.tenantId, 0],
  ] as const) {
    const { entries } = await after.index.lookup(key, tenantId)
    assert.equal(entries.filter(({ owner }) => owner === tenantId).length, reports)
    assert.deepEqual(entries, (await index.lookup(key, tenantId)).entries)
    const identity = { tenantId, identityKey: key }
    assert.deepEqual(await after.records.feedbackOf(identity), await records.feedbackOf(identity))
  }
})

test("an erasure while a backup is made holds in what is restored", async (t) => {
  const { folder, index, records, backUp } = await held(t)
  await backUp(async () => {
    await records.eraseSubject({
      identityKey: keyOf(3),
      identityType: "email",
      tenantId: null,
      reason: "subject_request",
      reference: null,
      at: now(),
      actor: "test",
    })
    await index.erase(keyOf(3))
  })
  const after = await restored(t, folder)
  assert.equal((await after.index.lookup(keyOf(3), null)).erased, true)
  assert.equal((await after.index.lookup(keyOf(4), null)).erased, false)
})

test("a source removed while a backup is made, or a segment that is missing, fails it", async (t) => {
  const { folder, directory, index, backUp } = await held(t)
  await assert.rejects(
    backUp(() => index.removeSource(1, now())),
    new Explained("backup", "A source was removed while the backup was made; make it again"),
  )
  await assert.rejects(restored(t, folder), /is no backup, or one that was not finished/)
  assert.equal(existsSync(join(folder, "restored")), false)

  rmSync(join(folder, "backup"), { recursive: true })
  await importWithSegment(index, directory.segments, "second", [...importRows(2, 5)], "")
  rmSync(join(directory.segments, "second.parquet"))
  await assert.rejects(backUp(), /A segment of a live batch is missing/)
  await assert.rejects(restored(t, folder), { code: "backup" })
})

test("a backup that is not as it was written, or of another secret, is refused and nothing is written", async (t) => {
  const { folder, backUp } = await held(t)
  await backUp()
  const backup = join(folder, "backup")
  const at = (name: string): string => join(backup, name)
  const manifest = readFileSync(at("manifest.json"), "utf8")
  const withManifest = (text: string) => () => writeFileSync(at("manifest.json"), text)
  const cases: readonly [change: () => void, refusal: string][] = [
    [
      () => flipBit(at("segments/first.parquet"), 100),
      "The backup is damaged: segments/first.parquet is not what was written",
    ],
    [
      () => appendFileSync(at("records.ndjson"), "{}\n"),
      "The backup is damaged: records.ndjson is not what was written",
    ],
    [() => rmSync(at("decisions.ndjson")), "The backup lacks decisions.ndjson"],
    [
      () => writeFileSync(at("index/more"), ""),
      "The backup holds a file it does not know: index/more",
    ],
    [
      withManifest(manifest.replace('"format": 2', '"format": 3')),
      "The backup has format 3; this program knows formats up to 2. Use a newer Assay.",
    ],
    [withManifest("null"), `The manifest of ${backup} is damaged`],
    [withManifest("{}"), `The manifest of ${backup} is damaged`],
    [() => rmSync(at("manifest.json")), `${backup} is no backup, or one that was not finished`],
    [
      withManifest(manifest.replace(secrets.checkValue, "v2:0000000000000000")),
      "The backup was made with another master secret; put that one in place",
    ],
    [
      withManifest(manifest.replace(secrets.checkValue, "0123456789abcdef")),
      "The backup holds keys of identity/v1, which this program cannot use and cannot convert. Make a new data directory and import again.",
    ],
  ]
  const whole = join(folder, "whole")
  renameSync(backup, whole)
  for (const [change, refusal] of cases) {
    cpSync(whole, backup, { recursive: true })
    change()
    await assert.rejects(restored(t, folder), { code: "backup", message: refusal })
    assert.equal(existsSync(join(folder, "restored")), false)
    rmSync(backup, { recursive: true })
  }
  renameSync(whole, backup)
  await restored(t, folder)
})

function flipBit(path: string, at: number): void {
  const bytes = readFileSync(path)
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
  writeFileSync(path, bytes)
}

test("lists and models come along whatever their names, segments of removed batches do not", async (t) => {
  const { folder, directory, index, backUp } = await held(t)
  await importWithSegment(index, directory.segments, "second", [...importRows(2, 5)], "")
  await index.removeSource(2, now())
  for (const part of [directory.lists, directory.models]) {
    mkdirSync(part)
    writeFileSync(join(part, "our own, März.txt"), "x")
  }
  await backUp()
  const after = await restored(t, folder)
  assert.deepEqual(readdirSync(after.directory.lists), ["our own, März.txt"])
  assert.deepEqual(readdirSync(after.directory.models), ["our own, März.txt"])
  assert.deepEqual(readdirSync(after.directory.segments), ["first.parquet"])
})

test("an index that does not lie in files is no backup", async (t) => {
  const { folder, index, backUpOf } = await held(t)
  const made = backUpOf(async () => ({
    ...index,
    copyTo: async () => false,
    close: async () => undefined,
  }))
  await assert.rejects(made, { code: "backup" })
  await assert.rejects(restored(t, folder), { code: "backup" })
})
