import { html } from "./html.ts"
import { dropPage } from "./layout.ts"
import type { DropFacts, Locale, PageFiles } from "./page-input.ts"
import { promised } from "./promised.ts"
import { sentencesOf } from "./sentences.ts"
import type { TextKey } from "./texts/texts.ts"

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
