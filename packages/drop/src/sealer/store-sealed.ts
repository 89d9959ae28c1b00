import { randomBytes } from "node:crypto"
import { inPieces } from "../pieces.ts"
import type { PublicDrop } from "../public-drop.ts"

/**
 * Stores a sealed file piece by piece; resolves when it is on the disk as a message. After any
 * fault nothing of it stays.
 */
export async function storeSealed(
  drop: Pick<PublicDrop, "storePiece" | "finish" | "abandon">,
  sealed: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  withdrawVerifier: Uint8Array,
): Promise<void> {
  const id = randomBytes(16).toString("hex")
  let size = 0
  let index = 0
  try {
    for await (const piece of inPieces(sealed)) {
      await drop.storePiece(id, index, piece)
      index += 1
      size += piece.length
    }
    await drop.finish({ id, size, withdrawVerifier, effort: 0 })
  } catch (error) {
    // The pieces left behind are no message and would go at a restart; this removes them sooner. If
    // it fails, the first fault is still the one thrown.
    await drop.abandon(id).catch(() => undefined)
    throw error
  }
}
