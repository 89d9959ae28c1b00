import {
  codeNumbers,
  EnvelopeFault,
  inReplyOrder,
  open,
  type OpenedMessage,
  shownText,
  unpackMessage,
} from "@assay/core/drop"
import type { ShownReply } from "../pages/page-input.ts"
import { sentencesOf } from "../pages/sentences.ts"
import type { Thread } from "./thread-of-code.ts"
import type { Visit } from "./visit.ts"

/**
 * The replies that wait for a thread, as they were written and damaged ones last, and its code in
 * digits for the forms below them.
 */
export async function openedReplies(
  { drop, locale }: Pick<Visit, "drop" | "locale">,
  { secret, keys, tag }: Thread,
): Promise<{ code: string; replies: ShownReply[] }> {
  const identities = [keys.pqIdentity ?? keys.identity]
  const readable: OpenedMessage[] = []
  const damaged: ShownReply[] = []
  for (const sealed of await drop.replies(tag)) {
    const reply = await openedReply(sealed, identities)
    if (reply === "unreadable")
      damaged.push({ text: sentencesOf(locale)("reply-unreadable"), file: false })
    else if (reply !== null) readable.push(reply)
  }
  const replies = inReplyOrder(readable).map(({ message, files }) => ({
    text: shownText(message),
    file: files.length > 0,
  }))
  return { code: codeNumbers(secret).join(" "), replies: [...replies, ...damaged] }
}

/**
 * null for a file that was sealed to somebody else: empty slots of a mailbox may be filled with
 * such files. A reply to this person that cannot be shown is reported as one, and never left out.
 */
async function openedReply(
  sealed: Uint8Array,
  identities: readonly string[],
): Promise<OpenedMessage | "unreadable" | null> {
  try {
    return unpackMessage(await open(sealed, identities))
  } catch (error) {
    if (!(error instanceof EnvelopeFault)) throw error
    return error.code === "identity" ? null : "unreadable"
  }
}
