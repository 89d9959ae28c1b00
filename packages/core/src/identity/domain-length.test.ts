import assert from "node:assert/strict"
import { createRequire } from "node:module"
import { test } from "node:test"
import fc from "fast-check"
import { toASCII } from "tr46"
import { surelyTooLong } from "./domain-length.ts"
import { readDomain } from "./email-domain.ts"
import { LOCAL_OCTETS_MAX, readLocalPart, utf8Octets } from "./email-local-part.ts"

const seed = 20_261_115
const soak = process.env["ASSAY_SOAK"] !== undefined
const numRuns = soak ? 100_000 : 600

const UTS46 = { checkBidi: true, checkJoiners: true, useSTD3ASCIIRules: true }

/**
 * Whether the DNS could hold the domain, found the long way: mapped and encoded whole, then
 * measured.
 */
function fits(text: string): boolean {
  const ascii = toASCII(text.normalize("NFC"), UTS46)?.replace(/\.$/, "")
  if (ascii === undefined || ascii.length > 253) return false
  return ascii.split(".").every((label) => label !== "" && label.length <= 63)
}

// What shrinks on its way into the DNS: ignored characters, characters that compose, and what maps
// to such.
const shrinking = [
  "\u00ad",
  "\ufe0f",
  "\u{e0101}",
  "\u200b",
  "\u034f",
  "e\u0301",
  "\u03b1\u0313\u0300\u0345",
  "\u0308\u0301",
  "\u1100\u1161\u11a8",
  "\u3131\u314f\u3133",
  "\uffa1\uffc2",
  "\uff8a\uff9f",
  "\u09c7\u09be",
  "\u0cc6\u0cc2\u0cd5",
  "\u{16d67}\u{16d67}\u{16d67}",
  "K",
  "\u212b",
]
const other = [
  "a",
  "-",
  "é",
  "ß",
  "ﬃ",
  "㎏",
  "字",
  "\u{20001}",
  "א",
  "क्\u200d",
  "xn--",
  "bcher-kva",
]
const dots = [".", "。", "．", "｡"]
const piece = fc
  .tuple(fc.constantFrom(...shrinking, ...other), fc.integer({ min: 1, max: 120 }))
  .map(([text, times]) => text.repeat(times))
const label = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(""))
const domain = fc
  .array(fc.tuple(label, fc.constantFrom(...dots)), { minLength: 1, maxLength: 5 })
  .map((labels) => `${labels.flat().join("")}com`.slice(-1024))

test("a domain is refused for its length early only where the DNS could not hold it", () => {
  let [early, late] = [0, 0]
  fc.assert(
    fc.property(domain, (text) => {
      if (surelyTooLong(text) === null) {
        late++
        return
      }
      early++
      assert.equal(fits(text), false, JSON.stringify(text))
    }),
    { seed, numRuns },
  )
  assert.ok(early > numRuns / 10 && late > numRuns / 10, `${early} early, ${late} not`)
})

test("a domain is read exactly where the DNS can hold it, however long it was written", () => {
  let read = 0
  fc.assert(
    fc.property(domain, (text) => {
      const domain = readDomain(text)
      // RFC 1035 refuses hyphens at the ends of labels, and readDomain() with it.
      const ascii = toASCII(text.normalize("NFC"), UTS46)
      const isName = ascii !== null && !/(?:^|\.)-|-(?:\.|$)/.test(ascii)
      assert.equal(typeof domain !== "string", fits(text) && isName, JSON.stringify(text))
      if (typeof domain === "string") return
      assert.equal(domain.domain, ascii)
      read++
    }),
    { seed: seed + 1, numRuns },
  )
  assert.ok(read > numRuns / 100, `${read} were read`)
  for (const text of [
    `a${"\u00ad".repeat(1000)}.com`,
    `${"a\ufe0f".repeat(63)}.com`,
    `${"\u1100\u1161\u11a8".repeat(40)}.${"e\u0301".repeat(57)}.com`,
    `${"a\u0302\u0300".repeat(50)}.`.repeat(4).concat("com"),
  ])
    assert.ok(fits(text) && typeof readDomain(text) !== "string", text)
})

type Row = readonly [points: number | readonly [number, number], status: number, mapping?: string]

test("every character that is counted stays at least one character of its label", () => {
  const [MAPPED, DISALLOWED, IGNORED] = [1, 3, 7]
  const table = createRequire(import.meta.url)("tr46/lib/mappingTable.json") as Row[]
  /** Characters that can melt into the one before them. */
  const seconds = new Set<string | undefined>()
  for (const { text } of points([0, 0x10_ffff])) {
    const parts = Array.from(text.normalize("NFD"))
    assert.ok(parts.length <= 4, "no character is composed of more than four")
    if (text.normalize("NFC") === text) for (const part of parts.slice(1)) seconds.add(part)
  }
  let counted = 0
  for (const [range, status, mapping = ""] of table) {
    if (status === DISALLOWED) continue
    for (const { point, text } of points(typeof range === "number" ? [range, range] : range)) {
      const mapped = status === MAPPED ? mapping : status === IGNORED ? "" : text
      if (mapped === ".") continue
      assert.ok(!mapped.includes("."), `U+${point.toString(16)} is several labels`)
      const isCounted = surelyTooLong(text.repeat(64)) !== null
      if (isCounted) counted++
      const [first] = mapped.normalize("NFD")
      const melts = first === undefined || seconds.has(first)
      assert.ok(!(isCounted && melts), `U+${point.toString(16)} can melt away`)
    }
  }
  assert.ok(counted > 100_000)
})

test("a part before the @ sign is refused for its length early only where it is too long in NFC", () => {
  const local = fc.array(piece, { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join(""))
  let early = 0
  fc.assert(
    fc.property(local, (text) => {
      const octets = utf8Octets(text.normalize("NFC"))
      assert.ok(2 * octets >= text.length, JSON.stringify(text))
      if (text.length <= 2 * LOCAL_OCTETS_MAX) return
      early++
      assert.deepEqual(readLocalPart(text), { fault: "local-too-long" })
    }),
    { seed, numRuns },
  )
  for (const { text } of points([0, 0x10_ffff]))
    assert.ok(2 * utf8Octets(text.normalize("NFC")) >= text.normalize("NFD").length, text)
  assert.ok(early > numRuns / 10)
})

function* points([from, to]: readonly [number, number]): Generator<{
  readonly point: number
  readonly text: string
}> {
  for (let point = from; point <= to; point++)
    if (point < 0xd800 || point > 0xdfff) yield { point, text: String.fromCodePoint(point) }
}
