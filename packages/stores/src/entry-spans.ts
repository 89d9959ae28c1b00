import { MalformedBytes } from "./bytes.ts"
import { isExtendedHead, isPlainHead } from "./entry.ts"
import { type BatchState, isTombstone, mergedEntrySet } from "./entry-set.ts"
import { HEAD_BYTES } from "./segment-block.ts"

/**
 * The entries of a set as positions in its bytes. For most entries, copying, merging and counting
 * need only their beginning, their end and their batch.
 */

const UNREADABLE = -1

/**
 * What readSpan found, in one place: it runs for every entry, and an object for each would cost
 * more than the rest.
 */
export const span = { batchId: 0, extendedAt: 0 }

/** Where the entry at `at` ends, or a negative number where none can be read there. */
export function readSpan(bytes: Uint8Array, at: number, length: number): number {
  let end = at + HEAD_BYTES
  if (end >= length) return UNREADABLE
  let batchId = 0
  for (let scale = 1; ; scale *= 128) {
    if (end >= length || scale > 2 ** 28) return UNREADABLE
    const byte = bytes[end++] as number
    batchId += (byte & 0x7f) * scale
    if (byte < 0x80) break
  }
  span.batchId = batchId
  span.extendedAt = end
  if (isPlainHead(bytes, at)) return end
  if (!isExtendedHead(bytes, at) || end >= length) return UNREADABLE
  end += 1 + (bytes[end] as number)
  return end <= length ? end : UNREADABLE
}

/** Compares bytes of one value with bytes of another, as Buffer.compare would. */
export function compareSpans(
  a: Uint8Array,
  fromA: number,
  toA: number,
  b: Uint8Array,
  fromB: number,
  toB: number,
): number {
  const shorter = Math.min(toA - fromA, toB - fromB)
  for (let i = 0; i < shorter; i++) {
    const difference = (a[fromA + i] as number) - (b[fromB + i] as number)
    if (difference !== 0) return difference
  }
  return toA - fromA - (toB - fromB)
}

/**
 * The stored set without the entries of removed batches: the same bytes if there are none, null if
 * nothing else is left. Unreadable bytes stay unchanged, so that the next reader notices them.
 */
export function keptSet(
  stored: Uint8Array,
  stateOf: (batchId: number) => BatchState | undefined,
): Uint8Array | null {
  if (isTombstone(stored) || !mayNameRemoved(stored, stateOf)) return stored
  try {
    const kept = mergedEntrySet(stored, [], Infinity, (batchId) => stateOf(batchId) ?? "live")
    return kept.length === EMPTY_SET_BYTES ? null : kept
  } catch (error) {
    if (error instanceof MalformedBytes) return stored
    throw error
  }
}

/** An entry set of nothing at all; not worth a key. */
export const EMPTY_SET_BYTES = 1

function mayNameRemoved(
  stored: Uint8Array,
  stateOf: (batchId: number) => BatchState | undefined,
): boolean {
  if (stored[0] !== 0) return true
  for (let at = 1; at < stored.length;) {
    const end = readSpan(stored, at, stored.length)
    if (end < 0) return false
    if (stateOf(span.batchId) === "removed") return true
    at = end
  }
  return false
}
