import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { openDataDirectory } from "@assay/runtime/data-directory"
import { DAY_MS } from "@assay/runtime/time"
import type { Catalogue } from "@assay/stores/exposure-index"
import { fileSha256 } from "@assay/runtime/file-sha256"
import {
  forgetKept,
  keepSegment,
  type KeptSegment,
  keptSegment,
  removeLeftovers,
  unfinishedSegment,
} from "./kept-segment.ts"

const temporary = mkdtempSync(join(tmpdir(), "assay-kept-"))
after(() => rmSync(temporary, { recursive: true }))
const directory = openDataDirectory(temporary)
for (const path of [directory.segments, directory.imports]) mkdirSync(path)
const now = Date.UTC(2026, 0, 31)

async function keep(fingerprint: string, startedAtMs: number): Promise<KeptSegment> {
  const path = unfinishedSegment(directory, fingerprint)
  writeFileSync(path, `segment ${fingerprint}`)
  const kept: KeptSegment = {
    startedAtMs,
    segment: {
      file: `${fingerprint}.parquet`,
      bytes: `segment ${fingerprint}`.length,
      sha256: await fileSha256(path),
    },
    rows: 3,
    keyedAs: { kind: "breach", eventDate: null },
    tally: { rows: 4, rejects: { blank: 1 }, kinds: { breach: 4 }, datings: { source: 4 } },
    rejects: "list.csv",
  }
  await keepSegment(directory, fingerprint, kept)
  return kept
}

test("a segment that is whole is found again; one that was changed, cut or lost is not", async () => {
  const { startedAtMs, ...rest } = await keep("a", now)
  const found = await keptSegment(directory, "a")
  assert.deepEqual({ ...found, ...rest, startedAtMs }, found)
  assert.equal(await keptSegment(directory, "b"), null)
  const path = join(directory.segments, "a.parquet")
  writeFileSync(path, "Segment a")
  assert.equal(await keptSegment(directory, "a"), null)
  writeFileSync(path, "segment")
  assert.equal(await keptSegment(directory, "a"), null)
  rmSync(path)
  assert.equal(await keptSegment(directory, "a"), null)
  writeFileSync(join(directory.imports, "a.json"), "{")
  assert.equal(await keptSegment(directory, "a"), null)
})

/** Of batches that rest on the segments of their names, as they are now. */
function catalogueOf(
  ...batches: readonly { fingerprint: string; state: "live" | "removed"; sha256?: string }[]
): Pick<Catalogue, "batches"> {
  return {
    batches: new Map(
      batches.map(({ fingerprint, state, sha256 }, id) => {
        const file = `${fingerprint}.parquet`
        const found = readFileSync(join(directory.segments, file))
        const digest = sha256 ?? createHash("sha256").update(found).digest("hex")
        const segment = { file, bytes: found.length, sha256: digest }
        const made = { sourceId: 1, owner: "shared" as const, rows: 3, identities: 3 }
        const times = { createdAt: 0, liveAt: 0, removedAt: state === "live" ? null : 1 }
        const kept = state === "live" ? { segment } : {}
        return [id, { id, ...made, ...times, ...kept, fingerprint, state }]
      }),
    ),
  }
}

test("what an import left goes once another node imported the same, and what is in use stays", async () => {
  const place = openDataDirectory(join(temporary, "other"))
  for (const path of [place.segments, place.imports]) mkdirSync(path)
  for (const name of ["taken-over", "differs", "same", "replaced"]) {
    const kept = await keep(name, now)
    for (const [from, to, file] of [
      [directory.segments, place.segments, kept.segment.file],
      [directory.imports, place.imports, `${name}.json`],
    ] as const)
      copyFileSync(join(from, file), join(to, file))
  }
  const catalogue = catalogueOf(
    { fingerprint: "taken-over", state: "removed" },
    { fingerprint: "differs", state: "live", sha256: "00".repeat(32) },
    { fingerprint: "same", state: "live" },
    { fingerprint: "replaced", state: "live", sha256: "00".repeat(32) },
  )
  // In a folder that several nodes share, another one has put its own there under the same name.
  writeFileSync(join(place.segments, "replaced.parquet"), "segment REPLACED")
  for (const name of ["young", "old"])
    writeFileSync(join(place.segments, `${name}.parquet.half`), "")
  const before = (now - 2 * 3_600_000) / 1000
  utimesSync(join(place.segments, "young.parquet.half"), now / 1000, now / 1000)
  utimesSync(join(place.segments, "old.parquet.half"), before, before)
  await removeLeftovers(place, catalogue, now)
  assert.deepEqual(readdirSync(place.segments).sort(), [
    "replaced.parquet",
    "same.parquet",
    "young.parquet.half",
  ])
  assert.deepEqual(readdirSync(place.imports).sort(), ["same.json"])
  for (const name of ["taken-over", "differs", "same", "replaced"]) {
    rmSync(join(directory.segments, `${name}.parquet`))
    forgetKept(directory, name)
  }
})

test("half-written files go at once, a segment that waits after seven days, one that is served never", async () => {
  forgetKept(directory, "a")
  await keep("young", now - 6 * DAY_MS)
  await keep("old", now - 8 * DAY_MS)
  await keep("served", now - 8 * DAY_MS)
  writeFileSync(join(directory.segments, "half.parquet.new"), "")
  writeFileSync(join(directory.segments, "others.parquet"), "")
  mkdirSync(join(directory.imports, "work", "spill"), { recursive: true })
  mkdirSync(directory.rejects, { recursive: true })
  writeFileSync(join(directory.rejects, "young.csv"), "")
  writeFileSync(join(directory.rejects, "half.csv.new"), "")
  await removeLeftovers(directory, catalogueOf({ fingerprint: "served", state: "live" }), now)
  assert.deepEqual(readdirSync(directory.segments).sort(), [
    "others.parquet",
    "served.parquet",
    "young.parquet",
  ])
  assert.deepEqual(readdirSync(directory.imports), ["young.json"])
  assert.deepEqual(readdirSync(directory.rejects), ["young.csv"])
})
