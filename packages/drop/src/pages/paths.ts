import type { Locale } from "./page-input.ts"

/**
 * Where a page of the drop is in a language: `/drop/fr/replies`, and in English `/drop/replies`.
 */
export function dropPath(locale: Locale, page = ""): string {
  const parts = ["/drop", locale === "en" ? "" : locale, page]
  return parts.filter((part) => part !== "").join("/")
}

/** Keys, sums and the offline page are the same in every language. */
export const KEYS_PATH = "/drop/keys.txt"
export const OFFLINE_PATH = "/drop/offline"
