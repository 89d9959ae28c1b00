import assert from "node:assert/strict"
import { test } from "node:test"
import { domainToASCII } from "node:url"
import fc from "fast-check"
import { trimAsciiSpace } from "./email-characters.ts"
import { parseDomain } from "./email-domain.ts"
import { parseAnyEmail, parseEmail, type ParsedEmail, parsePlainEmail } from "./email.ts"

const seed = 20_260_101
const soak = process.env["ASSAY_SOAK"] !== undefined
const PLAIN_RUNS = soak ? 50_000 : 1_200
const EXACT_RUNS = soak ? 60_000 : 1_500

/** The parsed address; fails the test where it is refused. */
function accepted(text: string): ParsedEmail {
  const result = parseEmail(text)
  assert.ok(!("fault" in result), `${JSON.stringify(text)} was refused`)
  return result
}

function canonicalOf(text: string): string {
  return accepted(text).canonical
}

/** Any sequence of UTF-16 units, lone surrogates included. */
const anyUnits = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 })
  .map((units) => String.fromCharCode(...units))

const anyText = fc.oneof(
  anyUnits,
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }),
  fc.string(),
)

const ATEXT = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-/=?^_`{|}~"
const atom = fc.string({ unit: fc.constantFrom(...Array.from(ATEXT)), minLength: 1, maxLength: 8 })
const dotString = fc.array(atom, { minLength: 1, maxLength: 4 }).map((atoms) => atoms.join("."))
const label = fc.stringMatching(/^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,10}[a-zA-Z0-9])?$/)
const plainDomain = fc.oneof(
  fc.constantFrom("gmail.com", "googlemail.com", "yahoo.com", "pm.me", "Example.COM"),
  fc
    .tuple(fc.array(label, { minLength: 1, maxLength: 3 }), fc.stringMatching(/^[a-zA-Z]{1,8}$/))
    .map(([labels, top]) => [...labels, top].join(".")),
)

test("an address comes apart into its exact form, mailbox, local part and domain", () => {
  assert.deepEqual(parseEmail(" John.Doe+Bank@GoogleMail.com. "), {
    exact: "john.doe+bank@googlemail.com",
    canonical: "johndoe@gmail.com",
    local: "john.doe+bank",
    domain: "googlemail.com",
    unicodeDomain: "googlemail.com",
  })
  assert.deepEqual(parseEmail("Jörg@BÜCHER.example"), {
    exact: "jörg@xn--bcher-kva.example",
    canonical: "jörg@xn--bcher-kva.example",
    local: "jörg",
    domain: "xn--bcher-kva.example",
    unicodeDomain: "bücher.example",
  })
})

test("a refusal explains itself without quoting what was refused", () => {
  for (const secret of ["kX9secret", "kX9secret@", "kX9secret@kX9", "kX9 secret@example.com"]) {
    const result = parseEmail(secret)
    assert.ok("fault" in result)
    assert.match(result.detail, /^[A-Z].*\.$/)
    assert.doesNotMatch(result.detail, /kX9/)
  }
})

test("no text makes the parser throw", () => {
  fc.assert(
    fc.property(anyText, anyText, (one, two) => {
      for (const text of [one, `${one}@${two}`, `"${one}"@example.com`, `a@${one}.com`]) {
        const result = parseEmail(text)
        assert.ok("fault" in result || result.exact.includes("@"))
        parseDomain(text)
      }
    }),
    { seed, numRuns: soak ? 20_000 : 500 },
  )
})

test("the exact form parses to the same result, for any text that is accepted", () => {
  let acceptedTexts = 0
  const unit = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...Array.from("aBz0.-+ \"\\@,'")) },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        ...Array.from("éÉßẞİıςΣσǅ用😀"),
        "\u0301",
        "\u0307",
        "\u0327",
        "\u0345",
      ),
    },
    { weight: 1, arbitrary: fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }) },
  )
  const local = fc.string({ unit, minLength: 1, maxLength: 10 })
  const domain = fc.oneof(plainDomain, fc.constantFrom("bücher.example", "faß.de.", "例子。广告"))
  fc.assert(
    fc.property(local, fc.boolean(), domain, (text, quoted, at) => {
      const escaped = `"${text.replace(/["\\]/g, "\\$&")}"`
      const result = parseEmail(`${quoted ? escaped : text}@${at}`)
      if ("fault" in result) return
      acceptedTexts++
      assert.deepEqual(parseEmail(result.exact), result)
      assert.deepEqual(parseAnyEmail(result.exact), result)
    }),
    { seed, numRuns: EXACT_RUNS },
  )
  assert.ok(acceptedTexts > EXACT_RUNS / 2, `only ${acceptedTexts} texts were accepted`)
})

