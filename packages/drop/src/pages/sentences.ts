import { FILE_MAX, FILES_MAX, MESSAGE_MAX } from "@assay/core/drop"
import { type Html, html } from "./html.ts"
import type { Locale, TextValues } from "./page-input.ts"
import { ar } from "./texts/ar.ts"
import { de } from "./texts/de.ts"
import { en } from "./texts/en.ts"
import { es } from "./texts/es.ts"
import { fr } from "./texts/fr.ts"
import type { PromiseKey, TextKey, Texts } from "./texts/texts.ts"

export const texts: Readonly<Record<Locale, Texts>> = { en, fr, es, de, ar }

/** A sentence in the language of a page, with its numbers written as that language writes them. */
export type Sentences = (key: TextKey, values?: TextValues) => string

const made = new Map<Locale, Sentences>()

/**
 * The sentences of a language. Any of them may use the limits of a message: `{files}`, `{size}` and
 * `{letters}`.
 */
export function sentencesOf(locale: Locale): Sentences {
  const sentences = made.get(locale) ?? makeSentences(locale)
  made.set(locale, sentences)
  return sentences
}

function makeSentences(locale: Locale): Sentences {
  // Codes are typed in 0 to 9, so pages show no other digits.
  const numbers = new Intl.NumberFormat(`${locale}-u-nu-latn`)
  const plurals = new Intl.PluralRules(locale)
  const limits: TextValues = {
    files: FILES_MAX,
    size: fileSize(locale, FILE_MAX),
    // The limit counts bytes. An Arabic letter takes two, so this number is never too high for a
    // whole text.
    letters: locale === "ar" ? MESSAGE_MAX / 2 : MESSAGE_MAX,
  }
  return (key, values = {}) => {
    const text = texts[locale][key]
    const chosen =
      typeof text === "string" ? text : (text[plurals.select(Number(values.count))] ?? text.other)
    return chosen.replaceAll(/\{([a-z0-9]+)\}/g, (hole, name: string) => {
      const value = values[name] ?? limits[name] ?? hole
      return typeof value === "number" ? numbers.format(value) : value
    })
  }
}

function fileSize(locale: Locale, bytes: number): string {
  return new Intl.NumberFormat(`${locale}-u-nu-latn`, {
    style: "unit",
    unit: "megabyte",
    unitDisplay: locale === "ar" ? "long" : "short",
  }).format(bytes / 1_048_576)
}

/**
 * A sentence that promises something, with its name, by which tests find out that it is proven and
 * still printed.
 */
export function promised(
  say: Sentences,
  element: "p" | "li",
  key: PromiseKey,
  values?: TextValues,
): Html {
  const sentence = say(key, values)
  return element === "p"
    ? html`<p data-promise="${key}">${sentence}</p>`
    : html`<li data-promise="${key}">${sentence}</li>`
}
