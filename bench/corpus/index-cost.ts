// What a merge and a look-up cost in the index in files, and what it takes on the disk:
// node --conditions=source bench/corpus/index-cost.ts [identities] [identities between them]
import { createHash, randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { SegmentBlock } from "../../packages/stores/src/exposure-index.ts"
import { openLmdbIndex } from "../../packages/stores/src/lmdb/exposure-index.ts"
import { rowOfEntry } from "../../packages/stores/src/segment-block.ts"
import { source } from "../../packages/stores/testing/exposure-index-process-suite.ts"
import { breach } from "../../packages/stores/testing/entry-samples-suite.ts"
import { lookupCpuMicros } from "./look-ups.ts"

const identities = Number(process.argv[2] ?? 1_000_000)
const between = Number(process.argv[3] ?? 200_000)
const LOOKUPS = 100_000
const BLOCK_ROWS = 2_048
const KEY_BYTES = 16
const folder = mkdtempSync(join(tmpdir(), "assay-bench-index-"))
const index = await openLmdbIndex({ path: join(folder, "index") })

try {
  const keys = sortedKeys(identities, "first")
  await imported("into an empty index", keys)
  if (between > 0) await imported("between those", sortedKeys(between, "second"))
  const known = Array.from({ length: LOOKUPS }, (_, n) => {
    const at = (Math.imul(n, 0x9e37_79b1) >>> 0) % identities
    return keys.subarray(at * KEY_BYTES, (at + 1) * KEY_BYTES)
  })
  const unknown = known.map(() => randomBytes(KEY_BYTES))
  for (const [name, asked] of Object.entries({ known, unknown })) {
    const [micros] = await lookupCpuMicros(asked, [(key) => index.lookup(key, null)])
    console.log(`${name} identity: ${micros?.toFixed(2)} CPU µs a look-up`)
  }
} finally {
  await index.close()
  rmSync(folder, { recursive: true })
}

async function imported(name: string, keys: Buffer): Promise<void> {
  const { id } = await index.openBatch({ ...source, name }, name, 1)
  const [before, startedAt] = [process.cpuUsage(), performance.now()]
  const merged = await index.mergeSegment(id, blocks(keys, id))
  const { user, system } = process.cpuUsage(before)
  const ms = performance.now() - startedAt
  await index.goLive(id, { rows: merged.rows, identities: merged.identities }, 2)
  const { bytes, identities: all } = await index.stats()
  const each = (micros: number): string => (micros / merged.rows).toFixed(2)
  console.log(
    `${merged.rows} rows ${name}: ${each(user + system)} CPU µs a row, ${each(ms * 1000)} by the clock; ${(bytes / all).toFixed(1)} bytes an identity`,
  )
}

/** Spread as hashes are, and sorted. */
function sortedKeys(count: number, seed: string): Buffer {
  const beginnings = new BigUint64Array(count)
  const hash = createHash("shake256", { outputLength: 8 * count })
    .update(seed)
    .digest()
  for (let n = 0; n < count; n++) beginnings[n] = hash.readBigUInt64BE(8 * n)
  beginnings.sort()
  const keys = Buffer.alloc(KEY_BYTES * count)
  for (const [n, beginning] of beginnings.entries()) {
    keys.writeBigUInt64BE(beginning, KEY_BYTES * n)
    keys.writeBigUInt64BE(BigInt(n), KEY_BYTES * n + 8)
  }
  return keys
}

async function* blocks(keys: Buffer, batchId: number): AsyncGenerator<SegmentBlock> {
  const { head } = rowOfEntry({ ...breach, batchId })
  const heads = Buffer.concat(Array.from({ length: BLOCK_ROWS }, () => head))
  const count = keys.length / KEY_BYTES
  for (let from = 0; from < count; from += BLOCK_ROWS) {
    const rows = Math.min(BLOCK_ROWS, count - from)
    yield {
      count: rows,
      keys: keys.subarray(from * KEY_BYTES, (from + rows) * KEY_BYTES),
      heads: heads.subarray(0, rows * 8),
      extended: new Map(),
    }
  }
}
