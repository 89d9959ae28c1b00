import type { en } from "./en.ts"

export type TextKey = keyof typeof en

/** A sentence that follows its number; a language has the forms its plural rules know. */
export type PluralText = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & {
  readonly other: string
}

/** All sentences of one language: the same as in English, and plural where English is. */
export type Texts = {
  readonly [Key in TextKey]: (typeof en)[Key] extends string ? string : PluralText
}

export type FaultKey = Extract<TextKey, `fault-${string}`>
export type PromiseKey = Extract<TextKey, `promise-${string}`>
