import assert from "node:assert/strict"
import { test } from "node:test"
import { csvLine, firstCells, textOf } from "./csv.ts"

/** The cells of a text that comes in pieces of this many characters. */
async function cellsOf(text: string, size = text.length): Promise<string[]> {
  const pieces = async function* (): AsyncGenerator<string> {
    for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
  }
  return await all(firstCells(pieces()))
}

async function all(cells: AsyncIterable<string>): Promise<string[]> {
  const found: string[] = []
  for await (const cell of cells) found.push(cell)
  return found
}

test("the first cell of each line is read, with and without a head, quotes and other columns", async () => {
  const text = 'email,name\r\na@mail.example,Ana\n"b@mail.example";x\n\n+61491570156\tphone\n'
  assert.deepEqual(await cellsOf(text), ["a@mail.example", "b@mail.example", "+61491570156"])
  assert.deepEqual(await cellsOf("email@mail.example\nb@mail.example"), [
    "email@mail.example",
    "b@mail.example",
  ])
  // Only the first line can be a head.
  assert.deepEqual(await cellsOf("a@mail.example\nemail\n"), ["a@mail.example", "email"])
})

test("a file in pieces of any size gives the same cells, wherever it is cut", async () => {
  const text = 'email,name\r\na@mail.example,Ana\rb@mail.example\n\r\n"c@mail.example";x\r\n\r'
  const whole = ["a@mail.example", "b@mail.example", "c@mail.example"]
  for (let size = 1; size <= text.length; size++) assert.deepEqual(await cellsOf(text, size), whole)
})

test("a line without an end is not gathered up", async () => {
  const text = `a@mail.example,${"x".repeat(300_000)}\nb@mail.example`
  assert.deepEqual(await cellsOf(text, 10_000), ["a@mail.example", "b@mail.example"])
})

test("a file is decoded over the borders of its pieces, without its byte order mark", async () => {
  const file = new Blob([new Uint8Array([0xef, 0xbb, 0xbf]), "jürgen@mail.example\n"])
  assert.deepEqual(await all(firstCells(textOf(file))), ["jürgen@mail.example"])
})

test("what a spreadsheet would take for a formula is text", () => {
  for (const bad of ["=1+1", "+61491570156", "-2", "@SUM(A1)", "\tx"])
    assert.ok(csvLine([bad]).startsWith("'") || csvLine([bad]).startsWith("\"'"), bad)
  assert.equal(
    csvLine(["a@mail.example", 34, 'says "x", y']),
    'a@mail.example,34,"says ""x"", y"\r\n',
  )
})
