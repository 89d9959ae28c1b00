import assert from "node:assert/strict"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { openDataDirectory } from "@assay/runtime/data-directory"
import { DAY_MS } from "@assay/runtime/time"
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
  removeLeftovers(directory, (file) => file === "served.parquet", now)
  assert.deepEqual(readdirSync(directory.segments).sort(), [
    "others.parquet",
    "served.parquet",
    "young.parquet",
  ])
  assert.deepEqual(readdirSync(directory.imports), ["young.json"])
  assert.deepEqual(readdirSync(directory.rejects), ["young.csv"])
})
