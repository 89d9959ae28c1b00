import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { EFFORT_MAX } from "@assay/core/drop"
import { formPage, repliesShownPage } from "./index.ts"
import { type DropFacts, LOCALES } from "./page-input.ts"
import {
  everyPage,
  sampleCode,
  sampleFacts,
  sampleFiles,
  sampleForm,
} from "../../testing/pages/test-pages.ts"

const HOSTILE = `</title></textarea></script><!--"'><img src=x onerror=alert(1)><script>alert(2)</script>&lt;`

/** Markup only, so that an attack that became text does not count as one. */
function tags(page: string): string[] {
  return page.match(/<[a-z!/][^>]*>/gi) ?? []
}

/** Undoes what the pages do to text. */
function unescaped(text: string): string {
  return text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
}

test("T48: whatever strangers or settings put into a page comes out as text, on every page in every language", () => {
  for (const locale of LOCALES) {
    const harmless = everyPage(locale)
    const hostile = everyPage(locale, {
      facts: {
        name: HOSTILE,
        question: HOSTILE,
        fingerprint: [HOSTILE],
      } satisfies Partial<DropFacts>,
      form: { message: HOSTILE, token: HOSTILE, filler: HOSTILE, code: HOSTILE },
      reply: HOSTILE,
      code: { words: sampleCode.words.map(() => HOSTILE), numbers: sampleCode.numbers },
    })
    for (const [name, page] of hostile) {
      const names = (text: string): string[] =>
        tags(text).map((tag) => /^<[a-z!/]+/i.exec(tag)?.[0] ?? "")
      assert.deepEqual(names(page), names(harmless.get(name) ?? ""), `${name} in ${locale}`)
      assert.ok(!/<img|<script>|<!--/.test(page), name)
    }
  }
})

test("T48: a form that comes back holds exactly the text that was typed", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (message) => {
      const page = formPage("en", sampleFacts, sampleFiles, { ...sampleForm, message })
      const shown = /<textarea[^>]*>\n(.*?)<\/textarea>/s.exec(page)?.[1]
      assert.equal(unescaped(shown ?? ""), message)
    }),
    { seed: 6, numRuns: 200 },
  )
})

test("what a page tells its script is data: it parses, and nothing in it can end its element", () => {
  for (const locale of LOCALES)
    for (const [name, page] of everyPage(locale, { facts: { fingerprint: [HOSTILE] } })) {
      const data = /<script type="application\/json" id="drop-data">(.*?)<\/script>/s.exec(
        page,
      )?.[1]
      const taken = ["form", "replies", "withdraw"].some((each) => name.startsWith(each))
      const answered = ["shown", "none", "deleted", "withdrawn"].some((each) => name.includes(each))
      assert.equal(data !== undefined, taken && !answered, name)
      if (data === undefined) continue
      const { fingerprint, texts, digitsFirst } = JSON.parse(data) as {
        fingerprint: string[]
        texts: Record<string, string>
        digitsFirst: boolean
      }
      assert.deepEqual(fingerprint, [HOSTILE])
      assert.equal(digitsFirst, locale === "de" || locale === "ar")
      for (const [key, text] of Object.entries(texts))
        assert.equal(typeof text, "string", `${key} has forms that no script chooses from`)
    }
})

test("T27: no page has a script, a style or an address that the policy of the drop would have to allow", () => {
  for (const locale of LOCALES)
    for (const [name, page] of everyPage(locale)) {
      for (const tag of tags(page)) {
        assert.doesNotMatch(tag, /\s(style|on[a-z]+)\s*=/i, name)
        assert.doesNotMatch(
          tag,
          /^<(style|iframe|object|embed|svg|img|base|font|video|audio)\b/i,
          name,
        )
        const [, target] = /\s(?:href|src|action)="([^"]*)"/.exec(tag) ?? []
        if (
          target !== undefined &&
          target !== `${sampleFacts.onion}${locale === "en" ? "/drop" : `/drop/${locale}`}`
        )
          assert.match(target, /^(\/drop|#)/, name)
      }
      const scripts = page.match(/<script\b[^>]*>/g) ?? []
      for (const script of scripts)
        assert.match(script, /type="application\/json"|src="[^"]+" integrity="[^"]+">$/)
    }
})

test("the code is only ever in the page itself and in hidden fields: in no title, address or link", () => {
  const { words, numbers } = {
    words: sampleCode.words.map((_, n) => `secretword${n}`),
    numbers: sampleCode.numbers.map((_, n) => String(7700 + n)),
  }
  for (const locale of LOCALES)
    for (const [name, page] of everyPage(locale, { code: { words, numbers } })) {
      for (const tag of tags(page)) {
        if (/^<input type="hidden" name="code"/.test(tag)) continue
        assert.doesNotMatch(tag, /secretword|77\d\d/, `${name}: ${tag}`)
      }
      assert.doesNotMatch(/<title>(.*?)<\/title>/s.exec(page)?.[1] ?? "", /secretword|77\d\d/)
      const shows = page.includes("secretword0")
      assert.equal(shows, name.startsWith("sent-two-way") || name === "sent-confirm-wrong", name)
    }
})

