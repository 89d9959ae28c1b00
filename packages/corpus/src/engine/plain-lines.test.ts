import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { combolist } from "../formats/combolist.ts"
import type { RejectReason, RowSink } from "../formats/parsed-row.ts"
import { Keyer, type KeyerOptions } from "./keyer.ts"

const CASES = process.env["ASSAY_SOAK"] === undefined ? 300 : 20_000
const HOURS = 490_000
const options: KeyerOptions = {
  subkeys: {
    identity: new Uint8Array(32).fill(1),
    alias: new Uint8Array(32).fill(2),
    password: new Uint8Array(32).fill(3),
  },
  kind: "combolist",
  hours: HOURS,
  latestHours: HOURS + 24,
}

interface Keyed {
  readonly frames: string[]
  readonly rejects: [number, RejectReason][]
  readonly lines: number
  readonly plain: number
}

/** The result of a block, with lines taken straight from their bytes if possible, or with none. */
function keyed(block: Buffer, delimiter: string, straight: boolean): Keyed {
  const frames: string[] = []
  const rejects: [number, RejectReason][] = []
  let plain = 0
  const keyer = new Keyer(
    options,
    (frame) => void frames.push(frame.toString("hex")),
    (line, reason) => void rejects.push([line, reason]),
  )
  const sink: RowSink = {
    row: (line, row) => keyer.row(line, row),
    reject: (line, reason) => keyer.reject(line, reason),
    ...(straight
      ? {
          plainLine: (bytes: Uint8Array, from: number, to: number, mark: number) => {
            const taken = keyer.plainLine(bytes, from, to, mark)
            if (taken) plain++
            return taken
          },
        }
      : {}),
  }
  const lines = combolist.parser({ name: "combolist", delimiter }).parse(block, sink)
  keyer.flush()
  return { frames, rejects, lines, plain }
}

const domains = [
  "gmail.com",
  "GMail.com",
  "googlemail.com",
  "yahoo.com",
  "pm.me",
  "web.de",
  "mail.example",
  "xn--bcher-kva.example",
  "a--b.example",
  "-bad.example",
  "bad-.example",
  "no-dot",
  "1.2.3.4",
  "under_score.example",
  "two..dots.example",
  "example.c0m",
  `${"a".repeat(64)}.example`,
  "bücher.example",
  "",
]
const local = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(/^[a-z0-9]{1,12}$/) },
  { weight: 3, arbitrary: fc.stringMatching(/^[A-Za-z0-9._]{1,14}$/) },
  fc.stringMatching(/^[a-z0-9.+_"'| -]{0,10}$/),
  fc.constant("x".repeat(65)),
  fc.string({ unit: "binary", maxLength: 6 }).map((text) => text.replaceAll("\n", "")),
)
const secret = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(/^[!-~]{5,19}$/) },
  fc.stringMatching(/^[!-~]{0,24}$/),
  fc.constantFrom("", "-", "NULL", "\\N", " spaced ", "pass word", "äöüß", "a".repeat(32)),
)
const line = fc
  .tuple(
    local,
    fc.oneof(
      { weight: 2, arbitrary: fc.constantFrom("mail.example", "gmail.com", "web.de", "yahoo.com") },
      fc.constantFrom(...domains),
    ),
    fc.constantFrom(":", ":", ":", ";", " ", ""),
    secret,
  )
  .map(([name, domain, mark, password]) => `${name}@${domain}${mark}${password}`)
const file = fc
  .tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom("\n", "\r\n", "\n\n"))
  .map(([lines, end]) => lines.join(end))

test("a line taken straight from its bytes comes to what the long way makes of it", () => {
  let plain = 0
  fc.assert(
    fc.property(file, fc.constantFrom(":", ";"), (text, delimiter) => {
      const block = Buffer.from(text)
      const straight = keyed(block, delimiter, true)
      const long = keyed(block, delimiter, false)
      plain += straight.plain
      assert.deepEqual({ ...straight, plain: 0 }, long)
    }),
    { numRuns: CASES, seed: 20_261_115 },
  )
  assert.ok(plain > CASES / 4, `only ${plain} lines were taken`)
})

test("domains seen before are told from others, however many there are", () => {
  const lines = Array.from({ length: 500 }, (_, n) => `name${n % 7}@d${n % 61}.example:secret${n}`)
  const block = Buffer.from(lines.join("\n"))
  const straight = keyed(block, ":", true)
  assert.equal(straight.plain, 500)
  assert.deepEqual(straight.frames, keyed(block, ":", false).frames)
})
