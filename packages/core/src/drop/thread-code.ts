/** The languages a thread code can be written in; every other page shows digits first. */
export const WORD_LANGUAGES = [
  "en",
  "fr",
  "es",
  "it",
  "pt",
  "cs",
  "ja",
  "ko",
  "zh-Hans",
  "zh-Hant",
] as const
export type WordLanguage = (typeof WORD_LANGUAGES)[number]

/** 2,048 words in the order of their list. */
export interface WordList {
  readonly language: WordLanguage
  readonly words: readonly string[]
}

/** 120 random bits: all that a sender keeps of a thread. */
export const SECRET_BYTES = 15