test("fields for a code are kept out of browsers' memory, spelling help and translation", () => {
  const asked = [...everyPage("fr").values()].flatMap(
    (page) => page.match(/<input id="(?:code|word-4|word-9)"[^>]*>/g) ?? [],
  )
  assert.ok(asked.length > 6)
  for (const field of asked)
    for (const attribute of [
      `type="text"`,
      `autocomplete="off"`,
      `spellcheck="false"`,
      `autocapitalize="none"`,
      `translate="no"`,
    ])
      assert.ok(field.includes(attribute), field)
})

test("T16: a field for a message says itself that browsers must not keep it", () => {
  const fields = [...everyPage("en").values()].flatMap(
    (page) => page.match(/<textarea[^>]*>/g) ?? [],
  )
  assert.ok(fields.length > 1)
  // Firefox ignores the form's own setting for these fields, and writes them into its session file.
  for (const field of fields) assert.ok(field.includes(`autocomplete="off"`), field)
})

test("limits, days, keys and fingerprint on the form are those of the drop", () => {
  const page = formPage("en", { ...sampleFacts, keyCount: 7, retentionDays: 45 }, sampleFiles, {
    ...sampleForm,
    mode: "one-way",
  })
  for (const text of [
    "one of 7 keys",
    "for 45 days and up to 7 more",
    "Up to 3 files, each up to 10 MB",
    "Up to about 50,000 letters",
    sampleFacts.fingerprint.join(" "),
  ])
    assert.ok(page.includes(text), text)
  assert.match(page, /<input id="mode-one-way"[^>]* checked/)
  assert.doesNotMatch(page, /<input id="mode-two-way"[^>]* checked/)
})

test("extra work is offered in every step there is, waits for the script, and is no field of the plain form", () => {
  for (const locale of LOCALES) {
    const page = formPage(locale, sampleFacts, sampleFiles, sampleForm)
    const [field = ""] = /<div [^>]*id="effort-field".*?<\/div>/s.exec(page) ?? []
    assert.match(field, /^<div [^>]* hidden>/)
    const efforts = [...field.matchAll(/<option value="(\d+)">/g)].map(([, effort]) =>
      Number(effort),
    )
    assert.deepEqual(
      efforts,
      Array.from({ length: EFFORT_MAX + 1 }, (_, effort) => effort),
    )
    assert.doesNotMatch(field, /\sname=|\sselected/)
  }
})

test("the text, its thread and the wish for replies are sent before files, in which an upload may break off", () => {
  for (const [name, page] of everyPage("en")) {
    const at = (field: string): number => page.search(new RegExp(`<[^>]* name="${field}"`))
    if (at("files") < 0) continue
    for (const field of ["token", "code", "message", "mode"])
      assert.ok(at(field) >= 0 && at(field) < at("files"), `${name}: ${field}`)
  }
})

test("what a person chose is still chosen when the form comes back, and a later message stays in its thread", () => {
  const page = repliesShownPage("en", sampleFacts, sampleFiles, {
    replies: [],
    code: "0001 0065",
    form: { ...sampleForm, untouched: [2], keepNames: true, code: "" },
  })
  assert.match(page, /<input id="untouched-2"[^>]* checked/)
  for (const number of [1, 3])
    assert.doesNotMatch(page, new RegExp(`<input id="untouched-${number}"[^>]* checked`))
  assert.match(page, /<input id="names"[^>]* checked/)
  assert.match(page, /<input type="hidden" name="mode" value="two-way">/)
  const form = /<form id="follow-up-form".*?<\/form>/s.exec(page)?.[0] ?? ""
  assert.match(form, /name="code" value="0001 0065"/)
})

test("T53: every id is there once, and every label and description belongs to an element of its page", () => {
  for (const locale of LOCALES)
    for (const [name, page] of everyPage(locale)) {
      const ids = [...page.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id ?? "")
      assert.equal(new Set(ids).size, ids.length, `${name}: ${ids.join(" ")}`)
      for (const [, list = ""] of page.matchAll(
        /\s(?:for|aria-describedby|aria-labelledby)="([^"]*)"/g,
      ))
        for (const id of list.split(" ")) assert.ok(ids.includes(id), `${name} has no ${id}`)
      for (const [, id = ""] of page.matchAll(/href="#([^"]*)"/g))
        assert.ok(ids.includes(id), `${name} has no ${id}`)
    }
})

test("a page in Arabic runs from right to left, and codes and commands in it from left to right", () => {
  for (const [name, page] of everyPage("ar")) {
    assert.match(page, /<html lang="ar" dir="rtl">/)
    for (const code of page.match(/<(?:p|ol|pre|dl)[^>]* class="code"[^>]*>/g) ?? [])
      assert.match(code, / dir="ltr"/, name)
  }
})
