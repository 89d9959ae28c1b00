import { closeSync, createReadStream, fstatSync, openSync, readSync } from "node:fs"

const PIECE_BYTES = 1 << 20
/** A stream costs as much as reading so many bytes, several times over. */
const WHOLE_BYTES_MAX = 1 << 18

/**
 * The bytes of a file, from its beginning, in pieces of their own memory: of a small one, in one.
 */
export async function* filePieces(path: string): AsyncGenerator<Buffer> {
  const whole = smallFile(path)
  if (whole === null) yield* streamedPieces(path)
  else yield whole
}

/** The same of a file that is known not to be small. */
export function streamedPieces(path: string): AsyncIterable<Buffer> {
  return createReadStream(path, { highWaterMark: PIECE_BYTES })
}

/** Memory that takes any small file, for whoever is done with one before the next. */
export function memoryOfSmallFile(): Buffer {
  return Buffer.allocUnsafeSlow(WHOLE_BYTES_MAX)
}

/**
 * All of a file, in memory of its own where none is given; null where it is not small, or does not
 * say how long it is.
 */
export function smallFile(path: string, memory: Buffer | null = null): Buffer | null {
  const file = openSync(path, "r")
  try {
    const { size } = fstatSync(file)
    if (size === 0 || size > WHOLE_BYTES_MAX) return null
    const bytes = memory?.subarray(0, size) ?? Buffer.allocUnsafeSlow(size)
    let read = 0
    for (let more = -1; read < size && more !== 0; read += more)
      more = readSync(file, bytes, read, size - read, read)
    // Somebody cut it meanwhile; whoever compares sizes and times will notice.
    return read === size ? bytes : Buffer.copyBytesFrom(bytes, 0, read)
  } finally {
    closeSync(file)
  }
}
