import {
  EnvelopeFault,
  MAILBOX_SLOTS,
  open,
  type OpenedMessage,
  sealedSize,
  SMALLEST_CLASS,
  threadKeys,
  unpackMessage,
} from "@assay/core/drop"
import type { DropKeys, Reply } from "./worker-calls.ts"

/**
 * Tries every slot of a mailbox. One that our key does not open is filling, or was changed; that cannot be told from
 * outside. One that it opens, but that is not a reply, is a fault.
 */
export async function openReplies(
  secret: Uint8Array,
  { dropId, suite }: DropKeys,
  slots: Uint8Array,
): Promise<Reply[]> {
  const { identity, pqIdentity } = await threadKeys(secret, dropId, suite)
  const identities = pqIdentity === undefined ? [identity] : [identity, pqIdentity]
  const replies: Reply[] = []
  for (const slot of slotsOf(slots)) {
    const envelope = await opened(slot, identities)
    if (envelope !== null) replies.push(replyOf(unpackMessage(envelope)))
  }
  return replies
}

function slotsOf(bytes: Uint8Array): Uint8Array[] {
  const size = bytes.length / MAILBOX_SLOTS
  if (!Number.isInteger(size) || size < sealedSize(SMALLEST_CLASS, 2, "x25519"))
    throw new Error("a mailbox has another size")
  return Array.from({ length: MAILBOX_SLOTS }, (_, n) => bytes.subarray(n * size, (n + 1) * size))
}

async function opened(slot: Uint8Array, identities: readonly string[]): Promise<Uint8Array | null> {
  try {
    return await open(slot, identities)
  } catch (error) {
    if (error instanceof EnvelopeFault && error.code === "identity") return null
    throw error
  }
}

function replyOf({ message, files: [file] }: OpenedMessage): Reply {
  if (file === undefined) return { message, file: null }
  return { message, file: { name: file.name, bytes: new Uint8Array(file.bytes) } }
}
