import assert from "node:assert/strict"
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { IDENTITY_TAGS, identityKey } from "@assay/core/identity"
import { type DataDirectory, openDataDirectory } from "@assay/runtime/data-directory"
import { deriveSecrets, sha256 } from "@assay/runtime/secrets"
import type { Batch, Entry, ExposureIndex } from "@assay/stores/exposure-index"
import { openLmdbIndex } from "@assay/stores/lmdb/exposure-index"
import { ImportFailure } from "./engine/import-failure.ts"
import { importCorpus } from "./import.ts"
import type { ImportProgress, ImportReport } from "./import-request.ts"
import { readKeptCatalogue } from "./kept-catalogue.ts"

const temporary = mkdtempSync(join(tmpdir(), "assay-import-"))
after(() => rmSync(temporary, { recursive: true, maxRetries: 5 }))
const secrets = deriveSecrets(Buffer.alloc(32, 7))
const list = join(temporary, "list.txt")
writeFileSync(list, "ana@mail.example:1\nbob@mail.example:2\n")

interface Run {
  readonly source?: string
  readonly onProgress?: (progress: ImportProgress, stop: () => void) => void
  readonly audit?: (action: string) => Promise<void>
  readonly isAudited?: () => Promise<boolean>
  readonly compact?: () => Promise<void>
  readonly openIndex?: () => Promise<ExposureIndex>
  readonly onUnfinished?: (report: ImportReport) => void
  readonly requireTurn?: () => Promise<void>
}

async function run(
  directory: DataDirectory,
  run: Run = {},
): Promise<ImportReport & { resumed: boolean }> {
  const { source = "s", onProgress, audit, isAudited, compact, openIndex, onUnfinished } = run
  const { requireTurn } = run
  const stopping = new AbortController()
  let resumed = false
  const report = await importCorpus(
    {
      paths: [list],
      hints: { map: {} },
      source: { name: source },
      rejects: null,
      memoryMb: 128,
      wait: false,
      importedBy: "ada",
    },
    {
      directory,
      secrets,
      program: process,
      pid: process.pid,
      now: Date.now,
      signal: stopping.signal,
      openIndex: openIndex ?? (() => openLmdbIndex({ path: directory.index })),
      audit: async ({ action }) => await audit?.(action),
      ...(isAudited && { isAudited }),
      compact: async () => await compact?.(),
      ...(requireTurn && {
        sharedTurn: async () => ({ require: requireTurn, release: async () => undefined }),
      }),
    },
    {
      waits: () => assert.fail("nobody else imports"),
      examined: () => undefined,
      resumes: () => void (resumed = true),
      progress: (progress) => onProgress?.(progress, () => stopping.abort()),
      compacts: () => undefined,
      unfinished: (live) => onUnfinished?.(live),
    },
  )
  return { ...report, resumed }
}

const stopWhileMerging: Run = {
  onProgress: ({ phase }, stop) => {
    if (phase === "merging") stop()
  },
}

async function using<T>(
  directory: DataDirectory,
  work: (index: ExposureIndex) => Promise<T>,
): Promise<T> {
  const index = await openLmdbIndex({ path: directory.index })
  return await work(index).finally(() => index.close())
}

async function batches(directory: DataDirectory): Promise<[Batch["id"], Batch["state"]][]> {
  const catalogue = await using(directory, (index) => index.catalogue())
  return [...catalogue.batches.values()].map(({ id, state }) => [id, state])
}

async function entriesOf(directory: DataDirectory): Promise<readonly Entry[]> {
  const key = identityKey(sha256, secrets.subkeys.identity, IDENTITY_TAGS.email, "ana@mail.example")
  return (await using(directory, (index) => index.lookup(key, null))).entries
}

test("what was stopped while merging goes on with its segment, and what broke after it with its audit entry", async () => {
  const directory = openDataDirectory(join(temporary, "resumed"))
  await assert.rejects(run(directory, stopWhileMerging), { name: "ImportFailure", code: "stopped" })
  assert.deepEqual(await batches(directory), [[1, "loading"]])
  assert.deepEqual(await entriesOf(directory), [])

  const refuse = async (): Promise<void> => {
    throw new Error("no records")
  }
  await assert.rejects(run(directory, { audit: refuse }), {
    name: "ImportFailure",
    code: "unfinished",
  })
  assert.deepEqual(await batches(directory), [[1, "live"]])
  assert.equal((await entriesOf(directory)).length, 1)

  const noted: string[] = []
  const note = async (action: string): Promise<void> => void noted.push(action)
  assert.equal((await run(directory, { audit: note })).changed, false)
  assert.equal((await run(directory, { audit: note })).changed, false)
  assert.deepEqual(noted, ["corpus.import"])
  assert.deepEqual(readdirSync(directory.imports), [])
})

const diskFull = Object.assign(new Error("zqxjkv"), { code: "ENOSPC" })

