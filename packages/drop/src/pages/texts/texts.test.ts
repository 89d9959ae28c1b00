import assert from "node:assert/strict"
import { test } from "node:test"
import { codeNumbers, codeWords, newSecret, readCode } from "@assay/core/drop"
import { METADATA_LABELS } from "@assay/core/drop/metadata"
import { loadWords } from "@assay/core/drop/words"
import { digitsFirst, wordLanguage } from "../code-language.ts"
import { LOCALES, type Locale } from "../page-input.ts"
import { sentencesOf, texts } from "../sentences.ts"
import { everyPage, sampleFacts } from "../../../testing/pages/test-pages.ts"
import { en } from "./en.ts"
import type { PluralText, TextKey } from "./texts.ts"

const keys = Object.keys(en) as TextKey[]

function formsOf(text: string | PluralText): string[] {
  return typeof text === "string" ? [text] : Object.values(text)
}

function holesOf(text: string): string[] {
  return [...new Set(text.match(/\{[a-z0-9]+\}/g))].sort()
}

/** The plural forms that whole numbers from 1 take in a language. */
function neededForms(locale: Locale): Set<string> {
  const rules = new Intl.PluralRules(locale)
  return new Set(Array.from({ length: 200 }, (_, n) => rules.select(n + 1)))
}

/** Words that are spelled alike in two languages. */
const SHARED: Partial<Record<Locale, readonly TextKey[]>> = {
  fr: ["finding-date", "finding-company"],
  es: ["title-fault"],
  de: ["finding-company"],
}

for (const locale of LOCALES.filter((each) => each !== "en")) {
  test(`T54: no sentence is missing in ${locale}, left in English or without what stands in it`, () => {
    assert.deepEqual(Object.keys(texts[locale]).sort(), [...keys].sort())
    for (const key of keys) {
      const [own, english] = [texts[locale][key], texts.en[key]]
      for (const form of formsOf(own)) assert.match(form, /\S/, key)
      const [ownLast, englishLast] = [formsOf(own).at(-1) ?? "", formsOf(english).at(-1) ?? ""]
      assert.deepEqual(holesOf(ownLast), holesOf(englishLast), key)
      if (!(SHARED[locale] ?? []).includes(key)) assert.notDeepEqual(own, english, key)
      // A form may write its number as a word, but only where it is the only number of that form.
      for (const [name, form] of Object.entries(typeof own === "string" ? {} : own))
        if (!["one", "two"].includes(name)) assert.match(form, /\{count\}/, `${key} ${name}`)
    }
  })

  test(`T54: numbers in ${locale} have every form of the word that its grammar has`, () => {
    for (const key of keys) {
      const text = texts[locale][key]
      if (typeof text === "string") continue
      assert.deepEqual(
        [...neededForms(locale)].filter((form) => !(form in text)),
        [],
        key,
      )
    }
  })
}

test("T54: a sentence is printed with no hole left in it, in digits that a code is typed in", () => {
  for (const locale of LOCALES) {
    const say = sentencesOf(locale)
    for (const count of [1, 2, 3, 11, 30, 90]) {
      const sentence = say("promise-kept", { count })
      assert.doesNotMatch(sentence, /[{}]/)
      assert.doesNotMatch(sentence, /[\u0660-\u0669\u06f0-\u06f9]/)
      if (count > 2) assert.match(sentence, new RegExp(`(^|\\D)${count}(\\D|$)`))
    }
    for (const key of ["files-hint", "message-hint", "refusal-large"] as const)
      assert.doesNotMatch(say(key), /[{}]/, key)
  }
})

test("every sentence is said on some page, by the script or by a sealer", () => {
  const say = sentencesOf("en")
  const pages = [...everyPage("en").values()].join("\n")
  const elsewhere = /^(script|failure|finding|fault|reply-unreadable)/
  const values = { count: 30, number: 1, name: sampleFacts.name, title: "" }
  const silent = keys.filter(
    (key) => !elsewhere.test(key) && !pages.includes(say(key, values).replaceAll("'", "&#39;")),
  )
  // The pages print it for three keys, not for thirty.
  assert.deepEqual(silent, ["promise-readers"])
})

test("T54: every kind of finding in a file has a word in every language", () => {
  for (const locale of LOCALES)
    for (const label of METADATA_LABELS) {
      const key = `finding-${label}` as TextKey
      assert.match(formsOf(texts[locale][key]).join(), /\S/, `${key} in ${locale}`)
    }
})

test("T54: a code can be typed as the pages of each language show it", async () => {
  const lists = await Promise.all((["en", "fr", "es"] as const).map(loadWords))
  for (const locale of LOCALES) {
    const secret = newSecret()
    const words = codeWords(secret, await loadWords(wordLanguage(locale)))
    for (const shown of [words, codeNumbers(secret)])
      assert.deepEqual(readCode(shown.join(" "), lists), { secret }, locale)
  }
  assert.deepEqual(LOCALES.filter(digitsFirst), ["de", "ar"])
})
