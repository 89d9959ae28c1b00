import assert from "node:assert/strict"
import { test } from "node:test"
import * as fc from "fast-check"
import { headerSize, readAgeHeader } from "./age-header.ts"
import { packMessage } from "./envelope.ts"
import { seal } from "./seal.ts"
import { oneWay, testRecipients } from "../../testing/drop/test-messages.ts"

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const VERSION = "age-encryption.org/v1\n"
const HASH = "A".repeat(43)
const STANZA = `-> X25519 ${HASH}\n${HASH}\n`
const MAC = `--- ${HASH}\n`

test("a header is read from its first byte to the end of its MAC, and not before it is whole", async () => {
  for (const [suite, count] of [
    ["x25519", 3],
    ["pq", 2],
  ] as const) {
    const sealed = await seal(packMessage(oneWay("hello")), await testRecipients(count, suite))
    const length = headerSize(count, suite)
    for (let end = 0; end < length; end += 1) {
      assert.equal(readAgeHeader(sealed.subarray(0, end)), "incomplete")
    }
    const header = { suite, stanzas: count, length }
    assert.deepEqual(readAgeHeader(sealed.subarray(0, length)), header)
    assert.deepEqual(readAgeHeader(sealed), header)
  }
})

test("T11: what only looks sealed is told from the header alone", () => {
  const forged: Record<string, string> = {
    "hello, this is plain text": "not-age",
    "-----BEGIN PGP MESSAGE-----\n\nhQ": "not-age",
    "<!doctype html><title>x</title>": "not-age",
    "-----BEGIN AGE ENCRYPTED FILE-----\n": "not-age",
    "\u001f\u008b\u0008": "not-age",
    "age-encryption.org/v2\n": "not-age",
    [`${VERSION}junk\n`]: "malformed",
    [`${VERSION}${"x".repeat(2_000)}`]: "malformed",
    [VERSION + MAC]: "stanzas",
  }
  for (const [text, fault] of Object.entries(forged)) {
    assert.deepEqual(readAgeHeader(Buffer.from(text, "latin1")), { fault })
  }
})

test("T5: stanzas of other kinds, lengths and spellings are refused", () => {
  const wrong: Record<string, string> = {
    [`-> scrypt ${"A".repeat(22)} 18\n${HASH}\n`]: "stanza",
    [`-> p256tag AAAA ${"A".repeat(44)}\n${HASH}\n`]: "stanza",
    [`-> piv-p256 AAAA ${HASH}\n${HASH}\n`]: "stanza",
    [`-> grease-x\n\n`]: "stanza",
    [`-> X25519 ${HASH}A\n${HASH}\n`]: "stanza",
    [`-> X25519 ${HASH} more\n${HASH}\n`]: "stanza",
    [`-> X25519 ${"A".repeat(42)}B\n${HASH}\n`]: "stanza",
    [`-> X25519 ${"A".repeat(42)}=\n${HASH}\n`]: "stanza",
    [`-> X25519 ${HASH}\r\n${HASH}\n`]: "stanza",
    [`-> X25519 ${HASH}\n${HASH}A\n`]: "malformed",
    [`-> X25519 ${HASH}\n\n`]: "malformed",
    [`->  X25519 ${HASH}\n${HASH}\n`]: "stanza",
    [`--- ${HASH}A\n`]: "malformed",
    [STANZA.repeat(18)]: "stanzas",
  }
  for (const [stanza, fault] of Object.entries(wrong)) {
    assert.deepEqual(readAgeHeader(utf8(VERSION + stanza + MAC)), { fault })
  }
  assert.deepEqual(readAgeHeader(utf8(VERSION + STANZA.repeat(17) + MAC)), {
    suite: "x25519",
    stanzas: 17,
    length: headerSize(17, "x25519"),
  })
})

test("no bytes make the reader throw, and none are a header by chance", () => {
  const anything = fc.oneof(
    fc.uint8Array({ maxLength: 4_000 }),
    fc.string({ unit: "binary-ascii", maxLength: 400 }).map((text) => utf8(VERSION + text)),
    fc.string({ maxLength: 100 }).map((text) => utf8(VERSION + STANZA + text)),
  )
  fc.assert(
    fc.property(anything, (bytes) => {
      const header = readAgeHeader(bytes)
      assert.ok(header === "incomplete" || "fault" in header)
    }),
    { seed: 6_005, numRuns: 500 },
  )
})
