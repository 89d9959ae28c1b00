const PIECE = 256 * 1024

/**
 * The same bytes in the pieces they are stored in, all but the last of one size. Each has its own
 * memory, because sending a piece to the store's thread transfers its whole buffer.
 */
export async function* inPieces(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let piece = new Uint8Array(PIECE)
  let filled = 0
  for await (const bytes of source) {
    for (let at = 0; at < bytes.length;) {
      const part = bytes.subarray(at, at + PIECE - filled)
      piece.set(part, filled)
      filled += part.length
      at += part.length
      if (filled < PIECE) continue
      yield piece
      piece = new Uint8Array(PIECE)
      filled = 0
    }
  }
  if (filled > 0) yield piece.slice(0, filled)
}
