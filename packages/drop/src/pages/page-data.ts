import { FILE_MAX, FILES_MAX, MESSAGE_MAX } from "@assay/core/drop"
import { Html, html } from "./html.ts"
import { digitsFirst, wordLanguage } from "./code-language.ts"
import type { DropFacts, Locale, PageFiles } from "./page-input.ts"
import { KEYS_PATH } from "./paths.ts"
import type { Sentences } from "./sentences.ts"
import { en } from "./texts/en.ts"
import type { TextKey } from "./texts/texts.ts"

/** Sentences that only the script uses; those of the plain pages are in their markup. */
const SCRIPT_TEXTS = (Object.keys(en) as TextKey[]).filter(
  (key) =>
    /^(script|failure|finding|fault)-/.test(key) ||
    [
      "file-number",
      "confirm-right",
      "confirm-wrong",
      "reply-number",
      "reply-unreadable",
      "replies-deleted",
      "promise-withdrawn",
    ].includes(key),
)

interface Page {
  readonly locale: Locale
  readonly facts: DropFacts
  readonly files: PageFiles
  readonly say: Sentences
}

/**
 * The script of a page and its data, in a form that cannot run. The page waits for the script, so
 * that nobody with JavaScript can send a form before the script controls it. The paths of the
 * worker and of word lists are not in it: the script contains them, so that its own hash covers
 * them.
 */
export function pageData(
  { locale, facts, files, say }: Page,
  page: "form" | "replies" | "withdraw",
): Html {
  const script = files.get(`sender-${wordLanguage(locale)}`)
  const data = {
    locale,
    page,
    fingerprint: facts.fingerprint,
    keys: KEYS_PATH,
    digitsFirst: digitsFirst(locale),
    limits: { message: MESSAGE_MAX, files: FILES_MAX, file: FILE_MAX },
    // Placeholders that only the script can fill stay unchanged: `{number}`, `{percent}`, `{at}`.
    texts: Object.fromEntries(SCRIPT_TEXTS.map((key) => [key, say(key)])),
  }
  // A "<" is all that could end the element early or open a comment in it.
  const json = new Html(JSON.stringify(data).replaceAll("<", "\\u003c"))
  return html`<script type="application/json" id="drop-data">${json}</script>
<script src="${script.path}" integrity="${script.integrity}"></script>`
}
