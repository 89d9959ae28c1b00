import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { blockText, type Encoding, encodingOf, textBytes, textHead } from "./encoding.ts"
import { collected, piecesOf } from "../../testing/formats/read-all-suite.ts"

const seed = 20_261_115

function utf16(text: string, encoding: Exclude<Encoding, "utf-8">): Buffer {
  const bytes = Buffer.from(text, "utf16le")
  return encoding === "utf-16le" ? bytes : bytes.swap16()
}

async function textOf(bytes: Buffer, encoding: Encoding, pieceBytes: number): Promise<string> {
  return Buffer.concat(await collected(textBytes(piecesOf(bytes, pieceBytes), encoding))).toString()
}

test("UTF-16 is known by its byte order mark, and without one by its zero bytes", () => {
  for (const encoding of ["utf-16le", "utf-16be"] as const) {
    assert.equal(encodingOf(utf16("\ufeffa@mail.example", encoding)), encoding)
    assert.equal(encodingOf(utf16("a@mail.example:密码\n", encoding)), encoding)
  }
})

test("nothing else is taken for UTF-16", () => {
  for (const bytes of [
    "",
    "a",
    "a@mail.example:x\n",
    "\ufeffa@mail.example:x\n",
    "a\0b\0",
    "a@mail.example\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0:x",
    "PAR1\0\0\0\0\0\0\0\0\0\0\0\0",
  ]) {
    assert.equal(encodingOf(Buffer.from(bytes)), "utf-8", JSON.stringify(bytes))
  }
  assert.equal(encodingOf(Buffer.alloc(64)), "utf-8")
})

test("text comes out without mark and NUL, whatever the encoding and wherever pieces are cut", async () => {
  const unit = fc.constantFrom("a", "é", "密", "😀", "\n", "\0", ":")
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit, maxLength: 40 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 5 }),
      async (text, marked, pieceBytes) => {
        const written = marked ? `\ufeff${text}` : text
        const expected = text.replaceAll("\0", "")
        assert.equal(await textOf(Buffer.from(written), "utf-8", pieceBytes), expected)
        assert.equal(textHead(Buffer.from(written), "utf-8").toString(), expected)
        for (const encoding of ["utf-16le", "utf-16be"] as const) {
          const bytes = utf16(written, encoding)
          assert.equal(await textOf(bytes, encoding, pieceBytes), expected)
          assert.equal(textHead(bytes, encoding).toString(), expected)
        }
      },
    ),
    { seed, numRuns: 300 },
  )
})

test("a line that is not UTF-8 is Latin-1, and only that line", () => {
  const lines = [Buffer.from("café\n"), Buffer.from("café\r", "latin1"), Buffer.from("密码\n")]
  assert.equal(blockText(Buffer.concat(lines)), "café\ncafé\r密码\n")
})

test("Latin-1 is what Windows means by it, and every byte is some character", () => {
  assert.equal(blockText(Buffer.from([0x80, 0x92, 0xff])), "€’ÿ")
  const all = Buffer.from(Array.from({ length: 128 }, (_, at) => 128 + at))
  assert.equal(blockText(all).length, 128)
  assert.ok(!blockText(all).includes("\ufffd"))
})
