import { html } from "./html.ts"
import { dropPage } from "./layout.ts"
import type { DropFacts, Locale, PageFiles } from "./page-input.ts"
import { dropPath } from "./paths.ts"
import { type Sent, sentSection } from "./sent-section.ts"
import { sentencesOf } from "./sentences.ts"

/** The answer to a message that is stored. With a code it is the only page that ever shows it. */
export function sentPage(
  locale: Locale,
  facts: DropFacts,
  files: PageFiles,
  state: Extract<Sent, { hidden: false }>,
): string {
  const say = sentencesOf(locale)
  const body = sentSection(say, locale, state)
  return dropPage({ locale, facts, files, say, title: say("sent-title"), path: null, body })
}

/** The two words were those of the code. It is not shown again: it is on paper now. */
export function confirmedPage(locale: Locale, facts: DropFacts, files: PageFiles): string {
  const say = sentencesOf(locale)
  const title = say("confirmed-title")
  const body = html`<h1>${title}</h1>
<p>${say("confirmed-text")}</p>
<p><a id="done" href="${dropPath(locale, "done")}">${say("done")}</a></p>`
  return dropPage({ locale, facts, files, say, title, path: null, body })
}
