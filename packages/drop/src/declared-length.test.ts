import assert from "node:assert/strict"
import { test } from "node:test"
import { declaredLength, isWhole } from "./declared-length.ts"

const length = (...lines: string[]): number | null =>
  declaredLength(Buffer.from(["POST /drop/form HTTP/1.1", ...lines, "", ""].join("\r\n"), "latin1"))

test("the length that a head declares is read in any case and with any space before it", () => {
  assert.equal(length("Content-Length: 12"), 12)
  assert.equal(length("Host: a", "content-length:0"), 0)
  assert.equal(length("CONTENT-LENGTH: \t65536", "Host: a"), 65_536)
  assert.equal(declaredLength(Buffer.from("POST / HTTP/1.1\nContent-Length: 7\n\n")), 7)
})

test("what is no plain number, and what only looks like the header, is no length", () => {
  assert.equal(length("Host: a"), null)
  assert.equal(length("Transfer-Encoding: chunked"), null)
  for (const value of ["", "-1", "1e3", "12 13", "12,12", "0x10", "9".repeat(16)])
    assert.equal(length(`Content-Length: ${value}`), null, value)
  assert.equal(length("X-Content-Length: 12"), null)
  assert.equal(length("Content-Lengths: 12"), null)
})

test("what follows the head is not part of it", () => {
  assert.equal(length("Host: a", "", "Content-Length: 12"), null)
})

test("a request is whole once as much came after its head as the head declares, and never where it declares nothing", () => {
  const head = "POST /drop/form HTTP/1.1\r\nContent-Length: 3\r\n\r\n"
  const isWholeOf = (request: string): boolean => isWhole(Buffer.from(request))
  assert.deepEqual(
    ["", "ab", "abc", "abcd"].map((body) => isWholeOf(head + body)),
    [false, false, true, true],
  )
  assert.equal(isWholeOf("POST / HTTP/1.1\r\nHost: x\r\n\r\nabc"), false)
  assert.equal(isWholeOf("POST / HTTP/1.1\r\nContent-Length: 3\r\n"), false)
})
