// Requests that need a code and nothing else: reading replies, deleting them, checking that the
// code was written down, and withdrawing messages.
import { freshForm } from "../fresh-form.ts"
import {
  confirmedPage,
  repliesDeletedPage,
  repliesPage,
  repliesShownPage,
  sentPage,
  withdrawnPage,
  withdrawPage,
} from "../pages/index.ts"
import { type Answer, CODE_PADDING, REPLIES_PADDING } from "./answer.ts"
import { bodyFault, codeFault, type StatusFault } from "./form-faults.ts"
import { openedReplies } from "./opened-replies.ts"
import {
  knowsWords,
  readTypedCode,
  shownCode,
  threadOf,
  withdrawVerifiers,
} from "./thread-of-code.ts"
import type { Visit } from "./visit.ts"

/** Opens the replies of a code in memory and shows them as text, with a form to write again. */
export async function showReplies(visit: Visit): Promise<Answer> {
  const { locale, facts, files } = visit
  const read = await codeOf(visit)
  if ("fault" in read) return await typeCodeAgain(visit, read.fault)
  const form = freshForm(await visit.drop.newFormToken())
  const { code, replies } = await openedReplies(visit, await threadOf(read.secret, facts))
  return {
    status: 200,
    page: repliesShownPage(locale, facts, files, { replies, code, form }),
    padding: REPLIES_PADDING,
  }
}

/** Deletes the replies of a code. The answer is the same whether there were any. */
export async function deleteReplies(visit: Visit): Promise<Answer> {
  const { locale, facts, files, drop } = visit
  const read = await codeOf(visit)
  if ("fault" in read) return await typeCodeAgain(visit, read.fault)
  const { tag, deleteVerifier } = await threadOf(read.secret, facts)
  await drop.deleteReplies(tag, deleteVerifier)
  return { status: 200, page: repliesDeletedPage(locale, facts, files), padding: CODE_PADDING }
}

/** Answers whether two words of the code were written down right; if not, shows the code again. */
export async function confirmCode(visit: Visit): Promise<Answer> {
  const { locale, facts, files, body } = visit
  const read = await codeOf(visit)
  // The code comes from our own page; without it there is nothing to compare with.
  if ("fault" in read) return await typeCodeAgain(visit, read.fault)
  const typed = {
    word4: body.fields.get("word4") ?? "",
    word9: body.fields.get("word9") ?? "",
  }
  if (await knowsWords(read.secret, typed, locale))
    return { status: 200, page: confirmedPage(locale, facts, files), padding: CODE_PADDING }
  const page = sentPage(locale, facts, files, {
    hidden: false,
    kind: "two-way",
    code: await shownCode(read.secret, locale),
    confirmWrong: true,
    notes: [],
  })
  return { status: 422, page, padding: CODE_PADDING }
}

/**
 * Deletes the messages that were sent with a code and not read yet. The answer is the same whether
 * there were any.
 */
export async function withdraw(visit: Visit): Promise<Answer> {
  const { locale, facts, files, drop } = visit
  const read = await codeOf(visit)
  if ("fault" in read) {
    const { status, ...fault } = read.fault
    return { status, page: withdrawPage(locale, facts, files, { fault }), padding: CODE_PADDING }
  }
  await drop.withdraw(withdrawVerifiers(read.secret, facts))
  return { status: 200, page: withdrawnPage(locale, facts, files), padding: CODE_PADDING }
}

type CodeFieldFault = Omit<StatusFault, "field">

/** The code that a form carries, or the fault to show next to its field. */
async function codeOf({
  body,
  locale,
}: Visit): Promise<{ readonly secret: Uint8Array } | { readonly fault: CodeFieldFault }> {
  const broken = bodyFault(body)
  if (broken !== null) {
    const { field: _, ...fault } = broken
    return { fault }
  }
  const read = await readTypedCode(body.fields.get("code") ?? "", locale)
  return "secret" in read ? read : { fault: codeFault(read) }
}

/** The page for typing a code, with the fault of this one. */
async function typeCodeAgain(
  { locale, facts, files, drop }: Visit,
  { status, ...fault }: CodeFieldFault,
): Promise<Answer> {
  const form = freshForm(await drop.newFormToken())
  return {
    status,
    page: repliesPage(locale, facts, files, { fault, form }),
    padding: CODE_PADDING,
  }
}
