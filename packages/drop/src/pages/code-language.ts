import { WORD_LANGUAGES, type WordLanguage } from "@assay/core/drop"
import type { Locale } from "./page-input.ts"

/** The language of the words in a page's codes; English if its own language has no list. */
export function wordLanguage(locale: Locale): WordLanguage {
  return WORD_LANGUAGES.find((language) => language === locale) ?? "en"
}

/**
 * Pages without words of their own show digits first: words of a foreign language are copied with
 * mistakes.
 */
export function digitsFirst(locale: Locale): boolean {
  return wordLanguage(locale) !== locale
}