/** What can break after a batch is live, and the message of each. */
const BEHIND: [string, (directory: DataDirectory) => Run, RegExp][] = [
  [
    "the copy of the catalogue",
    // A folder stands where the file should be.
    (directory) => ({
      onProgress: ({ phase }) => {
        if (phase === "measuring")
          mkdirSync(join(directory.path, "catalogue.json"), { recursive: true })
      },
    }),
    /^Batch 1 of s is live, but the copy of its catalogue was not written \(EISDIR\); the same command again completes it$/,
  ],
  [
    "the audit entry",
    () => ({ audit: () => Promise.reject(diskFull) }),
    /^Batch 1 of s is live, but its entry in the audit trail was not written \(the disk is full\); the same command again completes it$/,
  ],
  [
    "the compaction",
    () => ({ compact: () => Promise.reject(diskFull) }),
    /^Batch 1 of s is live, but the index was not compacted \(the disk is full\); the same command again completes it$/,
  ],
]

for (const [what, breaking, said] of BEHIND) {
  test(`an import that breaks at ${what} says that its batch is live, and the same again completes it`, async () => {
    const directory = openDataDirectory(join(temporary, what.replaceAll(" ", "-")))
    const live: ImportReport[] = []
    const onUnfinished = (report: ImportReport): void => void live.push(report)
    await assert.rejects(run(directory, { ...breaking(directory), onUnfinished }), {
      name: "ImportFailure",
      code: "unfinished",
      message: said,
    })
    assert.deepEqual(
      live.map(({ changed, merged }) => [changed, merged.rows]),
      [[true, 2]],
    )
    assert.deepEqual(await batches(directory), [[1, "live"]])
    assert.equal((await entriesOf(directory)).length, 1)

    const copy = join(directory.path, "catalogue.json")
    if (statSync(copy, { throwIfNoEntry: false })?.isDirectory() === true) rmdirSync(copy)
    const done: string[] = []
    const again = await run(directory, {
      audit: async (action) => void done.push(action),
      compact: async () => void done.push("compacted"),
    })
    assert.deepEqual([again.changed, again.completed], [false, what !== "the compaction"])
    assert.deepEqual(
      done,
      what === "the compaction" ? ["compacted"] : ["corpus.import", "compacted"],
    )
    assert.equal(readKeptCatalogue(directory.path)?.batches.size, 1)
    assert.deepEqual(readdirSync(directory.imports), [])
  })
}

test("an import that lost its turn says so, whatever it met first, and one that has it says what it met", async () => {
  const directory = openDataDirectory(join(temporary, "turn"))
  const openIndex = async (): Promise<ExposureIndex> => {
    throw new Error("The cluster gives no answer in time")
  }
  const lost = async (): Promise<void> => {
    throw new ImportFailure("another-runs", "Another may have begun")
  }
  await assert.rejects(run(directory, { openIndex, requireTurn: lost }), { code: "another-runs" })
  const away = async (): Promise<void> => {
    throw new Error("The records are away")
  }
  for (const requireTurn of [async () => undefined, away])
    await assert.rejects(run(directory, { openIndex, requireTurn }), /^Error: The cluster gives/)
})

test("where another node made a batch live and was lost before it was audited, the same again audits it once", async () => {
  const directory = openDataDirectory(join(temporary, "elsewhere"))
  await assert.rejects(run(directory, { audit: () => Promise.reject(diskFull) }))
  // The note of its segment is on the other node.
  for (const name of readdirSync(directory.imports)) rmSync(join(directory.imports, name))
  const audited: string[] = []
  const audit = async (action: string): Promise<void> => void audited.push(action)
  const isAudited = async (): Promise<boolean> => audited.length > 0
  const completed = await run(directory, { audit, isAudited })
  assert.deepEqual([completed.changed, completed.completed], [false, true])
  const again = await run(directory, { audit, isAudited })
  assert.deepEqual([again.changed, again.completed], [false, false])
  assert.deepEqual(audited, ["corpus.import"])
  assert.deepEqual(await batches(directory), [[1, "live"]])
})

test("a batch of which it is not known whether it went live is looked up, and completed if it did", async () => {
  const directory = openDataDirectory(join(temporary, "unknown"))
  const report = await run(directory, {
    openIndex: async () => {
      const index = await openLmdbIndex({ path: directory.index })
      return {
        ...index,
        goLive: async (...args) => {
          await index.goLive(...args)
          throw new Error("the connection was lost")
        },
      }
    },
  })
  assert.equal(report.changed, true)
  assert.deepEqual(await batches(directory), [[1, "live"]])
})

test("a batch whose segment is gone is given up, so that two readings are never mixed; one that was removed comes again", async () => {
  const directory = openDataDirectory(join(temporary, "given-up"))
  await assert.rejects(run(directory, stopWhileMerging), { name: "ImportFailure", code: "stopped" })
  for (const name of readdirSync(directory.segments)) rmSync(join(directory.segments, name))
  assert.equal((await run(directory)).resumed, false)
  assert.deepEqual(await batches(directory), [
    [1, "removed"],
    [2, "live"],
  ])
  assert.equal((await entriesOf(directory)).length, 1)

  await using(directory, (index) => index.removeBatch(2, Date.now()))
  assert.deepEqual(await entriesOf(directory), [])
  const again = await run(directory)
  assert.deepEqual([again.resumed, again.changed, again.batch.id], [false, true, 3])
  assert.deepEqual(
    (await entriesOf(directory)).map(({ batchId }) => batchId),
    [3],
  )
})
