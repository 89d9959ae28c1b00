import { type CodeFault, WORD_LANGUAGES } from "@assay/core/drop"
import type { ScriptText } from "./script-texts.ts"
import type { Visit } from "./visit.ts"

/**
 * The secret of a typed code. It is checked here, so that a mistyped code leaves the browser in no
 * form. The other lists are fetched, one by one, only if the code is none in the language of the
 * page.
 */
export async function readEntry(
  visit: Visit,
  text: string,
): Promise<{ readonly secret: Uint8Array } | CodeFault> {
  const first = await visit.worker.call("readCode", [text, visit.list])
  if ("secret" in first || first.fault === "empty" || first.fault === "count") return first
  for (const language of WORD_LANGUAGES) {
    if (language === visit.list.language) continue
    const list = await visit.words(language)
    const read = await visit.worker.call("readCode", [text, list])
    if ("secret" in read) return read
  }
  return first
}

/** The sentence for a code that cannot be read. */
export function codeFault(visit: Visit, fault: CodeFault): string {
  const text = `fault-code-${fault.fault}` satisfies ScriptText
  return visit.say(text, "at" in fault ? { at: fault.at } : {})
}
