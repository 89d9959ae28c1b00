import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { CERTAIN, type Detection, type FoundFormat } from "./format.ts"
import { delimitedLines, DELIMITERS } from "./delimited-lines.ts"
import { detectFormat, FORMATS } from "./formats.ts"
import { Head } from "./head.ts"

const seed = 20_261_119

/** Lines of two parts that are alike fit what is between them; a word alone fits anything. */
function fits(text: string, delimiter: string): boolean {
  const [one = "", ...others] = text.split(delimiter)
  return others.length === 0 ? /^\w+$/.test(text) : others.length === 1 && one === others[0]
}

test("the delimiter that most lines fit is found, the first of equal ones, unless others fit more", () => {
  const pairs = delimitedLines({
    ...{ name: "pairs", title: "pairs", impliedKind: "breach", usualDelimiter: "|" },
    fits,
    parser: () => assert.fail("nothing is parsed"),
  })
  const delimiter = fc.constantFrom(...DELIMITERS)
  const word = fc.constantFrom("a", "b")
  const pair = fc.tuple(word, delimiter, word).map((parts) => parts.join(""))
  const lines = fc.array(fc.oneof(pair, pair, word), { maxLength: 20 })
  const encoding = fc.constantFrom("utf8", "utf16le")
  fc.assert(
    fc.property(lines, encoding, fc.nat(20), (all, written, beaten) => {
      const bytes = Buffer.from(`\ufeff${all.join("\n")}`, written)
      const { found, fitting } = pairs.detect(new Head(bytes, { map: {} }), beaten) ?? {}
      const counts = DELIMITERS.map((each) => all.filter((text) => fits(text, each)).length)
      const most = Math.max(...counts)
      assert.equal((fitting ?? 0) > beaten, most > beaten)
      if (most <= beaten) return
      assert.equal(fitting, most)
      assert.equal(found?.delimiter, DELIMITERS[counts.indexOf(most)])
    }),
    { seed, numRuns: 1000 },
  )
})

test("the format of a file is the one that most lines fit, whichever is tried first and however early others are left", () => {
  const line = fc.constantFrom(
    ...["a@mail.example:x", "b@mail.example;x:y", "c@mail.example", "d@mail.example x", "e,x"],
    ...["x:a@mail.example", "x|b@mail.example", "https://a.example:a@mail.example:x", "bob:x"],
    ...["a.example|bob|x", "a@mail.example:x:https://a.example", "User: a | Pass: x", "", "text"],
    ...[
      "URL: a.example",
      "Login: a",
      "Password: x",
      "user=a@mail.example pass=x",
      "email,password",
    ],
  )
  const likely = fc.constantFrom(null, ...FORMATS.map(({ name }) => name))
  fc.assert(
    fc.property(fc.array(line, { maxLength: 25 }), likely, (lines, first) => {
      const bytes = Buffer.from(lines.join("\n"))
      const head = new Head(bytes, { map: {} })
      const each = FORMATS.map((format) => format.detect(head))
      const enough = (one: Detection<FoundFormat> | null): number =>
        one === null || one.fitting < head.texts.length / 4 ? 0 : one.fitting
      const most = Math.max(...each.map(enough))
      const best = most === 0 ? null : each.find((one) => enough(one) === most)
      if (most === CERTAIN) assert.equal(best?.fitting, CERTAIN)
      const found = detectFormat("file.txt", bytes, { map: {} }, FORMATS, first)
      assert.deepEqual(found?.format ?? null, best?.found ?? null)
    }),
    { seed, numRuns: 1000 },
  )
})
