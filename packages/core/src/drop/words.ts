import type { WordLanguage, WordList } from "./thread-code.ts"

// Each list is a separate import, so that a page loads only the list of its language.
const lists: Record<WordLanguage, () => Promise<{ readonly wordlist: readonly string[] }>> = {
  en: () => import("@scure/bip39/wordlists/english.js"),
  fr: () => import("@scure/bip39/wordlists/french.js"),
  es: () => import("@scure/bip39/wordlists/spanish.js"),
  it: () => import("@scure/bip39/wordlists/italian.js"),
  pt: () => import("@scure/bip39/wordlists/portuguese.js"),
  cs: () => import("@scure/bip39/wordlists/czech.js"),
  ja: () => import("@scure/bip39/wordlists/japanese.js"),
  ko: () => import("@scure/bip39/wordlists/korean.js"),
  "zh-Hans": () => import("@scure/bip39/wordlists/simplified-chinese.js"),
  "zh-Hant": () => import("@scure/bip39/wordlists/traditional-chinese.js"),
}

export async function loadWords(language: WordLanguage): Promise<WordList> {
  return { language, words: (await lists[language]()).wordlist }
}
