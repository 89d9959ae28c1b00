import { type Html, html } from "./html.ts"
import { dropPage } from "./layout.ts"
import { faultSummary, messageFields } from "./message-fields.ts"
import type { DropFacts, FormState, Locale, PageFiles } from "./page-input.ts"
import { dropPath } from "./paths.ts"
import { sentSection } from "./sent-page.ts"
import { promised, type Sentences, sentencesOf } from "./sentences.ts"

/** The form at first sight, and after a refusal with its faults and everything the person typed. */
export function formPage(
  locale: Locale,
  facts: DropFacts,
  files: PageFiles,
  state: FormState & {
    /**
     * The page where visitors without JavaScript wait until their messages are taken again; absent
     * while they are taken.
     */
    readonly waitAt?: string
  },
): string {
  const say = sentencesOf(locale)
  const title =
    facts.name === "" ? say("form-title") : say("form-title-named", { name: facts.name })
  const faulty = state.faults.length > 0
  return dropPage({
    locale,
    facts,
    files,
    say,
    title,
    faulty,
    // A form that came back holds the typed text; a link to another language would lose it.
    path: faulty ? null : "",
    script: "form",
    plainRefresh: state.waitAt === undefined ? undefined : { seconds: 0, path: state.waitAt },
    body: html`<div id="write">
${faultSummary(say, state)}
<h1>${title}</h1>
${fiveSentences(say, locale, facts)}
${more(say, facts)}
<form id="drop-form" method="post" enctype="multipart/form-data" action="${dropPath(locale, "form")}" autocomplete="off" novalidate>
${messageFields(say, facts, state, "first")}
</form>
</div>
${sentSection(say, locale, { hidden: true })}`,
  })
}

/**
 * What happens to the text, who can read it, what is kept, what cannot be hidden, and how to be
 * safer.
 */
function fiveSentences(say: Sentences, locale: Locale, facts: DropFacts): Html {
  return html`<ul class="facts">
${promised(say, "li", "promise-sealed")}
${promised(say, "li", "promise-readers", { count: facts.keyCount })}
${promised(say, "li", "promise-kept", { count: facts.retentionDays })}
<li>${say("admission-hide")}</li>
<li>${say("admission-safer")}${
    facts.onion === null
      ? ""
      : html` <a href="${facts.onion}${dropPath(locale)}" rel="noreferrer">${say("onion-link")}</a>`
  }</li>
</ul>`
}

function more(say: Sentences, { fingerprint }: DropFacts): Html {
  return html`<details>
<summary>${say("more-title")}</summary>
<ul>
${promised(say, "li", "promise-order")}
${promised(say, "li", "promise-unlinked")}
${promised(say, "li", "promise-modes")}
${promised(say, "li", "promise-backup")}
<li>${say("admission-network")}</li>
<li>${say("admission-size")}</li>
<li>${say("admission-script")}</li>
<li>${say("admission-keys")}</li>
</ul>
<h2>${say("fingerprint-title")}</h2>
<p>${say("fingerprint-text")}</p>
<p id="fingerprint" class="code" lang="en" dir="ltr" translate="no">${fingerprint.join(" ")}</p>
</details>`
}
