import assert from "node:assert/strict"
import { test } from "node:test"
import { EVIDENCE_LINES_MAX } from "@assay/core/contract"
import fc from "fast-check"
import { LINE_MAX } from "../http/sizes.ts"
import { Problem } from "../base/problem.ts"
import { readJsonLines, TOO_LONG } from "./read-json-lines.ts"

const read = (text: string): Promise<unknown> => readJsonLines({ headers: {} }, Buffer.from(text))

const refusedAs = (code: string) => (error: unknown) =>
  error instanceof Problem && error.code === code

test("an array is read line by line as a parser reads it whole", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 8 }),
      fc.nat(3),
      async (values, indent) => {
        const text = JSON.stringify(values, null, indent)
        assert.deepEqual(await read(text), JSON.parse(text))
        assert.deepEqual(await read(`\ufeff \r\n${text}\t\n`), JSON.parse(text))
      },
    ),
    { seed: 20_261_115, numRuns: 300 },
  )
})

test("whatever a parser refuses is refused, and nothing else", async () => {
  const token = fc.constantFrom(
    "[",
    "]",
    "{",
    "}",
    ",",
    '"a"',
    '"',
    "\\",
    ":",
    "1",
    " ",
    "null",
    "é",
  )
  await fc.assert(
    fc.asyncProperty(fc.array(token, { maxLength: 9 }), async (tokens) => {
      const text = tokens.join("")
      let value: unknown
      try {
        value = JSON.parse(text)
      } catch {
        await assert.rejects(read(text), refusedAs("malformed-json"), text)
        return
      }
      if (Array.isArray(value)) assert.deepEqual(await read(text), value)
      else await assert.rejects(read(text), refusedAs("invalid-request"))
    }),
    { seed: 20_261_116, numRuns: 5000, examples: [[["[", "1", ",", "]"]], [["[", "1", "]", "]"]]] },
  )
})

test("a line too long is one too long, and too many lines are refused before they are parsed", async () => {
  const long = `"${"x".repeat(LINE_MAX)}"`
  assert.deepEqual(await read(`[1,${long},2]`), [1, TOO_LONG, 2])
  const full = `[${Array(EVIDENCE_LINES_MAX).fill(1).join()}]`
  assert.equal(((await read(full)) as unknown[]).length, EVIDENCE_LINES_MAX)
  await assert.rejects(read(full.replace("]", ",1]")), refusedAs("body-too-large"))
  await assert.rejects(read(`[${",".repeat(1_000_000)}`), refusedAs("body-too-large"))
  await assert.rejects(read("[".repeat(1_000_000)), refusedAs("invalid-request"))
  await assert.rejects(read(`{"a":"${"x".repeat(1_000_000)}"}`), refusedAs("invalid-request"))
})
