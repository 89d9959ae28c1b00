import { withdrawnPage, withdrawPage } from "../pages/index.ts"
import { type Answer, CODE_PADDING } from "./answer.ts"
import { codeOf } from "./code-of-form.ts"
import { withdrawVerifiers } from "./thread-of-code.ts"
import type { Visit } from "./visit.ts"

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
