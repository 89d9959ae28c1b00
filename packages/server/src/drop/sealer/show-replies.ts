import { codeNumbers, EnvelopeFault, open, shownText, unpackMessage } from "@assay/core/drop"
import type { DropDesk } from "../drop-desk.ts"
import { repliesPage, repliesShownPage } from "../pages/index.ts"
import type { ShownReply } from "../pages/page-input.ts"
import { type Answer, CODE_PADDING, REPLIES_PADDING } from "./answer.ts"
import { codeOf } from "./code-of-form.ts"
import { freshForm } from "./send-form.ts"
import { type Thread, threadOf } from "./thread-of-code.ts"
import type { Visit } from "./visit.ts"

/** Opens the replies of a code in memory and shows them as text, with a form to write again. */
export async function showReplies(visit: Visit): Promise<Answer> {
  const { locale, facts, files, desk } = visit
  const read = await codeOf(visit)
  const form = await freshForm(visit)
  if ("fault" in read) {
    const { status, ...fault } = read.fault
    const page = repliesPage(locale, facts, files, { fault, form })
    return { status, page, padding: CODE_PADDING }
  }
  const { code, replies } = await openedReplies(await threadOf(read.secret, facts), desk)
  return {
    status: 200,
    page: repliesShownPage(locale, facts, files, { replies, code, form }),
    padding: REPLIES_PADDING,
  }
}

/** The replies that wait for a thread, and its code in digits for the forms below them. */
export async function openedReplies(
  { secret, keys, tag }: Thread,
  desk: Pick<DropDesk, "replies">,
): Promise<{ code: string; replies: ShownReply[] }> {
  const identities = [keys.pqIdentity ?? keys.identity]
  const replies: ShownReply[] = []
  for (const sealed of await desk.replies(tag)) {
    const reply = await openedReply(sealed, identities)
    if (reply !== null) replies.push(reply)
  }
  return { code: codeNumbers(secret).join(" "), replies }
}

/** null for a file that was sealed to somebody else: empty places of a mailbox are filled with such. */
async function openedReply(sealed: Uint8Array, identities: string[]): Promise<ShownReply | null> {
  try {
    const { message, files } = unpackMessage(await open(sealed, identities))
    return { text: shownText(message), file: files.length > 0 }
  } catch (error) {
    if (error instanceof EnvelopeFault && error.code === "identity") return null
    // It was written to this person and cannot be shown. The replies beside it can, and nobody is told that there is none.
    if (error instanceof EnvelopeFault) return { text: "\ufffd", file: false }
    throw error
  }
}
