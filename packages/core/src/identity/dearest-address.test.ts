import assert from "node:assert/strict"
import { test } from "node:test"
import { parseEmail } from "./email.ts"
import { parsePhone } from "./phone.ts"

// Each time is the least of several, compared with an ordinary address in the same process, and one
// that is too long is measured again, so that a busy machine decides nothing. The test looks for
// quadratic time: that cost 130 times as much, and now it is 25.
const TIMES_DEARER_MAX = 60
const AGAIN = 500
const rounds = process.env["ASSAY_SOAK"] === undefined ? 300 : 50_000

test("no text costs the parsers much more than an ordinary address does", (t) => {
  const ordinary = "Jörg.Müller@bücher.example"
  for (let n = 0; n < 2000; n++) parseEmail(ordinary)
  const unit = cost(parseEmail, ordinary, 50)
  let dearest = { name: "", times: 0 }
  const look = (name: string, text: string): number => {
    const timed = (often: number): number =>
      Math.max(cost(parseEmail, text, often), cost(parsePhone, text, often)) / unit
    const first = timed(5)
    const times = first < TIMES_DEARER_MAX ? first : timed(AGAIN)
    if (times > dearest.times) dearest = { name, times }
    return times
  }
  for (const [name, text] of hostile()) look(name, text)
  // Then variations of the dearest texts; the dearer ones stay.
  const next = numbers(20_261_115)
  const pool = [...hostile()].map(([, text]) => ({ text, times: 0 }))
  for (let n = 0; n < rounds; n++) {
    const slot = next() % pool.length
    const text = changed(pool[slot]?.text ?? "", pool[next() % pool.length]?.text ?? "", next)
    const times = look(`changed ${n}`, text)
    if (times >= (pool[slot]?.times ?? 0)) pool[slot] = { text, times }
  }
  t.diagnostic(`dearest: ${dearest.name}, ${Math.round(dearest.times)} ordinary addresses`)
  assert.ok(dearest.times < TIMES_DEARER_MAX, `${dearest.name}: ${dearest.times}`)
})

function* hostile(): Generator<[name: string, text: string]> {
  const distinct = (length: number, from: number): string =>
    Array.from({ length }, (_, n) => String.fromCodePoint(from + 7 * n)).join("")
  yield ["a label of many characters", `a@${distinct(1000, 0x4e00)}.com`]
  yield ["labels of many characters", `a@${distinct(998, 0x4e00).replace(/.{63}/gu, "$&.")}.com`]
  yield ["labels of few characters", `a@${"é.".repeat(500)}com`]
  yield ["Hangul letters", `a@${distinct(140, 0x1100).repeat(7)}.com`]
  yield ["letters that join", `a@${distinct(130, 0x3131).repeat(7)}.com`]
  yield ["marks out of order in a domain", `a@e${"\u0316\u0301".repeat(500)}.com`]
  yield ["marks in runs", `a@${`e${"\u0316\u0301".repeat(125)}.`.repeat(4)}com`]
  yield ["marks out of order before the @", `e${"\u0316\u0301".repeat(500)}@b.com`]
  yield ["ignored characters", `a@${"\u00ad".repeat(1000)}b.com`]
  yield ["punycode", `a@xn--${"z9a8".repeat(240)}.com`]
  yield ["labels of punycode", `a@${`xn--${"z9a8".repeat(14)}.`.repeat(16)}com`]
  yield ["right to left", `a@${distinct(60, 0x621).repeat(4)}.com`]
  yield ["joiners", `a@${"क्\u200d".repeat(330)}.com`]
  yield ["non-joiners", `a@${"\u0628\u200c\u0628".repeat(300)}.com`]
  yield ["a quoted local part", `"${"\\\\".repeat(30)}"@b.com`]
  yield ["a quoted local part that does not end", `"${'\\"'.repeat(30)}\\"@b.com`]
  yield ["dots", `${"a.".repeat(500)}@${"a.".repeat(10)}com`]
  yield ["ats", "@".repeat(1000)]
  yield ["hyphens", `a@${"a-".repeat(120)}.com`]
  yield ["blanks around", `${" ".repeat(8000)}a@b.com${" ".repeat(8000)}`]
  yield ["16 KiB", `a@${"b".repeat(16_000)}.com`]
  yield ["digits", `+${"9".repeat(16_000)}`]
}

/** A piece of one put into the other, or a piece repeated. */
function changed(text: string, other: string, next: () => number): string {
  const from = next() % (text.length + 1)
  const length = next() % 200
  const inserted =
    next() % 2 === 0
      ? other.slice(next() % (other.length + 1)).slice(0, length)
      : text.slice(from, from + 1 + (next() % 8)).repeat(1 + (next() % 60))
  return `${text.slice(0, from)}${inserted}${text.slice(from + (next() % 100))}`.slice(0, 16_384)
}

function cost(parse: (text: string) => unknown, text: string, times: number): number {
  let least = Infinity
  for (let n = 0; n < times; n++) {
    const from = performance.now()
    parse(text)
    least = Math.min(least, performance.now() - from)
  }
  return least
}

/** The same numbers for the same seed (a linear congruential generator). */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 8
  }
}
