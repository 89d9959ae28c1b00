import { repliesDeletedPage } from "../pages/index.ts"
import { type Answer, CODE_PADDING } from "./answer.ts"
import { codeOf, typeCodeAgain } from "./code-of-form.ts"
import { threadOf } from "./thread-of-code.ts"
import type { Visit } from "./visit.ts"

/** Deletes the replies of a code. The answer is the same whether there were any. */
export async function deleteReplies(visit: Visit): Promise<Answer> {
  const { locale, facts, files, drop } = visit
  const read = await codeOf(visit)
  if ("fault" in read) return await typeCodeAgain(visit, read.fault)
  const { tag, deleteVerifier } = await threadOf(read.secret, facts)
  await drop.deleteReplies(tag, deleteVerifier)
  return { status: 200, page: repliesDeletedPage(locale, facts, files), padding: CODE_PADDING }
}
