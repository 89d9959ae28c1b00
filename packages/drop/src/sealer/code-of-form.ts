import { freshForm } from "../fresh-form.ts"
import { repliesPage } from "../pages/index.ts"
import { type Answer, CODE_PADDING } from "./answer.ts"
import { bodyFault, codeFault, type StatusFault } from "./form-faults.ts"
import { readTypedCode } from "./thread-of-code.ts"
import type { Visit } from "./visit.ts"

type CodeFieldFault = Omit<StatusFault, "field">

/** The code that a form carries, or what to say next to its field. */
export async function codeOf({
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

/** The page on which a code is typed, with what was wrong with this one. */
export async function typeCodeAgain(
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
