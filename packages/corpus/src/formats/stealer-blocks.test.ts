import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import type { RowSink } from "./parsed-row.ts"
import { collected, piecesOf } from "../../testing/formats/read-all-suite.ts"
import { Head } from "./head.ts"
import { recordBlocks, recordParser, stealerBlocks } from "./stealer-blocks.ts"
import { readRecordLine } from "./stealer-record.ts"

const seed = 20_261_115

/** Rows and rejects as texts, with line numbers counted through all blocks. */
function read(blocks: readonly Buffer[]): string[] {
  const said: string[] = []
  let before = 0
  const sink: RowSink = {
    row: (line, { identity, secret }) => void said.push(`${before + line} ${identity} ${secret}`),
    reject: (line, reason) => void said.push(`${before + line} ${reason}`),
  }
  for (const block of blocks) before += recordParser().parse(block, sink)
  return said
}

test("a record may name its program before or behind, with or without lines between records", () => {
  const before = "Soft: A\nURL: b.example\nLogin: a@mail.example\nPassword: one\n"
  const behind = "URL: b.example\nUSER: a@mail.example\nPASS: one\nApplication: A\n"
  for (const record of [before, behind]) {
    for (const between of ["", "\n", "\n\n", "====\n", "\n-----\n", "##########\n"]) {
      const text = Buffer.from(`${record}${between}${record.replace("one", "two")}`)
      const said = read([text]).map((line) => line.replace(/^\d+ /, ""))
      assert.deepEqual(said, ["a@mail.example one", "a@mail.example two"])
    }
  }
})

test("facts of a machine and banners make neither rows nor rejects", () => {
  const text = `
    Build ID: someone@mail.example
    IP: 192.0.2.1
    Username: admin
    Country: SE
    Telegram: https://t.example/logs
    URL: https://advert.example
    ===
    Free logs every day: contact@mail.example
  `
  assert.deepEqual(read([Buffer.from(text)]), [])
})

test("a password without a login is rejected, a login without a password has no secret", () => {
  const text = "URL: b.example\nPassword: x\n===\nLogin: a@mail.example\n===\nLogin: someone\n"
  assert.deepEqual(read([Buffer.from(text)]), ["2 no-identity", "4 a@mail.example null"])
})

test("cut into blocks of any size, a file gives the same rows and line numbers", async () => {
  const line = fc.constantFrom(
    "URL: https://b.example/",
    "Login: a@mail.example",
    "Login: jörg@mail.example",
    "Password: one",
    "Password: zwölf",
    "Soft: A",
    "=====",
    "─────",
    "",
    "text",
    "\r",
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 40 }),
      fc.constantFrom("\n", "\r\n", "\r"),
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 100 }),
      async (lines, end, pieceBytes, blockBytes) => {
        const bytes = Buffer.from(lines.join(end))
        const pieces = piecesOf(bytes, pieceBytes)
        const blocks = await collected(recordBlocks(pieces, blockBytes))
        assert.deepEqual(read(blocks), read([bytes]))
        for (const block of blocks) assert.equal(block.buffer.byteLength, block.length)
      },
    ),
    { seed, numRuns: 500 },
  )
})

test("text without records is not held", async () => {
  async function* prose(): AsyncGenerator<Buffer> {
    for (let at = 0; at < 64; at++) yield Buffer.from("nothing of use here\n".repeat(5000))
  }
  for await (const block of recordBlocks(prose())) assert.ok(block.length < 6 << 20)
})

test("whether a file is of records is what all of its lines say, however early that is known", () => {
  const line = fc.constantFrom(
    ...["URL: a.example", "Login: a", "Password: p", "Soft: x", "====", "", "of nothing"],
    ...["Build: 7", "URL: a;Login: b;Password: c", "user|pass", "https://a.example"],
  )
  fc.assert(
    fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
      const counts = new Map<string, number>()
      for (const text of lines) {
        const isWhole = text.startsWith("URL: a;")
        const kind = isWhole ? "other" : readRecordLine(text).kind
        counts.set(kind, (counts.get(kind) ?? 0) + 1)
      }
      const count = (kind: string): number => counts.get(kind) ?? 0
      const keys = count("site") + count("login") + count("password") + count("program")
      const are = count("login") > 0 && count("password") > 0 && keys > count("other")
      const found = stealerBlocks.detect(new Head(Buffer.from(lines.join("\n")), { map: {} }))
      assert.equal((found?.fitting ?? 0) > 0, are)
    }),
    { seed },
  )
})
