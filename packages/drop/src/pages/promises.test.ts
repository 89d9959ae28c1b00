import assert from "node:assert/strict"
import { test } from "node:test"
import { LOCALES } from "./page-input.ts"
import { promises } from "./promises.ts"
import { sentencesOf } from "./sentences.ts"
import { everyPage } from "../../testing/pages/test-pages.ts"
import { en } from "./texts/en.ts"
import type { PromiseKey } from "./texts/texts.ts"

const keys = Object.keys(promises) as PromiseKey[]

test("T57: what the pages promise and the list of promises with their tests are the same", () => {
  for (const locale of LOCALES) {
    const printed = new Set<string>()
    for (const page of everyPage(locale).values())
      for (const [, key] of page.matchAll(/data-promise="([^"]*)"/g)) printed.add(key ?? "")
    assert.deepEqual([...printed].sort(), [...keys].sort(), locale)
  }
  for (const key of keys) {
    assert.ok(promises[key].length > 0, `${key} has no test`)
    for (const id of promises[key]) assert.match(id, /^T([1-9]|[1-4][0-9]|5[0-7])$/)
  }
})

test("T57: a promise is never printed without its name beside it", () => {
  const say = sentencesOf("en")
  const plain = keys.filter((key) => typeof en[key] === "string")
  assert.ok(plain.length > 10)
  for (const [name, page] of everyPage("en")) {
    // The script prints the sentences in its data, and only once they have become true.
    const shown = page.replace(/<script type="application\/json".*?<\/script>/s, "")
    for (const key of plain) {
      const sentences = shown.split(`>${say(key)}<`).length - 1
      const names = shown.split(`data-promise="${key}"`).length - 1
      assert.equal(sentences, names, `${key} on ${name}`)
      assert.ok(shown.split(say(key)).length - 1 === sentences, `${key} inside a text on ${name}`)
    }
  }
})

test("T57: whatever speaks of what this service does or keeps is a promise, an admission or news of one request", () => {
  // Sentences shown after an attempt, or about what somebody else can do: nothing that could be
  // broken later.
  const news =
    /^(fault|failure|refusal|script|sent|confirm|confirmed|not-set-up|mode|presealed|withdraw|replies|files)(-|$)/
  for (const [key, text] of Object.entries(en)) {
    if (/^(promise|admission)-/.test(key) || news.test(key)) continue
    for (const form of typeof text === "string" ? [text] : Object.values(text))
      assert.doesNotMatch(
        form,
        /\b(we|our|us|never|nobody|always|this server|this service|store[ds]?|kept|encrypt(ed|s)|deleted)\b/i,
        key,
      )
  }
})
