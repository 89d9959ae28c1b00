import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import {
  CODE_WORDS,
  codeNumbers,
  codeWords,
  newSecret,
  readCode,
  WORD_LANGUAGES,
  type WordList,
} from "./thread-code.ts"
import { loadWords } from "./words.ts"

const soak = process.env["ASSAY_SOAK"] !== undefined
const lists = await Promise.all(WORD_LANGUAGES.map(loadWords))
const list = (language: WordList["language"]): WordList => {
  const found = lists.find((candidate) => candidate.language === language)
  assert.ok(found !== undefined)
  return found
}
const english = list("en")
const secrets = fc.uint8Array({ minLength: 15, maxLength: 15 })
const seed = { seed: 20_261_115, numRuns: soak ? 2_000 : 60 }

test("T13: one wrong word in a code is caught in at least 999 of 1,000 cases", () => {
  const codes = fc.sample(secrets, { seed: 13, numRuns: soak ? 100 : 1 })
  let tries = 0
  let missed = 0
  for (const secret of codes) {
    const words = codeWords(secret, english)
    for (const [at, right] of words.entries()) {
      for (const wrong of english.words) {
        if (wrong === right) continue
        tries += 1
        if ("secret" in readCode(words.with(at, wrong).join(" "), [english])) missed += 1
      }
    }
  }
  assert.equal(tries, 24_564 * codes.length)
  assert.ok(missed / tries <= 0.001, `${missed} of ${tries} passed`)
})

test("T13: two words that changed places are caught in at least 999 of 1,000 cases", () => {
  let tries = 0
  let missed = 0
  for (const secret of fc.sample(secrets, { seed: 14, numRuns: soak ? 1_000 : 100 })) {
    const words = codeWords(secret, english)
    for (let a = 0; a < CODE_WORDS; a += 1) {
      for (let b = a + 1; b < CODE_WORDS; b += 1) {
        const swapped = words.with(a, words[b] ?? "").with(b, words[a] ?? "")
        if (swapped.join() === words.join()) continue
        tries += 1
        if ("secret" in readCode(swapped.join(" "), [english])) missed += 1
      }
    }
  }
  assert.ok(tries > 6_000)
  assert.ok(missed / tries <= 0.001, `${missed} of ${tries} passed`)
})

const ways: [string, (text: string) => string][] = [
  ["as it is shown", (text) => text],
  ["with separate accents", (text) => text.normalize("NFD")],
  ["with joined accents", (text) => text.normalize("NFC")],
  ["in capitals", (text) => text.toUpperCase()],
  ["without accents", (text) => text.normalize("NFD").replace(/\p{M}/gu, "")],
  [
    "in full width",
    (text) => text.replace(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0)),
  ],
  ["with hyphens", (text) => text.replaceAll(" ", "-")],
  ["with commas", (text) => text.replaceAll(" ", ", ")],
  ["with ideographic commas and spaces", (text) => text.replaceAll(" ", "、\u3000")],
  ["with double spaces", (text) => `  ${text.replaceAll(" ", "  ")}\t`],
  ["on lines of their own", (text) => `${text.replaceAll(" ", "\r\n")}\n`],
]

for (const words of lists) {
  test(`T14: a code in ${words.language} is read however it is typed`, () => {
    fc.assert(
      fc.property(secrets, (secret) => {
        const shown = codeWords(secret, words).join(" ")
        for (const [way, typed] of ways)
          assert.deepEqual(readCode(typed(shown), lists), { secret }, way)
      }),
      seed,
    )
  })
}

test("T14: numbers are read in any width, in Arabic and Persian digits, in one piece, and without leading zeros", () => {
  fc.assert(
    fc.property(secrets, (secret) => {
      const groups = codeNumbers(secret)
      assert.ok(groups.every((group) => /^\d{4}$/.test(group)))
      const shifted = (zero: number): string =>
        groups.join("-").replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)))
      for (const typed of [
        groups.join("-"),
        groups.join(" "),
        groups.join(""),
        groups.map(Number).join(" "),
        shifted(0xff10),
        shifted(0x660),
        shifted(0x6f0),
      ])
        assert.deepEqual(readCode(typed, []), { secret })
    }),
    seed,
  )
})

