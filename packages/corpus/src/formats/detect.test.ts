import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { gzipSync } from "node:zlib"
import { test } from "node:test"
import { describeFormat, detectFormat } from "./formats.ts"
import { type FormatHints, HEAD_BYTES_MAX } from "./head.ts"

const NO_HINTS: FormatHints = { map: {} }

function described(text: string | Buffer, hints = NO_HINTS, name = "file.txt"): string | null {
  const found = detectFormat(name, Buffer.from(text), hints)
  return found === null ? null : describeFormat(found)
}

/** Bytes without any pattern, the same in every run. */
function noise(length: number): Buffer {
  const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, at) =>
    createHash("sha256").update(`${at}`).digest(),
  )
  return Buffer.concat(blocks).subarray(0, length)
}

test("what was found is stated in one line", () => {
  const is = "lines of address and password, separated by"
  assert.equal(described("a@mail.example:x\n"), `${is} ":"`)
  assert.equal(described("a@mail.example;x\n"), `${is} ";"`)
  assert.equal(described("a@mail.example|x\n"), `${is} "|"`)
  assert.equal(described("a@mail.example: x\nb@mail.example: y"), `${is} ": "`)
  assert.equal(described("a@mail.example\tx\n"), `${is} tabs`)
  assert.equal(described("a@mail.example x\n"), `${is} spaces`)
  assert.equal(
    described(Buffer.from("\ufeffa@mail.example x", "utf16le")),
    `${is} spaces, in UTF-16 LE`,
  )
  assert.equal(described("x:a@mail.example"), 'lines of password and address, separated by ":"')
  assert.equal(
    described("https://b.example/|someone|x"),
    'lines of URL, login and password, separated by "|"',
  )
  assert.equal(
    described("URL: b.example\nLogin: someone\nPassword: x"),
    "blocks of URL, login and password, as stealers write them",
  )
})

test("lists without a header are taken where a comma stands between an address and one word", () => {
  const is = "lines of address and password, separated by"
  assert.equal(described("a@mail.example,x\n"), `${is} ","`)
  assert.equal(described("a@mail.example, x\nb@mail.example, y\n"), `${is} ", "`)
  assert.equal(described('"a@mail.example","x"\n'), `${is} ","`)
  assert.equal(described("a@mail.example,x\nb@mail.example,x,y\n"), `${is} ","`)
  // A table without column names, and people with their names.
  assert.equal(described("a@mail.example,x,192.0.2.7,Berlin\n".repeat(9)), null)
  assert.equal(described("a@mail.example,Ana Smith\nb@mail.example,Bob Jones\n"), null)
  assert.equal(described("Ana,a@mail.example\nBob,b@mail.example\n"), null)
})

test("lines with labels are taken, whatever stands between their fields", () => {
  for (const [line, mark] of [
    ["URL: https://b.example/ | USER: a@mail.example | PASS: x", '"| "'],
    ["URL:https://b.example/|USER:a@mail.example|PASS:x", '"|"'],
    ["Login: a@mail.example; Password: x; Host: b.example", '"; "'],
    ["url=https://b.example/\tuser=a@mail.example\tpass=x", "tabs"],
    ["URL: https://b.example/ USER: a@mail.example PASS: x", "spaces"],
  ] as const) {
    const is = "lines of labelled URL, login and password, separated by"
    assert.match(described(`${line}\n${line}\n`) ?? "", new RegExp(`^${is}`), line)
    assert.ok(
      described(`${line}\n`)?.endsWith(`separated by ${mark}`),
      described(`${line}\n`) ?? "",
    )
  }
})

test("a column's name sends nothing but text to a terminal", () => {
  const columns = { email: { at: 0, name: "mail\u001b[2J\u009b2J" } }
  const format = { name: "csv", delimiter: ";", columns, width: 1 } as const
  assert.equal(
    describeFormat({ format, encoding: "utf-8" }),
    'table, separated by ";"; email from "mail\\u001b[2J?2J"',
  )
})

test("a line that begins like an address is of a site where it is a host's name, or where the site is last", () => {
  const is = 'lines of URL, login and password, separated by ":"'
  assert.equal(described("localhost@x:a@mail.example:x"), is)
  assert.equal(described("a@mail.example:x:https://b.example"), is)
  assert.equal(
    described("a@mail.example:x:b.example"),
    'lines of address and password, separated by ":"',
  )
})

test("the delimiter of most lines is taken, not that of the first", () => {
  const lines = ["a@mail.example;x", "b@mail.example:y", "c@mail.example:z", "d@mail.example"]
  assert.match(described(lines.join("\n")) ?? "", /":"$/)
})

test("lists of user names with some addresses are taken, texts that mention one are not", () => {
  assert.notEqual(described("one:x\ntwo:x\na@mail.example:x\n"), null)
  const prose = "Dear reader,\nthis is a letter\nand no list.\nWrite to: a@mail.example\nBest\n"
  assert.equal(described(prose), null)
})

test("binary files and empty ones are nothing", () => {
  for (const bytes of [
    Buffer.alloc(0),
    Buffer.alloc(4096),
    noise(HEAD_BYTES_MAX),
    gzipSync("a@mail.example:x\n".repeat(100)),
    Buffer.from("\n\n\n"),
  ]) {
    assert.equal(described(bytes), null)
  }
})

test("other files of a stealer's folder are left alone unless named as a format", () => {
  const text = "a@mail.example:x\n"
  for (const name of [
    "System Info.txt",
    "log/Cookies.txt",
    "C\\Autofill.txt",
    "UserInformation.txt",
    "log/ProcessList.txt",
  ]) {
    assert.equal(described(text, NO_HINTS, name), null, name)
    assert.notEqual(described(text, { format: "combolist", map: {} }, name), null, name)
  }
  for (const name of ["Passwords.txt", "log/All Passwords.txt", "system-2024-leak.txt"]) {
    assert.notEqual(described(text, NO_HINTS, name), null, name)
  }
})

test("a format that is named is taken, with the delimiter that fits best", () => {
  const named = (format: "combolist" | "url-login-password" | "stealer-blocks", text: string) =>
    detectFormat("file", Buffer.from(text), { format, map: {} })?.format
  assert.deepEqual(named("combolist", "one\ntwo\na@mail.example;x\nfour\nfive"), {
    name: "combolist",
    delimiter: ";",
  })
  assert.deepEqual(named("combolist", "nothing"), { name: "combolist", delimiter: ":" })
  assert.deepEqual(named("url-login-password", "a@mail.example:x"), {
    name: "url-login-password",
    delimiter: ":",
  })
  assert.deepEqual(named("stealer-blocks", "nothing"), { name: "stealer-blocks" })
})

test("columns that were named are not silently forgotten where there are none", () => {
  assert.equal(described("a@mail.example:x\n", { map: { email: "mail" } }), null)
  assert.equal(described("a@mail.example:x\n", { format: "parquet", map: {} }), null)
})

test("a head cut in the middle of a line or character is judged by its whole lines", () => {
  const text = `a@mail.example:x\nb@mail.example:${"é".repeat(HEAD_BYTES_MAX)}`
  const head = Buffer.from(text).subarray(0, HEAD_BYTES_MAX)
  assert.match(described(head) ?? "", /":"$/)
  assert.match(described(`a@mail.example:${"x".repeat(HEAD_BYTES_MAX)}`) ?? "", /":"$/)
})
