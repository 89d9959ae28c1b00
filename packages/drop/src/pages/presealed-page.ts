import { html } from "./html.ts"
import { described, faultAt } from "./faults.ts"
import { dropPage } from "./layout.ts"
import type { DropFacts, FormFault, Locale, PageFiles } from "./page-input.ts"
import { KEYS_PATH, OFFLINE_PATH, dropPath } from "./paths.ts"
import { promised, sentencesOf } from "./sentences.ts"

/** How to make a sealed message with stock programs, and where to send it. */
export function presealedPage(
  locale: Locale,
  facts: DropFacts,
  files: PageFiles,
  state: {
    readonly token: string
    readonly fault: Pick<FormFault, "text" | "values"> | null
  },
): string {
  const say = sentencesOf(locale)
  const title = say("presealed-title")
  const faults = state.fault === null ? [] : [state.fault]
  return dropPage({
    locale,
    facts,
    files,
    say,
    title,
    faulty: state.fault !== null,
    path: state.fault === null ? "presealed" : null,
    body: html`<h1>${title}</h1>
<p>${say("presealed-intro")}</p>
<ol>
<li>${say("presealed-step-keys")} <a href="${KEYS_PATH}" download="keys.txt" dir="ltr">keys.txt</a></li>
<li>${say("presealed-step-message")}</li>
<li>${say("presealed-step-commands")}
<pre class="code" dir="ltr" translate="no">${presealedCommands(locale)}</pre></li>
<li>${say("presealed-step-send")}
<form id="presealed-form" method="post" enctype="multipart/form-data" action="${dropPath(locale, "presealed")}" autocomplete="off" novalidate>
<div class="field">
<label for="sealed">${say("presealed-file")}</label>
${faultAt(say, "sealed", faults)}
<input id="sealed" name="sealed" type="file" ${described("sealed", faults.length > 0, false)}>
</div>
<input type="hidden" name="token" value="${state.token}" autocomplete="off">
<button type="submit">${say("send")}</button>
</form></li>
</ol>
${promised(say, "p", "promise-presealed")}
<h2>${say("presealed-offline-title")}</h2>
<p>${say("presealed-offline")}</p>
<p><a href="${OFFLINE_PATH}" download>${say("link-offline")}</a></p>`,
  })
}

/**
 * `wrapped`: the file was not of the form and size of a message, and went into an envelope of the
 * server's own.
 */
export function presealedSentPage(
  locale: Locale,
  facts: DropFacts,
  files: PageFiles,
  state: { readonly wrapped: boolean },
): string {
  const say = sentencesOf(locale)
  const title = say("presealed-sent-title")
  const body = html`<h1>${title}</h1>
<p>${say(state.wrapped ? "presealed-wrapped" : "presealed-sent")}</p>
<p><a id="done" href="${dropPath(locale, "done")}">${say("done")}</a></p>`
  return dropPage({ locale, facts, files, say, title, path: null, body })
}

/**
 * Commands that make a message of the smallest size by hand, without files and without a code. Its
 * bytes look like those of any other: the tar holds no user, no group and no time, and its size is
 * a size class. The message's id in the manifest is random, so that readers notice a message that
 * comes twice.
 */
export function presealedCommands(locale: Locale): string {
  return `nid=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \\n')
printf '{"v":1,"nid":"%s","sealed_by":"sender",' "$nid" > manifest.json
printf '"mode":"one-way","lang":"${locale}","files":[]}' >> manifest.json
tar --format=ustar --mtime=@0 --owner=0 --group=0 --numeric-owner \\
  --mode=600 -cf message.tar manifest.json message.txt
truncate -s 64K message.tar
age -R keys.txt -o message.age message.tar`
}
