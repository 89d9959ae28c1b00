import { type Html, html } from "./html.ts"
import { described, faultAt } from "./faults.ts"
import type { FormFault } from "./page-input.ts"
import { promised, type Sentences } from "./sentences.ts"

/**
 * Keeps typed text in this page: no list of earlier entries, no translation, and no spelling help,
 * which some browsers request from a server. Not a password field, because browsers offer to save
 * those.
 */
export const PRIVATE_TEXT = html`type="text" autocomplete="off" spellcheck="false" autocapitalize="none" translate="no" dir="auto"`

/** Where a person types the code they wrote down. It is never shown again after a mistake. */
export function codeField(
  say: Sentences,
  faults: readonly Pick<FormFault, "text" | "values">[],
): Html {
  return html`<div class="field">
<label for="code">${say("code-label")}</label>
<p id="code-hint" class="hint">${say("code-hint")}</p>
${faultAt(say, "code", faults)}
<input id="code" name="code" ${PRIVATE_TEXT} ${described("code", faults.length > 0)}>
</div>`
}

/** The code inside a form that goes on with a thread, in digits, which every language reads. */
export function hiddenCode(code: string): Html {
  return html`<input type="hidden" name="code" value="${code}" autocomplete="off">`
}

/**
 * What the server learns from a posted code. The script hides this note: with it no code leaves the
 * device.
 */
export function noScriptCodeNote(say: Sentences): Html {
  return html`<div id="no-script-code-note" class="note">
<p>${say("admission-no-script-code")}</p>
${promised(say, "p", "promise-forget")}
</div>`
}
