import { confirmedPage, sentPage } from "../pages/index.ts"
import { type Answer, CODE_PADDING } from "./answer.ts"
import { codeOf, typeCodeAgain } from "./code-of-form.ts"
import { knowsWords, shownCode } from "./thread-of-code.ts"
import type { Visit } from "./visit.ts"

/**
 * Says whether two words of the code were written down right; the page that shows the code comes
 * back if not.
 */
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
