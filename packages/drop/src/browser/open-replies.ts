import {
  EnvelopeFault,
  inReplyOrder,
  mailboxFiles,
  open,
  type OpenedMessage,
  threadKeys,
  unpackMessage,
} from "@assay/core/drop"
import type { DropKeys, Reply } from "./worker-calls.ts"

/**
 * Tries every slot of a mailbox, and returns the replies in the order they were written. A slot
 * that our key does not open is filling. A slot that opens but is damaged or no reply becomes null
 * and comes last: it must not hide the others, and must not look empty.
 */
export async function openReplies(
  secret: Uint8Array,
  { dropId, suite }: DropKeys,
  slots: Uint8Array,
): Promise<(Reply | null)[]> {
  const { identity, pqIdentity } = await threadKeys(secret, dropId, suite)
  const identities = pqIdentity === undefined ? [identity] : [identity, pqIdentity]
  const replies: OpenedMessage[] = []
  const damaged: null[] = []
  for (const slot of mailboxFiles(slots)) {
    try {
      replies.push(unpackMessage(await open(slot, identities)))
    } catch (error) {
      if (!(error instanceof EnvelopeFault)) throw error
      if (error.code !== "identity") damaged.push(null)
    }
  }
  return [...inReplyOrder(replies).map(replyOf), ...damaged]
}

function replyOf({ message, files: [file] }: OpenedMessage): Reply {
  if (file === undefined) return { message, file: null }
  return { message, file: { name: file.name, bytes: new Uint8Array(file.bytes) } }
}