test("the exact form is stable for every letter with case, also under combining marks", () => {
  let letters = 0
  for (let code = 0x80; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue
    const letter = String.fromCodePoint(code)
    if (letter.toLowerCase() === letter && letter.normalize("NFC") === letter) continue
    for (const text of [letter, `a${letter}`, `${letter}\u0307`, `${letter}\u0327\u0345`]) {
      const result = parseEmail(`${text}@example.com`)
      if ("fault" in result) continue
      letters++
      assert.equal(accepted(result.exact).exact, result.exact, code.toString(16))
    }
  }
  assert.ok(letters > 5000, `only ${letters} were accepted`)
})

test("the short way and the long way agree on every plain address", () => {
  let short = 0
  const nearlyPlain = fc.oneof(
    fc.tuple(dotString, plainDomain).map(([local, domain]) => `${local}@${domain}`),
    fc.string({ unit: fc.constantFrom(...Array.from('aZ1.-+@"_ xn')), maxLength: 20 }),
    fc
      .tuple(fc.integer({ min: 60, max: 68 }), fc.integer({ min: 60, max: 66 }))
      .map(([local, domain]) => `${"a".repeat(local)}@${"b".repeat(domain)}.com`),
    fc
      .integer({ min: 50, max: 62 })
      .map((last) => `a@${`${"c".repeat(62)}.`.repeat(3)}${"c".repeat(last)}.de`),
    fc.tuple(atom, label).map(([local, name]) => `${local}@xn--${name}.com`),
  )
  fc.assert(
    fc.property(nearlyPlain, (text) => {
      const address = trimAsciiSpace(text)
      const plain = parsePlainEmail(address)
      if (plain === null) return
      short++
      assert.deepEqual(plain, parseAnyEmail(address))
    }),
    { seed, numRuns: PLAIN_RUNS },
  )
  assert.ok(short > 0.3 * PLAIN_RUNS, `only ${short} took the short way`)
})

test("an internationalised or quoted address never takes the short way", () => {
  for (const text of ["jörg@example.com", "a@bücher.de", "a@xn--bcher-kva.de", '"a"@b.co']) {
    assert.equal(parsePlainEmail(text), null)
  }
  // The Kelvin sign becomes an ASCII "k" in lower case, which must not make it plain.
  assert.equal(parsePlainEmail("\u212aelvin@example.com"), null)
})

test("case, dots and plus tags do not change whose gmail address it is", () => {
  const name = fc.stringMatching(/^[a-z0-9]{2,12}$/)
  fc.assert(
    fc.property(
      name,
      fc.array(fc.boolean(), { minLength: 24, maxLength: 24 }),
      fc.option(dotString),
      fc.constantFrom("gmail.com", "GMail.com", "googlemail.com"),
      (owner, choices, tag, domain) => {
        const spelled = Array.from(owner)
          .map((char, index) => (choices[index] ? char.toUpperCase() : char))
          .map((char, index) => (index > 0 && choices[index + 12] ? `.${char}` : char))
          .join("")
        const address = `${spelled}${tag === null ? "" : `+${tag}`}@${domain}`
        assert.equal(canonicalOf(address), `${owner}@gmail.com`)
      },
    ),
    { seed },
  )
})

test("dots matter everywhere but at gmail", () => {
  assert.notEqual(canonicalOf("a.b@example.com"), canonicalOf("ab@example.com"))
  assert.notEqual(canonicalOf("a.b@outlook.com"), canonicalOf("ab@outlook.com"))
  assert.notEqual(canonicalOf("a.b@mail.gmail.com"), canonicalOf("ab@mail.gmail.com"))
})

test("a hyphen separates at Yahoo and is part of the name everywhere else", () => {
  assert.equal(canonicalOf("ann-shop@yahoo.fr"), "ann@yahoo.fr")
  assert.equal(canonicalOf("ann+shop@yahoo.fr"), "ann+shop@yahoo.fr")
  for (const domain of ["yahoo.co.jp", "att.net", "btinternet.com", "gmail.com", "example.com"]) {
    assert.equal(canonicalOf(`ann-shop@${domain}`), `ann-shop@${domain}`)
  }
})

test("no typo is corrected into somebody's mailbox", () => {
  for (const domain of ["gmial.com", "gmail.co", "gmail.comm", "123gmail.com", "gmail.com.com"]) {
    assert.equal(canonicalOf(`j.d@${domain}`), `j.d@${domain}`)
  }
})

