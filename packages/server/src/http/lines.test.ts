import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { openLineSplitter } from "./lines.ts"

const LINE_MAX = 8

/** The lines of bytes that arrive in these pieces, as text; null for one too long. */
function linesOf(pieces: readonly Buffer[]): (string | null)[] {
  const splitter = openLineSplitter(LINE_MAX)
  const lines = [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()]
  return lines.map((line) => line?.toString("latin1") ?? null)
}

const of = (text: string): (string | null)[] => linesOf([Buffer.from(text, "latin1")])

test("lines end with LF or CRLF, and the last one may end with neither", () => {
  assert.deepEqual(of("a\nb\r\nc"), ["a", "b", "c"])
  assert.deepEqual(of("a\nb\r\n"), ["a", "b"])
  assert.deepEqual(of(""), [])
})

test("blank lines are left out, a lone CR inside a line is not an end", () => {
  assert.deepEqual(of("\n\r\n a\n \t\n\nb\rc\n\n"), [" a", "b\rc"])
})

test("a line at the limit is a line; one byte more is too long, and the next is read again", () => {
  assert.deepEqual(of("12345678\n12345678\r\n123456789\nx\n"), ["12345678", "12345678", null, "x"])
  assert.deepEqual(of("123456789"), [null])
  assert.deepEqual(of(`${"1".repeat(50)}\nx`), [null, "x"])
})

test("a byte order mark is taken off the first line and no other", () => {
  assert.deepEqual(of("\xef\xbb\xbf12345678\r\n\xef\xbb\xbfb"), ["12345678", "\xef\xbb\xbfb"])
})

test("however the bytes are cut into pieces, the lines are the same", () => {
  const byte = fc.constantFrom(0x0a, 0x0d, 0x20, 0x61, 0xc3, 0xa9, 0xef, 0xbb, 0xbf)
  fc.assert(
    fc.property(
      fc.array(byte, { maxLength: 60 }),
      fc.array(fc.nat(60), { maxLength: 10 }),
      (bytes, cuts) => {
        const whole = Buffer.from(bytes)
        const edges = [0, ...cuts.filter((cut) => cut < whole.length), whole.length]
        edges.sort((a, b) => a - b)
        const pieces = edges.slice(1).map((edge, n) => whole.subarray(edges[n], edge))
        assert.deepEqual(linesOf(pieces), linesOf([whole]))
        assert.deepEqual(linesOf([...whole].map((one) => Buffer.of(one))), linesOf([whole]))
      },
    ),
    { seed: 20_261_115, numRuns: 3000 },
  )
})
