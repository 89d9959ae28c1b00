import assert from "node:assert/strict"
import { test } from "node:test"
import { gzipSync } from "node:zlib"
import { InputError } from "../inputs/member.ts"
import type { ColumnMap } from "./columns.ts"
import type { FoundFormat } from "./format.ts"
import { detectFormat, FORMATS } from "./formats.ts"
import type { FormatHints } from "./head.ts"
import { memberOf, readMember } from "../../testing/formats/test-read.ts"

const TABLES = FORMATS.filter(({ hasColumns }) => hasColumns)

const detectTable = (head: Buffer, hints: FormatHints): FoundFormat | null =>
  detectFormat("x", head, hints, TABLES)?.format ?? null

const nameOf = (text: string | Buffer, hints: FormatHints = { map: {} }): string | null =>
  detectTable(Buffer.from(text), hints)?.name ?? null

test("files are known by what they hold and not by their names", () => {
  assert.equal(nameOf("email,password\na@example.com,x\n"), "csv")
  assert.equal(nameOf("email\na@example.com\n"), "csv")
  assert.equal(nameOf('{"email":"a@example.com"}\n{"email":"b@example.com"}\n'), "ndjson")
  assert.equal(nameOf('{"email":"a@example.com"}'), "ndjson")
  assert.equal(nameOf('[\n{"email":"a@example.com"}\n,{"email":"b@example.com"}]'), "json")
  assert.equal(nameOf('{\n "rows": [\n {"email":"a@example.com"}\n]}'), "json")
  assert.equal(nameOf('{"rows":[{"email":"a@example.com"}]}'), "json")
  assert.equal(nameOf("PAR1...."), "parquet")
})

test("what is not tabular is left to others", () => {
  for (const text of [
    "a@example.com:password\nb@example.com:x\n",
    "a@example.com;password\nb@example.com;x\n",
    "URL: https://example.com\nUsername: a\nPassword: b\n",
    "https://example.com:a@example.com:x\n",
    "id,name\n1,Ann\n",
    '{"name":"Ann"}\n',
    "[1,2,3]",
    "{not json",
    "",
    "\0\0\0\0",
  ]) {
    assert.equal(nameOf(text), null, text)
  }
})

test("the delimiter is the one that makes columns of the header and the rows", () => {
  const delimiterOf = (text: string): string | null => {
    const format = detectTable(Buffer.from(text), { map: {} })
    return format?.name === "csv" ? String(format["delimiter"]) : null
  }
  assert.equal(delimiterOf("email;password\na@example.com;a,b|c\n"), ";")
  assert.equal(delimiterOf("email\tpassword\na@example.com\ta,b\n"), "\t")
  assert.equal(delimiterOf("id|email|password\n1|a@example.com|a;b\n"), "|")
  assert.equal(delimiterOf('"e-mail","pass word"\n"a@example.com","x;y"\n'), ",")
})

test("a format that was asked for is taken or refused, and no other looked for", () => {
  const csv = "email,password\na@example.com,x\n"
  assert.equal(nameOf(csv, { format: "ndjson", map: {} }), null)
  assert.equal(nameOf(csv, { format: "combolist", map: {} }), null)
  assert.equal(nameOf('{"email":"a@example.com"}', { format: "csv", map: {} }), null)
  assert.equal(nameOf("PAR1....", { format: "csv", map: {} }), null)
})

test("columns without a header are taken by number, and a wrong name is told to the person", () => {
  const rows = Buffer.from("1;a@example.com;x\n2;b@example.com;y\n")
  assert.deepEqual(detectTable(rows, { map: { email: "2", password: "3" } }), {
    name: "csv",
    delimiter: ";",
    columns: { email: { at: 1, name: "" }, password: { at: 2, name: "" } },
    width: 3,
  })
  assert.equal(detectTable(rows, { map: { email: "9" } }), null)
  const named = Buffer.from("who;what\na@example.com;x\n")
  assert.throws(() => detectTable(named, { map: { email: "mail" } }), InputError)
  const format = detectTable(named, { map: { email: "who", password: "2" } })
  assert.deepEqual(format?.name === "csv" && format["columns"], {
    email: { at: 0, name: "who" },
    password: { at: 1, name: "what" },
  })
})

test("texts in UTF-16, with a mark or with lines that end in CR read like any other", async () => {
  const text = "email,password\nänn@example.com,pä\nbob@example.com,x\n"
  const swapped = Buffer.from(`\ufeff${text}`, "utf16le").swap16()
  for (const bytes of [
    Buffer.from(`\ufeff${text}`, "utf16le"),
    swapped,
    Buffer.from(`\ufeff${text}`),
    Buffer.from(text.replaceAll("\n", "\r")),
    Buffer.from(text.replaceAll("\n", "\r\n")),
    Buffer.from(text, "latin1"),
  ]) {
    for (const size of [5, 1000]) {
      const { rows, rejects } = await readMember(memberOf("x", bytes, size), { map: {} })
      assert.deepEqual(
        rows.map(({ identity, secret }) => [identity, secret]),
        [
          ["änn@example.com", "pä"],
          ["bob@example.com", "x"],
        ],
      )
      assert.deepEqual(rejects, [])
    }
  }
})

test("members that only later objects have, and those inside of others, are found", () => {
  const lines = Array.from({ length: 200 }, () => '{"user":{"mail":"a@example.com"}}')
  const text = [...lines, '{"user":{"mail":"a@example.com","login":{"hash":"x"}}}'].join("\n")
  const format = detectTable(Buffer.from(text), { map: {} })
  assert.equal(format?.name, "ndjson")
  assert.equal((format["columns"] as ColumnMap).hash?.name, "user.login.hash")
  const deep = `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`
  assert.equal(nameOf(deep), null)
})

test("a head that ends inside of a row does not mislead", () => {
  const row = `a@example.com,${"x".repeat(500)}\n`
  const head = Buffer.from(`email,password\n${row.repeat(200)}`).subarray(0, 65_536)
  assert.equal(nameOf(head), "csv")
  const object = `${JSON.stringify({ email: "a@example.com", x: "x".repeat(500) })}\n`
  assert.equal(nameOf(Buffer.from(object.repeat(200)).subarray(0, 65_536)), "ndjson")
  const array = Buffer.from(`[${object.trim()},`.padEnd(70_000, " ")).subarray(0, 65_536)
  assert.equal(nameOf(array), "json")
  assert.equal(nameOf(gzipSync("email,password\n")), null)
})
