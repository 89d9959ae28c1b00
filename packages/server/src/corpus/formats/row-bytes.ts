/** No row is longer. What is longer is no row of people's data but a file of something else, or a broken one. */
export const ROW_BYTES_MAX = 1 << 20
/** About how much of a member is parsed at once. */
export const BLOCK_BYTES = 1 << 20

/** Pieces put together in memory of their own, which can be handed to another thread. Small buffers share theirs. */
export function ownBytes(pieces: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.allocUnsafeSlow(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}
