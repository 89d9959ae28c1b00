import { MalformedBytes } from "./bytes.ts"
import type { Entry } from "./entry.ts"
import { entryOfRow, HEAD_BYTES, type SegmentBlock } from "./segment-block.ts"

const KEY_BYTES = 16

/** The rows of a segment about one identity. */
export interface SegmentIdentity {
  readonly key: Uint8Array
  readonly entries: readonly Entry[]
}

/**
 * The identities of a segment in its order, with their entries as those of the batch, in portions
 * of about `portion` entries. An identity is never split: its rows may stand on both sides of a
 * block's end.
 */
export async function* identitiesOf(
  blocks: AsyncIterable<SegmentBlock>,
  batchId: number,
  portion: number,
): AsyncGenerator<SegmentIdentity[]> {
  let identities: SegmentIdentity[] = []
  let entries: Entry[] = []
  let key: Uint8Array | null = null
  let size = 0
  for await (const block of blocks) {
    for (let row = 0; row < block.count; row++) {
      const at = block.keys.subarray(row * KEY_BYTES, (row + 1) * KEY_BYTES)
      const order = key === null ? 1 : Buffer.compare(at, key)
      if (order < 0) throw new MalformedBytes("a segment out of order")
      if (order > 0) {
        if (key !== null) identities.push({ key, entries })
        if (size >= portion) {
          yield identities
          identities = []
          size = 0
        }
        key = Uint8Array.from(at)
        entries = []
      }
      entries.push(entryAt(block, row, batchId))
      size++
    }
  }
  if (key !== null) identities.push({ key, entries })
  if (identities.length > 0) yield identities
}

function entryAt({ heads, extended }: SegmentBlock, row: number, batchId: number): Entry {
  const head = heads.subarray(row * HEAD_BYTES, (row + 1) * HEAD_BYTES)
  return entryOfRow(head, extended.get(row), batchId)
}