test("T14: four letters of a word are enough in the six lists in Latin script", () => {
  for (const language of ["en", "fr", "es", "it", "pt", "cs"] as const) {
    fc.assert(
      fc.property(secrets, fc.integer({ min: 4, max: 6 }), (secret, letters) => {
        const typed = codeWords(secret, list(language)).map((word) => word.slice(0, letters))
        assert.deepEqual(readCode(typed.join(" "), [list(language)]), { secret })
      }),
      seed,
    )
  }
})

test("T14: folding makes no two words of a list one, nor two voiced and unvoiced Japanese ones", () => {
  for (const { language, words } of lists) {
    const folded = words.map((word) => word.normalize("NFKD").toLowerCase().replace(/\p{M}/gu, ""))
    assert.equal(new Set(folded).size, 2_048, language)
  }
  assert.ok(list("ja").words.some((word) => word.normalize("NFD").includes("\u3099")))
})

test("T14: words that English and French share mean what the checksum says, whichever list comes first", () => {
  const french = list("fr")
  const shared = new Set(english.words).intersection(new Set(french.words))
  assert.equal(shared.size, 100)
  const [englishCode, frenchCode] = [english, french].map((words) => sharedCode(words, [...shared]))
  assert.ok(englishCode !== undefined && frenchCode !== undefined)
  for (const order of [lists, lists.toReversed()]) {
    assert.deepEqual(readCode(englishCode.text, order), { secret: englishCode.secret })
    assert.deepEqual(readCode(frenchCode.text, order), { secret: frenchCode.secret })
  }
})

/** A code of shared words alone, found by trying until a checksum holds. */
function sharedCode(words: WordList, shared: string[]): { text: string; secret: Uint8Array } {
  for (let start = 0; start < 1_000_000; start += 1) {
    const some = Array.from(
      { length: CODE_WORDS },
      (_, at) => shared[(start * (at + 3) + at * 7 + Math.floor(start / 97)) % 100] ?? "",
    )
    const read = readCode(some.join(" "), [words])
    if ("secret" in read) return { text: some.join(" "), secret: read.secret }
  }
  throw new Error("No code of shared words was found")
}

test("T14: characters that both Chinese lists have stand at the same place in both, and need no spaces", () => {
  const [simplified, traditional] = [list("zh-Hans").words, list("zh-Hant").words]
  const shared = simplified.filter((word) => traditional.includes(word))
  assert.equal(shared.length, 1_275)
  for (const word of shared) assert.equal(simplified.indexOf(word), traditional.indexOf(word))
  const secret = newSecret()
  for (const language of ["zh-Hans", "zh-Hant"] as const)
    assert.deepEqual(readCode(codeWords(secret, list(language)).join(""), lists), { secret })
})

test("a code that cannot be read is told by its fault and place, never by its words", () => {
  const words = codeWords(newSecret(), english)
  assert.deepEqual(readCode(" \n", lists), { fault: "empty" })
  assert.deepEqual(readCode("-, .", lists), { fault: "empty" })
  assert.deepEqual(readCode(words.slice(1).join(" "), lists), { fault: "count" })
  assert.deepEqual(readCode([...words, "zoo"].join(" "), lists), { fault: "count" })
  assert.deepEqual(readCode(words.with(6, "qqqq").join(" "), lists), { fault: "word", at: 7 })
  assert.deepEqual(readCode(words.with(0, "2049").join(" "), lists), { fault: "word", at: 1 })
  assert.deepEqual(readCode(words.with(0, "0000").join(" "), []), { fault: "word", at: 1 })
  const last = english.words.find((word) => word !== words[11]) ?? ""
  assert.deepEqual(readCode(words.with(11, last).join(" "), lists), { fault: "checksum" })
})

test("whatever is typed, reading it ends in a secret of 15 bytes or in a fault", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
      const read = readCode(text, lists)
      assert.ok("fault" in read || read.secret.length === 15)
    }),
    seed,
  )
})

test("two new secrets are never the same", () => {
  const made = new Set(Array.from({ length: 1_000 }, () => newSecret().join()))
  assert.equal(made.size, 1_000)
})
