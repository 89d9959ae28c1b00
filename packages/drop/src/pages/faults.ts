import { type Html, html } from "./html.ts"
import type { FormFault } from "./page-input.ts"
import type { Sentences } from "./sentences.ts"

/** The place next to a field for its fault; empty and hidden until there is one. */
export function faultAt(
  say: Sentences,
  field: string,
  faults: readonly Pick<FormFault, "text" | "values">[],
): Html {
  if (faults.length === 0) return html`<p id="${field}-fault" class="fault" hidden></p>`
  const sentences = faults.map(({ text, values }) => say(text, values)).join(" ")
  return html`<p id="${field}-fault" class="fault" role="alert">${sentences}</p>`
}

/** What ties a field to its hint and its fault for those who do not see them. */
export function described(field: string, faulty: boolean, hint = true): Html {
  const by = hint ? `${field}-hint ${field}-fault` : `${field}-fault`
  return faulty
    ? html`aria-describedby="${by}" aria-invalid="true"`
    : html`aria-describedby="${by}"`
}
