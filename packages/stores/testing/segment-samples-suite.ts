import { HEAD_BYTES, rowOfEntry, type SegmentBlock } from "../src/segment-block.ts"
import { KEY_BYTES, type Row } from "../src/exposure-index.ts"

interface SegmentRow {
  readonly key: Uint8Array
  readonly head: Uint8Array
  readonly extended: Uint8Array | null
}

/** The rows as a segment has them: ascending and none twice, in blocks of `blockRows`. */
export async function* segmentBlocks(
  rows: readonly Row[],
  blockRows = 2_048,
): AsyncGenerator<SegmentBlock> {
  const sorted = sortedRows(rows)
  for (let from = 0; from < sorted.length; from += blockRows) {
    yield blockOf(sorted.slice(from, from + blockRows))
  }
}

/** Rows exactly in the order given, as one block. */
export function blockOf(rows: readonly SegmentRow[]): SegmentBlock {
  const extended = new Map<number, Uint8Array>()
  for (const [i, row] of rows.entries()) if (row.extended !== null) extended.set(i, row.extended)
  return {
    count: rows.length,
    keys: Buffer.concat(
      rows.map(({ key }) => key),
      rows.length * KEY_BYTES,
    ),
    heads: Buffer.concat(
      rows.map(({ head }) => head),
      rows.length * HEAD_BYTES,
    ),
    extended,
  }
}

export function sortedRows(rows: readonly Row[]): SegmentRow[] {
  const bySpelling = new Map<string, SegmentRow>()
  for (const { key, entries } of rows) {
    for (const entry of entries) {
      const row = { key, ...rowOfEntry(entry) }
      bySpelling.set(spelling(row), row)
    }
  }
  return [...bySpelling.keys()].sort().map((each) => bySpelling.get(each) as SegmentRow)
}

/** Of a character for each byte, so that texts are in the order of the bytes. */
function spelling({ key, head, extended }: SegmentRow): string {
  const bytes = Buffer.concat([key, head, extended ?? new Uint8Array()])
  return bytes.toString("latin1")
}
