import { type Html, html } from "./html.ts"
import type { TextValues } from "./page-input.ts"
import type { Sentences } from "./sentences.ts"
import type { PromiseKey } from "./texts/texts.ts"

/**
 * A sentence that promises something, with its name, by which tests find out that it is proven and
 * still printed.
 */
export function promised(
  say: Sentences,
  element: "p" | "li",
  key: PromiseKey,
  values?: TextValues,
): Html {
  const sentence = say(key, values)
  return element === "p"
    ? html`<p data-promise="${key}">${sentence}</p>`
    : html`<li data-promise="${key}">${sentence}</li>`
}
