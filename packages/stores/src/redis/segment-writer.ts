import type { CatalogueDocument } from "../catalogue.ts"
import { isTombstone, SHARED_ENTRIES_MAX } from "../entry-set.ts"
import { KEY_BYTES, type MergedSegment } from "../exposure-index.ts"
import type { SegmentBlock } from "../segment-block.ts"
import { SegmentMerger } from "../segment-merger.ts"
import { portionsOf } from "../segment-portions.ts"
import { isSameKey } from "../spelled-portion.ts"
import type { Buckets, Value } from "./buckets.ts"
import { IN_FLIGHT, inFlight } from "./in-flight.ts"
import type { Layout } from "./layout.ts"
import { FILL_FIELDS_MAX } from "./scripts.ts"

/** Rows that are written before more are read: those of many buckets of an index that is full. */
const PORTION_ROWS = 65_536

interface Merging {
  readonly batchId: number
  readonly blocks: AsyncIterable<SegmentBlock>
  readonly layout: Layout
  readonly buckets: Buckets
}

/** Identities of one bucket that are written by one command. */
interface Part {
  readonly bucket: number
  /** The first row of each, and the row after the last one. */
  readonly rows: readonly number[]
  readonly packed: Buffer
}

/**
 * Adds the rows of a segment to the shared sets. Rows come in the order of their keys, so each
 * bucket is written once: what is new to it by one command, without it being read before; who is
 * there already is read and joined. Doing it again changes nothing.
 */
export async function* mergeBlocks(
  { batchId, blocks, layout, buckets }: Merging,
  byCatalogue: <T>(work: (document: CatalogueDocument) => Promise<T>) => Promise<T>,
): AsyncGenerator<MergedSegment> {
  const merger = new SegmentMerger(batchId, SHARED_ENTRIES_MAX)
  const writer = portionWriter(layout, buckets, merger)
  for await (const portion of portionsOf(blocks, PORTION_ROWS))
    yield await byCatalogue((document) => writer(portion, document))
}

function portionWriter(
  layout: Layout,
  buckets: Buckets,
  merger: SegmentMerger,
): (portion: SegmentBlock, document: CatalogueDocument) => Promise<MergedSegment> {
  const packing = buckets.packing()
  const skipped = KEY_BYTES - layout.sharedFieldBytes

  function* parts(portion: SegmentBlock): Generator<Part> {
    const { count, keys } = portion
    for (let from = 0; from < count;) {
      const bucket = layout.bucketOf(keys, from * KEY_BYTES)
      const rows = [from]
      packing.begin(bucket)
      while (
        from < count &&
        rows.length <= FILL_FIELDS_MAX &&
        layout.bucketOf(keys, from * KEY_BYTES) === bucket
      ) {
        let to = from + 1
        while (to < count && isSameKey(keys, from, to)) to++
        merger.take(portion, from, to)
        packing.add(keys, from * KEY_BYTES + skipped, merger.freshSet())
        rows.push(to)
        from = to
      }
      yield { bucket, rows, packed: packing.taken() }
    }
  }

  /** Joins the rows of identities to what is stored of them; returns how many were known. */
  const join = async (
    portion: SegmentBlock,
    { bucket, rows }: Part,
    stored: ReadonlyMap<number, Buffer | null>,
  ): Promise<number> => {
    const numbers = [...stored.keys()]
    const fields = numbers.map((number) => {
      const at = (rows[number] as number) * KEY_BYTES
      return layout.sharedField(portion.keys.subarray(at, at + KEY_BYTES))
    })
    let known = 0
    const decide = (values: readonly Value[]): readonly Value[] => {
      known = 0
      const joined = values.map((value, i) => {
        const number = numbers[i] as number
        merger.take(portion, rows[number] as number, rows[number + 1] as number)
        if (value === undefined) return Uint8Array.from(merger.freshSet())
        if (isTombstone(value)) return value
        known += merger.countKnown(value)
        const set = merger.joinedSet(value)
        return set === null ? value : Uint8Array.from(set)
      })
      return joined.every((value, i) => value === values[i]) ? [] : joined
    }
    await buckets.change(bucket, fields, decide, { read: [...stored.values()] })
    return known
  }

  return async (portion, { batches }) => {
    merger.useBatches(batches)
    const merged = { rows: portion.count, identities: 0, known: 0 }
    await inFlight(parts(portion), IN_FLIGHT, async (part) => {
      const stored = await buckets.fill(part.bucket, part.packed)
      const known = stored.size === 0 ? 0 : await join(portion, part, stored)
      merged.known += known
      merged.identities += part.rows.length - 1
    })
    return merged
  }
}
