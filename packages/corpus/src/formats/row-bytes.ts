/** No row is longer. A longer one belongs to a file of something else, or a broken one. */
export const ROW_BYTES_MAX = 1 << 20
/**
 * What a parsing thread takes at once: large enough that handing it over costs nothing, small
 * enough to hold many.
 */
export const BLOCK_BYTES = 1 << 20

/**
 * Pieces put together in memory of their own, which can be handed to another thread. Small buffers
 * share theirs.
 */
export function ownBytes(pieces: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.allocUnsafeSlow(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}

/**
 * The first bytes and the rest, each in its own memory: one can be transferred and the other kept.
 */
export function cutInTwo(bytes: Buffer, at: number): [Buffer, Buffer] {
  return [ownBytes([bytes.subarray(0, at)]), ownBytes([bytes.subarray(at)])]
}

/**
 * The same bytes for a new owner. The buffer that is given is empty afterwards, unless it shares
 * its memory.
 */
export function takenFrom(bytes: Buffer): Buffer {
  const { buffer } = bytes
  if (bytes.length !== buffer.byteLength || !(buffer instanceof ArrayBuffer)) {
    return ownBytes([bytes])
  }
  return Buffer.from(buffer.transfer())
}
