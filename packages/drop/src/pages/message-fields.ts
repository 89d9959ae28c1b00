import { FILES_MAX } from "@assay/core/drop"
import { type Html, html } from "./html.ts"
import { PRIVATE_TEXT, hiddenCode } from "./code-field.ts"
import { described, faultAt } from "./faults.ts"
import type { DropFacts, FormFault, FormState } from "./page-input.ts"
import { promised, type Sentences } from "./sentences.ts"

/** The faults of the form before anything else, with a link to each field. */
export function faultSummary(say: Sentences, { faults }: FormState): Html {
  if (faults.length === 0) return html`<div id="form-fault" class="fault" hidden></div>`
  const links = faults.map(({ field, text, values }) =>
    field === "message" || field === "files" || field === "question"
      ? html`<li><a href="#${field}">${say(text, values)}</a></li>`
      : html`<li>${say(text, values)}</li>`,
  )
  return html`<div id="form-fault" class="fault" role="alert" tabindex="-1" autofocus>
<h2>${say("fault-summary")}</h2>
<ul>${links}</ul>
<p data-promise="promise-nothing-stored">${say("promise-nothing-stored")}</p>
<p>${say("files-again")}</p>
</div>`
}

/**
 * Everything inside a form that sends a message, first or later; a later one always belongs to a
 * code. All that can be changed is in one fieldset, which the script closes while it sends; to a
 * reader it is no group. Which thread it belongs to, if to any, comes before the files: of an
 * upload that breaks off in a file all that stands before it comes back.
 */
export function messageFields(
  say: Sentences,
  facts: DropFacts,
  state: FormState,
  kind: "first" | "follow-up",
): Html {
  const of = (field: FormFault["field"]): FormFault[] =>
    state.faults.filter((fault) => fault.field === field)
  return html`<fieldset id="letter" role="none">
<input type="hidden" name="token" value="${state.token}" autocomplete="off">
${hiddenCode(state.code)}
<div class="field">
<label for="message">${say("message-label")}</label>
<p id="message-hint" class="hint">${say("message-hint")}</p>
${faultAt(say, "message", of("message"))}
${textArea(state.message, of("message").length > 0)}
</div>
${kind === "first" ? modeFields(say, state) : html`<input type="hidden" name="mode" value="two-way">`}
${fileFields(say, facts, state, of("files"))}
${facts.question === null ? "" : questionField(say, facts.question, of("question"))}
<div class="website" aria-hidden="true">
<label for="website">${say("website-label")}</label>
<input id="website" name="website" type="text" tabindex="-1" autocomplete="off">
</div>
<input type="hidden" name="filler" value="${state.filler}" autocomplete="off">
${effortField(say)}
<p id="no-script-note" class="note">${say("admission-no-script")}</p>
<button id="send" type="submit">${say("send")}</button>
</fieldset>
<div id="progress" role="status" hidden>
<p id="progress-text"></p>
<progress id="progress-bar" max="100" value="0" aria-labelledby="progress-text"></progress>
</div>
<div id="failure" class="fault" role="alert" hidden></div>`
}

function textArea(message: string, faulty: boolean): Html {
  // A parser drops the first line break inside, so that a message may begin with one of its own.
  // Firefox does not heed the form's `autocomplete` for this field, and would write the text into
  // the file from which it opens a session again.
  return html`<textarea id="message" name="message" rows="10" autocomplete="off" spellcheck="false" dir="auto" ${described("message", faulty)}>
${message}</textarea>`
}

function fileFields(
  say: Sentences,
  facts: DropFacts,
  state: FormState,
  faults: readonly FormFault[],
): Html {
  const numbers = Array.from({ length: FILES_MAX }, (_, at) => at + 1)
  return html`<fieldset id="files-field" ${when(!facts.filesTaken, "disabled")}>
<legend id="files-label">${say("files-label")}</legend>
<p id="files-hint" class="hint">${say(facts.filesTaken ? "files-hint" : "files-not-taken")}</p>
<div id="metadata-hint" class="hint">
<p>${say("metadata-hint")}</p>
${promised(say, "p", "promise-strip")}
<p>${say("admission-documents")}</p>
</div>
${faultAt(say, "files", faults)}
${numbers.map((number) => fileField(say, number, state.untouched.includes(number), faults.length > 0))}
<ul id="files-report" hidden></ul>
<div class="choice">
<input id="names" name="names" type="checkbox" value="keep" ${when(state.keepNames, "checked")} aria-describedby="names-hint">
<label for="names">${say("names-keep")}</label>
<p id="names-hint" class="hint" data-promise="promise-names">${say("promise-names")}</p>
</div>
</fieldset>`
}

/**
 * One file and the choice for it. The script takes all files in the first field and shows a choice
 * for each in its report, so it removes everything with the class `each-file`.
 */
function fileField(say: Sentences, number: number, untouched: boolean, faulty: boolean): Html {
  const id = number === 1 ? "files" : `files-${number}`
  return html`<div class="field ${number === 1 ? "" : "each-file"}">
<label id="${id}-number" for="${id}" class="each-file">${say("file-number", { number })}</label>
<input id="${id}" name="files" type="file" aria-labelledby="files-label ${id}-number" ${described("files", faulty)}>
<div class="choice each-file">
<input id="untouched-${number}" name="untouched-${number}" type="checkbox" value="keep" ${when(untouched, "checked")} aria-describedby="metadata-hint">
<label for="untouched-${number}">${say("metadata-keep", { number })}</label>
</div>
</div>`
}

function modeFields(say: Sentences, { mode }: FormState): Html {
  return html`<fieldset id="mode">
<legend>${say("mode-label")}</legend>
<div class="choice">
<input id="mode-two-way" name="mode" type="radio" value="two-way" ${when(mode === "two-way", "checked")} aria-describedby="mode-two-way-hint">
<label for="mode-two-way">${say("mode-two-way")}</label>
<p id="mode-two-way-hint" class="hint">${say("mode-two-way-hint")}</p>
</div>
<div class="choice">
<input id="mode-one-way" name="mode" type="radio" value="one-way" ${when(mode === "one-way", "checked")} aria-describedby="mode-one-way-hint">
<label for="mode-one-way">${say("mode-one-way")}</label>
<p id="mode-one-way-hint" class="hint">${say("mode-one-way-hint")}</p>
</div>
</fieldset>`
}

/**
 * The operators' own question, in their own language, only for those who send without the script.
 */
function questionField(say: Sentences, question: string, faults: readonly FormFault[]): Html {
  return html`<div class="field" id="question-field">
<label for="question">${say("question-label")}</label>
<p id="question-hint" class="hint" dir="auto">${question}</p>
${faultAt(say, "question", faults)}
<input id="question" name="answer" ${PRIVATE_TEXT} ${described("question", faults.length > 0)}>
</div>`
}

/** How often the work is doubled on purpose, from not at all. */
const EFFORTS = ["effort-0", "effort-1", "effort-2", "effort-3"] as const

/**
 * For the script alone, so it has no name that a form would send: without the script no device
 * works.
 */
function effortField(say: Sentences): Html {
  return html`<div class="field" id="effort-field" hidden>
<label for="effort">${say("effort-label")}</label>
<p id="effort-hint" class="hint">${say("effort-hint")} ${say("admission-effort")}</p>
<select id="effort" aria-describedby="effort-hint" autocomplete="off">
${EFFORTS.map((text, effort) => html`<option value="${effort}">${say(text)}</option>`)}
</select>
</div>`
}

function when(condition: boolean, attribute: "checked" | "disabled"): Html {
  return condition ? html`${attribute}` : html``
}
