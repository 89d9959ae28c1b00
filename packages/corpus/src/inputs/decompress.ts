import { pipeline, Readable } from "node:stream"
import { createGunzip, createZstdDecompress } from "node:zlib"
import { requireExpansion } from "./packing.ts"
import { InputError } from "./member.ts"

const PIECE_BYTES = 1 << 18

/**
 * What gzip or zstd packed, one member or frame after the other. Throws InputError for damaged or
 * cut bytes.
 */
export async function* decompressed(
  name: string,
  packing: "gzip" | "zstd",
  packed: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  let packedBytes = 0
  let bytes = 0
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const piece of packed) {
      packedBytes += piece.length
      yield piece
    }
  }
  const options = { chunkSize: PIECE_BYTES }
  const unpacker = packing === "gzip" ? createGunzip(options) : createZstdDecompress(options)
  // Faults of either side reach the loop below through the unpacker.
  pipeline(Readable.from(counted(), { objectMode: false }), unpacker, () => undefined)
  try {
    for await (const piece of unpacker as AsyncIterable<Buffer>) {
      bytes += piece.length
      requireExpansion(name, packedBytes, bytes)
      yield piece
    }
  } catch (error) {
    // The input itself may have failed, with its own message; any other error comes from the
    // unpacker.
    if (error instanceof InputError) throw error
    throw new InputError(`${name} is damaged or cut off: ${packing} cannot unpack it`)
  } finally {
    unpacker.destroy()
  }
  // zstd stops without a word at bytes that are no frame.
  if (unpacker.bytesWritten < packedBytes) {
    throw new InputError(`${name} is damaged: something that is not ${packing} follows its end`)
  }
}
