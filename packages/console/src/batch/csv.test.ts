import assert from "node:assert/strict"
import { test } from "node:test"
import { csvLine, firstCells } from "./csv.ts"

test("the first cell of each line is read, with and without a head, quotes and other columns", () => {
  const text = 'email,name\r\na@mail.example,Ana\n"b@mail.example";x\n\n+61491570156\tphone\n'
  assert.deepEqual(firstCells(text), ["a@mail.example", "b@mail.example", "+61491570156"])
  assert.deepEqual(firstCells("email@mail.example\nb@mail.example"), [
    "email@mail.example",
    "b@mail.example",
  ])
})

test("what a spreadsheet would take for a formula is text", () => {
  for (const bad of ["=1+1", "+61491570156", "-2", "@SUM(A1)", "\tx"])
    assert.ok(csvLine([bad]).startsWith("'") || csvLine([bad]).startsWith("\"'"), bad)
  assert.equal(
    csvLine(["a@mail.example", 34, 'says "x", y']),
    'a@mail.example,34,"says ""x"", y"\r\n',
  )
})
