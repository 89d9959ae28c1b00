import { type Html, html } from "./html.ts"
import { codeField, hiddenCode, noScriptCodeNote } from "./code-field.ts"
import { dropPage } from "./layout.ts"
import { faultSummary, messageFields } from "./message-fields.ts"
import type {
  DropFacts,
  FormFault,
  FormState,
  Locale,
  PageFiles,
  ShownReply,
} from "./page-input.ts"
import { dropPath } from "./paths.ts"
import { sentSection } from "./sent-page.ts"
import { promised, type Sentences, sentencesOf } from "./sentences.ts"

/**
 * Where a person types their code. `form` is for the message that may follow, once the script shows
 * its fields.
 */
export function repliesPage(
  locale: Locale,
  facts: DropFacts,
  files: PageFiles,
  state: { readonly fault: Pick<FormFault, "text" | "values"> | null; readonly form: FormState },
): string {
  const say = sentencesOf(locale)
  const title = say("replies-title")
  return dropPage({
    locale,
    facts,
    files,
    say,
    title,
    faulty: state.fault !== null,
    path: state.fault === null ? "replies" : null,
    script: "replies",
    body: html`<div id="ask">
<h1>${title}</h1>
<p>${say("replies-intro")}</p>
<form id="replies-form" method="post" enctype="multipart/form-data" action="${dropPath(locale, "replies")}" autocomplete="off" novalidate>
${codeField(say, state.fault === null ? [] : [state.fault])}
${noScriptCodeNote(say)}
<button id="show-replies" type="submit">${say("show-replies")}</button>
<p id="replies-outcome" role="status" hidden></p>
</form>
${promised(say, "p", "promise-alike")}
</div>
${repliesSection(say, locale, facts, { hidden: true, replies: [], code: "", form: state.form })}
${sentSection(say, locale, { hidden: true })}`,
  })
}

/**
 * The replies of a code, and the form to write again. `code` is in digits, for the forms of this
 * page.
 */
export function repliesShownPage(
  locale: Locale,
  facts: DropFacts,
  files: PageFiles,
  state: {
    readonly replies: readonly ShownReply[]
    readonly code: string
    readonly form: FormState
  },
): string {
  const say = sentencesOf(locale)
  const title = say("replies-shown-title")
  const body = repliesSection(say, locale, facts, { hidden: false, ...state })
  const faulty = state.form.faults.length > 0
  return dropPage({ locale, facts, files, say, title, faulty, path: null, body })
}

export function repliesDeletedPage(locale: Locale, facts: DropFacts, files: PageFiles): string {
  const say = sentencesOf(locale)
  const title = say("replies-deleted-title")
  const body = html`<h1>${title}</h1>
<p>${say("replies-deleted")}</p>
<p><a id="done" href="${dropPath(locale, "done")}">${say("done")}</a></p>`
  return dropPage({ locale, facts, files, say, title, path: null, body })
}

interface Replies {
  readonly hidden: boolean
  readonly replies: readonly ShownReply[]
  readonly code: string
  readonly form: FormState
}

function repliesSection(
  say: Sentences,
  locale: Locale,
  facts: DropFacts,
  { hidden, replies, code, form }: Replies,
): Html {
  const none = replies.length === 0
  return html`<section id="replies" aria-labelledby="replies-title" ${hidden ? html`hidden` : ""}>
<h1 id="replies-title" tabindex="-1">${say("replies-shown-title")}</h1>
<p id="no-replies" ${none ? "" : html`hidden`}>${say("no-replies")}</p>
<ol id="reply-list" ${none ? html`hidden` : ""}>${replies.map((reply, at) => replyItem(say, reply, at + 1))}</ol>
<p>${say("admission-own-messages")}</p>
${promised(say, "p", "promise-replies-kept", { count: facts.retentionDays })}
<form id="delete-form" method="post" enctype="multipart/form-data" action="${dropPath(locale, "replies/delete")}" autocomplete="off" ${none ? html`hidden` : ""}>
${hiddenCode(code)}
${promised(say, "p", "promise-delete")}
<button id="delete-replies" type="submit" class="quiet">${say("delete-replies")}</button>
</form>
<p id="delete-outcome" role="status" hidden></p>
<h2>${say("follow-up-title")}</h2>
<p>${say("admission-follow-up")}</p>
<form id="follow-up-form" method="post" enctype="multipart/form-data" action="${dropPath(locale, "form")}" autocomplete="off" novalidate>
${faultSummary(say, form)}
${messageFields(say, facts, { ...form, code }, "follow-up")}
</form>
<p><a href="${dropPath(locale, "done")}">${say("done")}</a></p>
</section>`
}

/** A reply as text and nothing else, in whichever direction its own letters run. */
function replyItem(say: Sentences, { text, file }: ShownReply, number: number): Html {
  return html`<li>
<h2>${say("reply-number", { number })}</h2>
<div class="reply" dir="auto" translate="no">${text}</div>
${file ? html`<p class="hint">${say("reply-file")}</p>` : ""}
</li>`
}
