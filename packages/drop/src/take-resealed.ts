import { randomBytes } from "node:crypto"
import type { DropResealResult } from "@assay/core/contract"
import { readAgeHeader, sealedBody } from "@assay/core/drop"
import type { Drops, RandomId } from "./store/drops.ts"
import type { Keys } from "./keys-in-use.ts"
import { RecipientRefusal } from "./recipient-refusal.ts"
import { inPieces } from "./pieces.ts"

/** The most the header of a sealed message may have, in bytes: 16 post-quantum keys take 26,000. */
export const RESEAL_BODY_MAX = 64 * 1024

/**
 * Gives a message the header that a recipient made for the present keys. Its body comes from the
 * store and never from a recipient: somebody with a token can make a message unreadable, which is
 * no more than deleting it, but cannot put another in its place. On any failure the message stays
 * unchanged.
 */
export async function takeResealed(
  id: RandomId,
  header: Uint8Array,
  { drops, keys }: { readonly drops: Drops; readonly keys: Keys },
): Promise<DropResealResult["outcome"]> {
  const current = keys.current()
  if (current === null) throw refused()
  const { recipients, sizes } = current
  const read = readAgeHeader(header)
  if (read === "incomplete" || "fault" in read || read.length !== header.length) throw refused()
  if (read.suite !== recipients.suite || read.stanzas !== recipients.keys.length) throw refused()
  const upload = randomBytes(16).toString("hex")
  let size = 0
  try {
    let index = 0
    // In pieces of the usual size: other sizes would show which messages are from before a change
    // of keys.
    for await (const piece of inPieces(resealed(header, id, drops))) {
      await drops.appendPiece(upload, index, piece)
      index += 1
      size += piece.length
    }
    if (size > header.length) {
      if (!sizes.has(size)) throw refused()
      if (await drops.reseal(id, upload, size)) return "resealed"
    }
  } catch (error) {
    // Pieces that cannot be removed now go when the store is next opened.
    await drops.abandonUpload(upload).catch(() => undefined)
    throw error
  }
  await drops.abandonUpload(upload)
  return "gone"
}

/** The new header and the stored body; the header alone where the message is gone. */
async function* resealed(
  header: Uint8Array,
  id: RandomId,
  drops: Pick<Drops, "piece">,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield header
  for (let n = 0; ; n++) {
    const piece = await drops.piece(id, n)
    if (piece === null) return
    yield n === 0 ? sealedBody(piece) : piece
  }
}

function refused(): RecipientRefusal {
  return new RecipientRefusal(
    "drop-batch-refused",
    "This is not the header of a message that is sealed to the keys in use now.",
  )
}
