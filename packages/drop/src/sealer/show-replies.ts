import { freshForm } from "../fresh-form.ts"
import { repliesShownPage } from "../pages/index.ts"
import { type Answer, REPLIES_PADDING } from "./answer.ts"
import { codeOf, typeCodeAgain } from "./code-of-form.ts"
import { openedReplies } from "./opened-replies.ts"
import { threadOf } from "./thread-of-code.ts"
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
