import { cutInTwo, ownBytes, ROW_BYTES_MAX } from "./row-bytes.ts"

const LF = 10

/** The end of the last complete row in these bytes: the position after its LF, or 0. */
type LastRowEnd = (bytes: Buffer) => number

/**
 * Collects pieces and cuts them where a row ends. Of an oversized row, only enough is kept for its
 * parser to see that it is too long. The rest is dropped as it arrives, so that no file fills the
 * memory.
 */
export async function* rowBlocks(
  bytes: AsyncIterable<Buffer>,
  blockBytes: number,
  lastRowEnd: LastRowEnd,
): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = []
  let held = 0
  let dropping = false
  for await (let piece of bytes) {
    if (dropping) {
      const end = piece.indexOf(LF)
      if (end === -1) continue
      piece = piece.subarray(end + 1)
      dropping = false
    }
    pieces.push(piece)
    held += piece.length
    if (held < blockBytes) continue
    const all = ownBytes(pieces)
    const cut = lastRowEnd(all)
    if (cut > 0) {
      // A block is gone once it is yielded, so the remaining bytes are copied first.
      const [block, rest] = cutInTwo(all, cut)
      pieces = [rest]
      held = rest.length
      yield block
    } else if (held > ROW_BYTES_MAX) {
      pieces = []
      held = 0
      dropping = true
      yield ownBytes([all.subarray(0, ROW_BYTES_MAX + 1)])
    } else {
      pieces = [all]
    }
  }
  if (held > 0) yield ownBytes(pieces)
}
