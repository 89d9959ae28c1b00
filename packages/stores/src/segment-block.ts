import { Cursor } from "./bytes.ts"
import { entryBytes, type Entry, readEntry } from "./entry.ts"

/**
 * Rows of a segment, column by column, as a sorter and a disk take them. A row is an identity key
 * and an entry without its batch: the 8 bytes every entry begins with, and the extended part where
 * it has one. Rows ascend by key, then by those 8 bytes, then by the extended part.
 */
export interface SegmentBlock {
  readonly count: number
  /** 16 bytes a row. */
  readonly keys: Uint8Array
  /** 8 bytes a row: entry v1 up to its batch id. */
  readonly heads: Uint8Array
  /** By row: the bytes after the batch id in the entry. A row without any is not in the map. */
  readonly extended: ReadonlyMap<number, Uint8Array>
}

export const HEAD_BYTES = 8

/** Splits an entry into the parts that a row keeps; its batch is left out. */
export function rowOfEntry(entry: Entry): { head: Uint8Array; extended: Uint8Array | null } {
  // Batch 1 takes one byte; the extended part follows it.
  const bytes = entryBytes({ ...entry, batchId: 1 })
  return {
    head: bytes.subarray(0, HEAD_BYTES),
    extended: bytes.length > HEAD_BYTES + 1 ? bytes.subarray(HEAD_BYTES + 1) : null,
  }
}

/** The entry of a row, with the given batch. */
export function entryOfRow(
  head: Uint8Array,
  extended: Uint8Array | undefined,
  batchId: number,
): Entry {
  const bytes = Buffer.concat([head, Uint8Array.of(1), extended ?? new Uint8Array()])
  return { ...readEntry(new Cursor(bytes)), batchId }
}