test("quotes that are needed stay, and nothing inside them is a tag or a spare dot", () => {
  assert.equal(accepted('"A\\ b"@example.com').exact, '"a b"@example.com')
  for (const text of ['"a b+c"@gmail.com', '"a..b"@googlemail.com', '"a b-c"@yahoo.com']) {
    assert.equal(accepted(text).exact, text)
    assert.equal(canonicalOf(text), text)
  }
})

test("quotes that are not needed make no other address", () => {
  fc.assert(
    fc.property(dotString, plainDomain, (local, domain) => {
      fc.pre(local.length <= 62)
      const quoted = `"${local.replace(/./gu, (char, index) => (Number(index) % 2 ? `\\${char}` : char))}"`
      fc.pre(quoted.length <= 64)
      assert.deepEqual(parseEmail(`${quoted}@${domain}`), parseEmail(`${local}@${domain}`))
    }),
    { seed },
  )
})

test("a domain in Unicode and in xn-- spelling is one domain", () => {
  const scripts = [
    "äöüßéñçøåł",
    "абвгдежз",
    "αβγδεςσ",
    "例子广告测试",
    "のはひかな",
    "한국어도메인",
  ]
  const name = fc
    .constantFrom(...scripts)
    .chain((script) =>
      fc.string({ unit: fc.constantFrom(...Array.from(script)), minLength: 1, maxLength: 8 }),
    )
  let internationalised = 0
  fc.assert(
    fc.property(name, fc.constantFrom("com", "рф", "co.uk"), (text, top) => {
      // Node's own IDNA, which shares no code with the parser's.
      const ascii = domainToASCII(`${text}.${top}`)
      assert.match(ascii, /^xn--/)
      const unicode = accepted(`a+b@${text}.${top}`)
      assert.equal(unicode.domain, ascii)
      assert.deepEqual(accepted(`a+b@${ascii}`), unicode)
      assert.deepEqual(accepted(`a+b@${ascii.toUpperCase()}`), unicode)
      assert.deepEqual(accepted(`a+b@${unicode.unicodeDomain}`), unicode)
      internationalised++
    }),
    { seed, numRuns: 300 },
  )
  assert.equal(internationalised, 300)
})

test("lengths are octets: 64 before the @ sign, 63 a label, 254 in all", () => {
  const faultOf = (text: string): string | null => {
    const result = parseEmail(text)
    return "fault" in result ? result.fault : null
  }
  assert.equal(faultOf(`${"a".repeat(64)}@example.com`), null)
  assert.equal(faultOf(`${"a".repeat(65)}@example.com`), "local-too-long")
  assert.equal(faultOf(`${"é".repeat(32)}@example.com`), null)
  assert.equal(faultOf(`${"é".repeat(32)}a@example.com`), "local-too-long")
  assert.equal(faultOf(`a@${"b".repeat(63)}.com`), null)
  assert.equal(faultOf(`a@${"b".repeat(64)}.com`), "label-too-long")
  // 250 octets.
  const domain = `${"bcd.".repeat(62)}de`
  assert.equal(faultOf(`abc@${domain}`), null)
  assert.equal(faultOf(`abcd@${domain}`), "too-long")
  assert.equal(faultOf(`éa@${domain}`), null)
  assert.equal(faultOf(`éab@${domain}`), "too-long")
})

test("a domain alone is read as in an address", () => {
  assert.deepEqual(parseDomain(" BÜCHER.example. "), {
    domain: "xn--bcher-kva.example",
    unicodeDomain: "bücher.example",
  })
  for (const text of [
    "",
    "localhost",
    "a..b",
    "[192.0.2.1]",
    "a_b.com",
    "\u202ea.com",
    "x.\ud800",
  ]) {
    assert.ok("fault" in parseDomain(text), JSON.stringify(text))
  }
  assert.ok("fault" in parseDomain("a.".repeat(600)))
})

test("text of any length is answered at once", () => {
  for (const hostile of ["a".repeat(1e6), "@".repeat(1e6), " ".repeat(1e6), '"\\'.repeat(5e5)]) {
    assert.ok("fault" in parseEmail(hostile))
    assert.ok("fault" in parseEmail(`${hostile}@example.com`))
    assert.ok("fault" in parseEmail(`a@${hostile}`))
  }
  const startedMs = performance.now()
  for (let run = 0; run < 100; run++) {
    parseEmail(`${"a.".repeat(126)}@`)
    parseEmail(`a@${"a-".repeat(126)}`)
    parseEmail(`a@${"a.".repeat(126)}`)
    parseEmail(`"${"\\a".repeat(31)}@example.com`)
  }
  assert.ok(performance.now() - startedMs < 2000)
})
