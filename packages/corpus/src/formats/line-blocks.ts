import { BLOCK_BYTES, ownBytes } from "./row-bytes.ts"

const LF = 10
const CR = 13

/** The longest line that is read. */
export const LINE_BYTES_MAX = 1 << 20

/**
 * Pieces that end where a line ends (LF, CR LF, or CR alone), each in its own memory. Of a line
 * over the limit, only enough is kept for a parser to see that it is too long, so that a file
 * without line ends is not held in memory.
 */
export async function* lineBlocks(
  bytes: AsyncIterable<Buffer>,
  blockBytes: number = BLOCK_BYTES,
): AsyncGenerator<Buffer> {
  const held = new HeldLines()
  for await (const piece of bytes) {
    const rest = held.withoutOpenEnd(piece)
    const cut = afterLastLine(rest)
    const finished = held.bytes + cut
    if (cut === 0) {
      held.addUnfinished(rest)
    } else if (finished < blockBytes) {
      held.addFinished(rest.subarray(0, cut))
      held.addUnfinished(rest.subarray(cut))
    } else {
      held.addFinished(rest.subarray(0, cut))
      yield held.take()
      held.addUnfinished(rest.subarray(cut))
    }
  }
  if (held.bytes > 0) yield held.take()
}

/** The lines of the next block so far, the last of them perhaps unfinished. */
class HeldLines {
  #pieces: Buffer[] = []
  #lineBytes = 0
  /** The unfinished line is over the limit: the rest of it is dropped. */
  #dropping = false
  /**
   * The last byte seen was a CR: if a block was cut after it, a following LF is the rest of that
   * line end.
   */
  #afterCr = false
  bytes = 0

  /** The part of the next piece to keep before its lines are looked at. */
  withoutOpenEnd(piece: Buffer): Buffer {
    let from = this.#afterCr && this.bytes === 0 && piece[0] === LF ? 1 : 0
    if (piece.length > 0) this.#afterCr = piece[piece.length - 1] === CR
    if (this.#dropping) {
      from = firstLineEnd(piece, from)
      this.#dropping = from === piece.length
    }
    return piece.subarray(from)
  }

  /** Bytes up to the end of a line. */
  addFinished(bytes: Buffer): void {
    this.#add(bytes)
    this.#lineBytes = 0
  }

  /** Bytes without the end of a line. */
  addUnfinished(bytes: Buffer): void {
    const room = LINE_BYTES_MAX + 1 - this.#lineBytes
    if (bytes.length >= room) this.#dropping = true
    this.#lineBytes += Math.min(bytes.length, room)
    this.#add(bytes.subarray(0, room))
  }

  take(): Buffer {
    const block = ownBytes(this.#pieces)
    this.#pieces = []
    this.bytes = 0
    return block
  }

  #add(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.#pieces.push(bytes)
    this.bytes += bytes.length
  }
}

/** The position of the first line end from `from` on; the length if there is none. */
function firstLineEnd(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] === LF || bytes[at] === CR) return at
  }
  return bytes.length
}

/** The position after the last line end; 0 if there is none. */
function afterLastLine(bytes: Buffer): number {
  const lf = bytes.lastIndexOf(LF) + 1
  const cr = bytes.subarray(lf).lastIndexOf(CR) + 1
  return lf + cr
}
