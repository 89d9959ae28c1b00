import { randomBytes } from "node:crypto"
import type { IncomingMessage } from "node:http"
import type { DropResealResult } from "@assay/core/contract"
import type { Drops, RandomId } from "../stores/drops.ts"
import type { Keys } from "./keys-in-use.ts"
import { OperatorRefusal } from "./operator-refusal.ts"
import { Refused } from "./refused.ts"
import { checkedPieces } from "./sealed-upload.ts"

/**
 * Takes a message that a recipient opened and sealed again, and puts it in the place of the one before. Its size and
 * header are checked as those of a new one are. Whatever goes wrong, the one before stays.
 */
export async function takeResealed(
  id: RandomId,
  body: IncomingMessage,
  { drops, keys }: { readonly drops: Drops; readonly keys: Keys },
): Promise<DropResealResult["outcome"]> {
  const current = keys.current()
  if (current === null) throw refused()
  const upload = randomBytes(16).toString("hex")
  try {
    let size = 0
    let index = 0
    for await (const piece of checkedPieces(body, current)) {
      await drops.appendPiece(upload, index, piece)
      index += 1
      size += piece.length
      if (size > Math.max(...current.sizes)) throw refused()
    }
    if (!current.sizes.has(size)) throw refused()
    if (await drops.reseal(id, upload, size)) return "resealed"
  } catch (error) {
    // What cannot be removed now goes when the store is next opened.
    await drops.abandonUpload(upload).catch(() => undefined)
    throw error instanceof Refused ? refused() : error
  }
  await drops.abandonUpload(upload)
  return "gone"
}

function refused(): OperatorRefusal {
  return new OperatorRefusal(
    "drop-batch-refused",
    "The file is not sealed to the keys in use now, in one of the sizes of messages.",
  )
}
