import { openLmdbIndex } from "../../packages/stores/src/lmdb/exposure-index.ts"
import type { ExposureIndex, SegmentBlock } from "../../packages/stores/src/exposure-index.ts"
import { rowOfEntry } from "../../packages/stores/src/segment-block.ts"

const BLOCK_ROWS = 2048

/**
 * An index of `identities` identities, each with one exposure. Their keys can be computed again.
 */
export async function largeIndex(path: string, identities: number): Promise<ExposureIndex> {
  const index = await openLmdbIndex({ path })
  const batch = await index.openBatch(
    {
      name: "bench",
      title: "Bench",
      kind: "combolist",
      confidence: 0.8,
      classes: [],
      flags: { spamList: false, fabricated: false, sensitive: false, verified: true },
      eventDate: null,
      circulates: false,
    },
    "bench",
    1,
  )
  await index.mergeSegment(batch.id, blocks(identities))
  await index.goLive(batch.id, { rows: identities, identities }, 2)
  return index
}

/** Ascending and spread evenly: what hashes look like once they are sorted. */
export function keyAt(row: number, identities: number, into: Buffer, at = 0): void {
  const place = (BigInt(row) << 64n) / BigInt(identities)
  into.writeBigUInt64BE(place, at)
  into.writeBigUInt64BE((place * 0x9e37_79b9_7f4a_7c15n) & 0xffff_ffff_ffff_ffffn, at + 8)
}

async function* blocks(identities: number): AsyncGenerator<SegmentBlock> {
  const { head } = rowOfEntry({
    kind: "combolist",
    secret: "plaintext",
    hours: 480_000,
    fingerprint: 77,
    aliasTag: 0,
    batchId: 1,
    item: null,
    confidence: null,
    classes: [],
    value: null,
  })
  for (let from = 0; from < identities; from += BLOCK_ROWS) {
    const count = Math.min(BLOCK_ROWS, identities - from)
    const keys = Buffer.alloc(count * 16)
    const heads = Buffer.alloc(count * 8)
    for (let row = 0; row < count; row++) {
      keyAt(from + row, identities, keys, row * 16)
      heads.set(head, row * 8)
    }
    yield { count, keys, heads, extended: new Map() }
  }
}
