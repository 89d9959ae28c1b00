import { hiddenCode, PRIVATE_TEXT } from "./code-field.ts"
import { digitsFirst, wordLanguage } from "./code-language.ts"
import { html, type Html } from "./html.ts"
import { dropPage } from "./layout.ts"
import type { DropFacts, Locale, PageFiles, ShownCode } from "./page-input.ts"
import { dropPath } from "./paths.ts"
import { promised, type Sentences, sentencesOf } from "./sentences.ts"

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

/** What became of a file that its sender has to know. */
export interface FileNote {
  readonly text: "sent-file-unknown" | "sent-file-colours"
  readonly number: number
}

interface ShownSent {
  readonly hidden: false
  readonly notes: readonly FileNote[]
}

/**
 * What the page shows after a message was sent: nothing yet on a page whose script fills it in, or
 * one of the three cases.
 */
type Sent =
  | { readonly hidden: true }
  | (ShownSent & { readonly kind: "one-way" | "follow-up" })
  | (ShownSent & {
      readonly kind: "two-way"
      readonly code: ShownCode
      /** The two words that were typed as a proof were not those of the code. */
      readonly confirmWrong: boolean
    })

/**
 * The same markup whether the server or the script fills it in. `#code-words` lists the form of the
 * code that a page shows first, `#code-line` has it in one line, and `#code-numbers` has the other
 * form: digits below words, or English words below digits.
 */
export function sentSection(say: Sentences, locale: Locale, sent: Sent): Html {
  const kind = sent.hidden ? null : sent.kind
  return html`<section id="sent" aria-labelledby="sent-title" ${hiddenUnless(!sent.hidden)}>
<h1 id="sent-title" tabindex="-1">${say("sent-title")}</h1>
<p id="sent-one-way" ${hiddenUnless(kind === "one-way")}>${say("sent-one-way")}</p>
<p id="sent-follow-up" ${hiddenUnless(kind === "follow-up")}>${say("sent-follow-up")}</p>
${fileNotes(say, sent.hidden ? [] : sent.notes)}
<div id="sent-two-way" ${hiddenUnless(kind === "two-way")}>
${twoWay(say, locale, !sent.hidden && sent.kind === "two-way" ? sent : null)}
</div>
<p><a id="done" href="${dropPath(locale, "done")}">${say("done")}</a></p>
</section>`
}

/** The script shows this before it sends. */
function fileNotes(say: Sentences, notes: readonly FileNote[]): Html {
  if (notes.length === 0) return html``
  return html`<ul id="sent-files">${notes.map(({ text, number }) => html`<li>${say(text, { number })}</li>`)}</ul>`
}

function twoWay(
  say: Sentences,
  locale: Locale,
  sent: { readonly code: ShownCode; readonly confirmWrong: boolean } | null,
): Html {
  const { words, numbers } = sent?.code ?? { words: [], numbers: [] }
  const [first, second] = digitsFirst(locale) ? [numbers, words] : [words, numbers]
  const language = wordLanguage(locale)
  const code = numbers.join(" ")
  const outcome = sent?.confirmWrong === true ? say("confirm-wrong") : ""
  return html`<p>${say("sent-two-way")}</p>
<h2>${say("code-title")}</h2>
<ol id="code-words" class="code" lang="${language}" dir="ltr" translate="no">${first.map((part) => html`<li>${part}</li>`)}</ol>
<p><strong>${say("code-once")}</strong></p>
${promised(say, "p", "promise-code")}
<p>${say("code-line")}</p>
<p id="code-line" class="code" lang="${language}" dir="ltr" translate="no">${first.join(" ")}</p>
<p>${say("code-numbers")}</p>
<p id="code-numbers" class="code" lang="${language}" dir="ltr" translate="no">${second.join(" ")}</p>
<p>${say("code-either")}</p>
<form id="confirm-form" method="post" enctype="multipart/form-data" action="${dropPath(locale, "confirm")}" autocomplete="off" novalidate>
<h2>${say("confirm-title")}</h2>
<p>${say("confirm-text")}</p>
${hiddenCode(code)}
<p id="confirm-outcome" class="fault" role="status" ${hiddenUnless(outcome !== "")}>${outcome}</p>
<div class="pair">
<div class="field">
<label for="word-4">${say("confirm-4")}</label>
<input id="word-4" name="word4" ${PRIVATE_TEXT} aria-describedby="confirm-outcome">
</div>
<div class="field">
<label for="word-9">${say("confirm-9")}</label>
<input id="word-9" name="word9" ${PRIVATE_TEXT} aria-describedby="confirm-outcome">
</div>
</div>
<button type="submit" class="quiet">${say("confirm-check")}</button>
</form>
<h2>${say("next-title")}</h2>
<form id="write-again-form" method="post" enctype="multipart/form-data" action="${dropPath(locale, "replies")}" autocomplete="off">
${hiddenCode(code)}
<button id="write-again" type="submit" class="quiet">${say("write-again")}</button>
</form>
<form id="withdraw-now-form" method="post" enctype="multipart/form-data" action="${dropPath(locale, "withdraw")}" autocomplete="off">
<p id="withdraw-warning">${say("admission-withdraw")}</p>
${hiddenCode(code)}
<button id="withdraw-now" type="submit" class="quiet" aria-describedby="withdraw-warning">${say("withdraw-now")}</button>
<p id="withdraw-outcome" role="status" hidden></p>
</form>`
}

function hiddenUnless(shown: boolean): Html {
  return shown ? html`` : html`hidden`
}
