import { html } from "./html.ts"
import { codeField, noScriptCodeNote } from "./code-field.ts"
import { dropPage } from "./layout.ts"
import type { DropFacts, FormFault, Locale, PageFiles } from "./page-input.ts"
import { dropPath } from "./paths.ts"
import { promised, sentencesOf } from "./sentences.ts"

/** States before the click what the click reveals to the server. */
export function withdrawPage(
  locale: Locale,
  facts: DropFacts,
  files: PageFiles,
  state: { readonly fault: Pick<FormFault, "text" | "values"> | null },
): string {
  const say = sentencesOf(locale)
  const title = say("withdraw-title")
  return dropPage({
    locale,
    facts,
    files,
    say,
    title,
    faulty: state.fault !== null,
    path: state.fault === null ? "withdraw" : null,
    script: "withdraw",
    body: html`<h1>${title}</h1>
<p>${say("withdraw-intro")}</p>
<p>${say("admission-withdraw-limits")}</p>
<form id="withdraw-form" method="post" enctype="multipart/form-data" action="${dropPath(locale, "withdraw")}" autocomplete="off" novalidate>
${codeField(say, state.fault === null ? [] : [state.fault])}
${noScriptCodeNote(say)}
<p id="withdraw-warning" class="note">${say("admission-withdraw")}</p>
<button type="submit" aria-describedby="withdraw-warning">${say("withdraw-button")}</button>
<p id="withdraw-outcome" role="status" hidden></p>
</form>`,
  })
}

/** The same whether anything was deleted or not: a stranger who guesses learns nothing. */
export function withdrawnPage(locale: Locale, facts: DropFacts, files: PageFiles): string {
  const say = sentencesOf(locale)
  const title = say("withdrawn-title")
  const body = html`<h1>${title}</h1>
${promised(say, "p", "promise-withdrawn")}
<p><a id="done" href="${dropPath(locale, "done")}">${say("done")}</a></p>`
  return dropPage({ locale, facts, files, say, title, path: null, body })
}
