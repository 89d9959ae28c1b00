import type { SegmentBlock } from "@assay/stores/segment-block"
import { KeySet } from "@assay/stores/key-set"

const KEY_BYTES = 16
/** Above the first four bytes of every key, as a number. */
const FIRST_END = 2 ** 32
/** One more would need 128 MB instead of 64. */
export const KEYS_MAX = 2 ** 21 - 1

export interface Counting {
  /** The rows of a batch, ascending by key; all of them are read once, or none. */
  readonly blocks: AsyncIterable<SegmentBlock>
  /** Keys of 16 bytes, one after the other, in any order and any number of times. */
  decided(): AsyncIterable<Uint8Array>
  /** Keys that are held at once. */
  readonly keysMax: number
}

/**
 * How many identities of a batch were decided about, exactly. Those decided about are held a part
 * at a time, by how their keys begin, and the rows of a batch are in that order: a part more is the
 * decisions once more, and the batch is read once. Keys are hashes, so that no part is crowded.
 */
export async function countDecided({ blocks, decided, keysMax }: Counting): Promise<number> {
  const rows = blocks[Symbol.asyncIterator]()
  let block: SegmentBlock | null = null
  let row = 0
  let count = 0
  let counted: Uint8Array | null = null
  try {
    for (let from = 0; from < FIRST_END;) {
      const { keys, to } = await partOf(decided(), from, keysMax)
      // Nobody is looked for in a batch of a billion rows.
      if (keys.size === 0 && from === 0 && to === FIRST_END) return 0
      for (;;) {
        if (block === null || row === block.count) {
          const next: IteratorResult<SegmentBlock, unknown> = await rows.next()
          if (next.done === true) return count
          block = next.value
          row = 0
          continue
        }
        const key: Uint8Array = block.keys.subarray(row * KEY_BYTES, (row + 1) * KEY_BYTES)
        if (firstOf(key, 0) >= to) break
        row++
        if (!keys.has(key) || (counted !== null && Buffer.compare(counted, key) === 0)) continue
        // Copied: a block is another one's after the next was asked for.
        counted = Uint8Array.from(key)
        count++
      }
      from = to
    }
    return count
  } finally {
    await rows.return?.()
  }
}

/** Those that begin with `from` or more, as many as fit; `to` is where the next part begins. */
async function partOf(
  decided: AsyncIterable<Uint8Array>,
  from: number,
  keysMax: number,
): Promise<{ keys: KeySet; to: number }> {
  const keys = new KeySet()
  let to = FIRST_END
  for await (const some of decided) {
    for (let at = 0; at < some.length; at += KEY_BYTES) {
      const first = firstOf(some, at)
      if (first < from || first >= to) continue
      keys.add(some.subarray(at, at + KEY_BYTES))
      while (keys.size > keysMax && to - from > 1) {
        to = from + Math.ceil((to - from) / 2)
        keys.keepBelow(to)
      }
    }
  }
  return { keys, to }
}

function firstOf(bytes: Uint8Array, at: number): number {
  return (
    (((bytes[at] as number) << 24) |
      ((bytes[at + 1] as number) << 16) |
      ((bytes[at + 2] as number) << 8) |
      (bytes[at + 3] as number)) >>>
    0
  )
}
