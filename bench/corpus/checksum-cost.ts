// What checksums cost a look-up and a merge: node --conditions=source bench/corpus/checksum-cost.ts
// [identities]
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { emptyCatalogue } from "../../packages/stores/src/catalogue.ts"
import type { ExposureIndex } from "../../packages/stores/src/exposure-index.ts"
import { CheckedDatabase } from "../../packages/stores/src/lmdb/checked-database.ts"
import { openEnvironment } from "../../packages/stores/src/lmdb/environment.ts"
import { openLmdbIndex } from "../../packages/stores/src/lmdb/exposure-index.ts"
import { FORMAT } from "../../packages/stores/src/lmdb/format.ts"
import { putDocument } from "../../packages/stores/src/lmdb/stored.ts"
import { keyOf, source } from "../../packages/stores/testing/exposure-index-process-suite.ts"
import { segmentBlocks } from "../../packages/stores/testing/segment-samples-suite.ts"
import { breach } from "../../packages/stores/testing/entry-samples-suite.ts"

const identities = Number(process.argv[2] ?? 100_000)
const LOOKUPS = 20_000
/** Each is measured so often in turn, and the fastest counts: others may use the machine. */
const ROUNDS = 9
const folder = mkdtempSync(join(tmpdir(), "assay-bench-checksum-"))

try {
  const opened = {
    "format 2, none": await written("old", true),
    "format 4": await written("new", false),
  }
  const fastest = new Map<string, number>()
  const note = (name: string, ns: number): void =>
    void fastest.set(name, Math.min(ns, fastest.get(name) ?? Infinity))
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, { index }] of Object.entries(opened)) {
      note(`${name}: found`, await nsEach(index, (i) => (i * 7) % identities))
      note(`${name}: unknown`, await nsEach(index, (i) => identities + i))
    }
  }
  for (const [name, ns] of fastest) console.log(`${name}: ${Math.round(ns)} ns a look-up`)
  for (const [name, { index, mergeMs, path }] of Object.entries(opened)) {
    const bytes = statSync(join(path, "data.mdb")).size / identities
    console.log(
      `${name}: merged in ${Math.round(mergeMs)} ms, ${bytes.toFixed(1)} bytes an identity`,
    )
    await index.close()
  }
} finally {
  rmSync(folder, { recursive: true })
}

async function written(
  name: string,
  old: boolean,
): Promise<{ index: ExposureIndex; mergeMs: number; path: string }> {
  const path = join(folder, name)
  if (old) {
    const environment = openEnvironment(path, "create", 2 ** 34)
    const meta = new CheckedDatabase(environment.meta.bare, false)
    await environment.root.transaction(() => {
      meta.put(FORMAT, Uint8Array.of(2))
      putDocument(meta, emptyCatalogue)
    })
    await environment.close()
  }
  const index = await openLmdbIndex({ path })
  const { id } = await index.openBatch(source, "file", 1)
  const rows = Array.from({ length: identities }, (_, i) => ({
    key: keyOf(i),
    entries: [{ ...breach, batchId: id }],
  }))
  const begun = performance.now()
  await index.mergeSegment(id, segmentBlocks(rows))
  const mergeMs = performance.now() - begun
  await index.goLive(id, { rows: identities, identities }, 2)
  return { index, mergeMs, path }
}

async function nsEach(index: ExposureIndex, person: (i: number) => number): Promise<number> {
  const keys = Array.from({ length: LOOKUPS }, (_, i) => keyOf(person(i)))
  const begun = performance.now()
  for (const key of keys) await index.lookup(key, null)
  return ((performance.now() - begun) * 1e6) / LOOKUPS
}
