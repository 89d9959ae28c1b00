import { html } from "./html.ts"
import { dropPage } from "./layout.ts"
import type { DropFacts, Locale, PageFiles } from "./page-input.ts"
import { dropPath } from "./paths.ts"
import { promised, sentencesOf } from "./sentences.ts"
import type { TextKey } from "./texts/texts.ts"

/** The last page of a visit, whose answer tells the browser to forget the site. */
export function donePage(locale: Locale, facts: DropFacts, files: PageFiles): string {
  const say = sentencesOf(locale)
  const title = say("done-title")
  const body = html`<h1>${title}</h1>
${promised(say, "p", "promise-done")}
<p>${say("done-history")}</p>`
  return dropPage({ locale, facts, files, say, title, path: "done", body })
}

/** Takes the place of the form while too much comes in; reloads by itself, without a script. */
export function busyPage(
  locale: Locale,
  facts: DropFacts,
  files: PageFiles,
  state: { readonly seconds: number; readonly path: string },
): string {
  const say = sentencesOf(locale)
  const title = say("busy-title")
  const body = html`<h1>${title}</h1>
<p>${say("busy-text", { count: state.seconds })}</p>`
  return dropPage({ locale, facts, files, say, title, path: "", body, refresh: state })
}

/** No key yet: nothing could be sealed, so nothing is taken. */
export function notSetUpPage(locale: Locale, facts: DropFacts, files: PageFiles): string {
  const say = sentencesOf(locale)
  const title = say("not-set-up-title")
  const body = html`<h1>${title}</h1>
<p>${say("not-set-up-text")}</p>
<p>${say("not-set-up-operators")}</p>
<pre class="code" dir="ltr" translate="no">npx assay drop new-identity identity.age
npx assay drop keys add age1…</pre>`
  return dropPage({ locale, facts, files, say, title, path: "", body })
}

export function notFoundPage(locale: Locale, facts: DropFacts, files: PageFiles): string {
  const say = sentencesOf(locale)
  const title = say("not-found-title")
  const body = html`<h1>${title}</h1>
<p>${say("not-found-text")}</p>
<p><a href="${dropPath(locale)}">${say("link-form")}</a></p>`
  return dropPage({ locale, facts, files, say, title, path: null, body })
}

/** The sums of what browsers load, to hold against the published list. */
export function hashesPage(
  locale: Locale,
  facts: DropFacts,
  files: PageFiles,
  state: { readonly hashes: readonly { readonly file: string; readonly sha256: string }[] },
): string {
  const say = sentencesOf(locale)
  const title = say("hashes-title")
  const rows = state.hashes.map(({ file, sha256 }) => html`<dt>${file}</dt><dd>${sha256}</dd>`)
  const body = html`<h1>${title}</h1>
${promised(say, "p", "promise-hashes")}
<p>${say("hashes-compare")}</p>
<dl class="code" dir="ltr" translate="no">${rows}</dl>`
  return dropPage({ locale, facts, files, say, title, path: "hashes", body })
}

/** The sentence for a refused request, if there is no form to show it in. */
const REASONS: Readonly<Record<number, Extract<TextKey, `refusal-${string}`>>> = {
  400: "refusal-unreadable",
  403: "refusal-other-site",
  405: "refusal-method",
  408: "refusal-slow",
  413: "refusal-large",
  500: "refusal-failed",
  503: "refusal-busy",
  507: "refusal-full",
}

/** Statuses after which the very same request may do better. */
const PASSING = [408, 500, 503, 507]

/** Any other status gets the sentence of the plain one of its kind. */
export function refusalPage(
  locale: Locale,
  facts: DropFacts,
  files: PageFiles,
  state: {
    readonly status: number
    /** Others waited, and this sender was the slowest. */
    readonly gaveWay?: boolean
  },
): string {
  const say = sentencesOf(locale)
  const title = say("refusal-title")
  const status = state.status in REASONS ? state.status : state.status < 500 ? 400 : 500
  const reason = state.gaveWay === true ? "refusal-gave-way" : (REASONS[status] ?? "refusal-failed")
  // After a fault of ours it is unknown how far the request came.
  const body = html`<h1>${title}</h1>
<p>${say(reason)}</p>
${PASSING.includes(status) ? html`<p>${say("refusal-reload")}</p>` : ""}
${status === 500 ? "" : promised(say, "p", "promise-nothing-stored")}`
  return dropPage({ locale, facts, files, say, title, path: null, body })
}
