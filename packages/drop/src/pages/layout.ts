import { FILE_MAX, FILES_MAX, MESSAGE_MAX } from "@assay/core/drop"
import { digitsFirst, wordLanguage } from "./code-language.ts"
import { Html, html } from "./html.ts"
import { type DropFacts, LOCALES, type Locale, type PageFiles } from "./page-input.ts"
import { dropPath, KEYS_PATH } from "./paths.ts"
import { type Sentences, texts } from "./sentences.ts"
import { en } from "./texts/en.ts"
import type { TextKey } from "./texts/texts.ts"

interface Refresh {
  readonly seconds: number
  readonly path: string
}

interface Layout {
  readonly locale: Locale
  readonly facts: DropFacts
  readonly files: PageFiles
  readonly say: Sentences
  readonly title: string
  readonly body: Html
  /**
   * The path of the page below the language; null for the answer to a form, which no other language
   * can show again.
   */
  readonly path: string | null
  /** The page the script takes over; without it the page loads none. */
  readonly script?: "form" | "replies" | "withdraw"
  /** The form had faults: the title begins with that, because screen readers read it first. */
  readonly faulty?: boolean
  /** Where the browser goes by itself, and after how many seconds. */
  readonly refresh?: Refresh
  /** The same, of browsers without JavaScript only. */
  readonly plainRefresh?: Refresh | undefined
}

const RIGHT_TO_LEFT: readonly Locale[] = ["ar"]

/**
 * A whole page. No inline style or script, no icon and nothing from elsewhere: the policy of the
 * drop allows none.
 */
export function dropPage(layout: Layout): string {
  const { locale, facts, files, say, body, path, script } = layout
  const title = layout.faulty === true ? say("title-fault", { title: layout.title }) : layout.title
  const style = files.get("style")
  const direction = RIGHT_TO_LEFT.includes(locale) ? "rtl" : "ltr"
  const from = facts.name === "" ? say("page-name") : facts.name
  return html`<!doctype html>
<html lang="${locale}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${layout.refresh === undefined ? "" : refreshing(layout.refresh)}
${layout.plainRefresh === undefined ? "" : html`<noscript>${refreshing(layout.plainRefresh)}</noscript>`}
<title>${title} – ${from}</title>
<link rel="stylesheet" href="${style.path}" integrity="${style.integrity}">
${script === undefined ? "" : pageData(layout, script)}
</head>
<body>
<a class="skip" href="#main">${say("skip")}</a>
<header>
<p class="name">${from}</p>
${path === null ? "" : languages(say, locale, path)}
</header>
<main id="main" tabindex="-1">
${facts.sharesPort ? html`<p class="note">${say("demo")}</p>` : ""}
${body}
</main>
<footer>
<nav aria-label="${say("other-pages")}">
<ul>
<li><a href="${dropPath(locale)}">${say("link-form")}</a></li>
<li><a href="${dropPath(locale, "replies")}">${say("link-replies")}</a></li>
<li><a href="${dropPath(locale, "withdraw")}">${say("link-withdraw")}</a></li>
<li><a href="${dropPath(locale, "presealed")}">${say("link-presealed")}</a></li>
<li><a href="${dropPath(locale, "hashes")}">${say("link-hashes")}</a></li>
</ul>
</nav>
</footer>
</body>
</html>
`.text
}

function refreshing({ seconds, path }: Refresh): Html {
  return html`<meta http-equiv="refresh" content="${seconds}; url=${path}">`
}

/** Each language by its own name, since a person looks for the one they can read. */
function languages(say: Sentences, current: Locale, path: string): Html {
  const links = LOCALES.map((locale) => {
    const name = texts[locale]["language-name"]
    return locale === current
      ? html`<li><span lang="${locale}" aria-current="true">${name}</span></li>`
      : html`<li><a href="${dropPath(locale, path)}" lang="${locale}" hreflang="${locale}" dir="auto">${name}</a></li>`
  })
  return html`<nav aria-label="${say("languages")}"><ul class="languages">${links}</ul></nav>`
}

/** Sentences that only the script uses; those of the plain pages are in their markup. */
const SCRIPT_TEXTS = (Object.keys(en) as TextKey[]).filter(
  (key) =>
    /^(script|failure|finding|fault)-/.test(key) ||
    [
      "file-number",
      "confirm-right",
      "confirm-wrong",
      "reply-number",
      "reply-unreadable",
      "replies-deleted",
      "promise-withdrawn",
    ].includes(key),
)

interface Page {
  readonly locale: Locale
  readonly facts: DropFacts
  readonly files: PageFiles
  readonly say: Sentences
}

/**
 * The script of a page and its data, in a form that cannot run. The page waits for the script, so
 * that nobody with JavaScript can send a form before the script controls it. The paths of the
 * worker and of word lists are not in it: the script contains them, so that its own hash covers
 * them.
 */
function pageData(
  { locale, facts, files, say }: Page,
  page: "form" | "replies" | "withdraw",
): Html {
  const script = files.get(`sender-${wordLanguage(locale)}`)
  const data = {
    locale,
    page,
    fingerprint: facts.fingerprint,
    keys: KEYS_PATH,
    digitsFirst: digitsFirst(locale),
    limits: { message: MESSAGE_MAX, files: FILES_MAX, file: FILE_MAX },
    // Placeholders that only the script can fill stay unchanged: `{number}`, `{percent}`, `{at}`.
    texts: Object.fromEntries(SCRIPT_TEXTS.map((key) => [key, say(key)])),
  }
  // A "<" is all that could end the element early or open a comment in it.
  const json = new Html(JSON.stringify(data).replaceAll("<", "\\u003c"))
  return html`<script type="application/json" id="drop-data">${json}</script>
<script src="${script.path}" integrity="${script.integrity}"></script>`
}
