import assert from "node:assert/strict"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, suite, test } from "node:test"
import { readLabelFile, type LabelRow } from "./label-file.ts"
import { Explained } from "@assay/runtime/explained"

const directory = mkdtempSync(join(tmpdir(), "assay-labels-"))
after(() => rmSync(directory, { recursive: true }))

async function rowsOf(name: string, text: string): Promise<LabelRow[]> {
  const file = join(directory, name)
  writeFileSync(file, text)
  return await readLabelFile(file)
}

suite("a file of labels", () => {
  test("is the same as CSV and as lines of JSON", async () => {
    const csv = await rowsOf(
      "a.csv",
      "\ufeffp,outcome,floor,at\r\n0.25,bad,16,2026-01-02\r\n0.5,good,,2026-01-03T04:05:06Z\r\n",
    )
    const json = await rowsOf(
      "a.ndjson",
      `{"p":0.25,"outcome":"bad","floor":16,"at":"2026-01-02"}\n{"p":0.5,"outcome":"good","at":"2026-01-03T04:05:06Z"}\n`,
    )
    const withoutLines = (rows: readonly LabelRow[]) => rows.map(({ line: _line, ...row }) => row)
    assert.deepEqual(withoutLines(csv), withoutLines(json))
    assert.deepEqual(withoutLines(csv), [
      { bad: true, atMs: Date.UTC(2026, 0, 2), answer: { p: 0.25, floor: 16 } },
      { bad: false, atMs: Date.UTC(2026, 0, 3, 4, 5, 6), answer: { p: 0.5, floor: null } },
    ])
  })

  test("may have spaces around its cells, quoted ones too, and blank lines", async () => {
    const rows = await rowsOf("c.csv", 'p , "outcome"\n\n0.25, "bad"\n  \n"0.5",good\n')
    assert.deepEqual(
      rows.map(({ line, bad, answer }) => [line, bad, answer]),
      [
        [3, true, { p: 0.25, floor: null }],
        [5, false, { p: 0.5, floor: null }],
      ],
    )
  })

  test("takes decisions, inputs with their date, and the words of feedback", async () => {
    const rows = await rowsOf(
      "b.jsonl",
      [
        { decision_id: "d1", outcome: "takeover_confirmed" },
        { input: { as_of: "2026-02-01" }, outcome: "not_fraud" },
        { decision_id: "d2", outcome: "fraud_confirmed" },
      ]
        .map((row) => JSON.stringify(row))
        .join("\n\n"),
    )
    assert.deepEqual(rows, [
      { line: 1, bad: true, atMs: null, answer: { decisionId: "d1" } },
      {
        line: 3,
        bad: false,
        atMs: Date.UTC(2026, 1, 1),
        answer: { input: { as_of: "2026-02-01" } },
      },
      { line: 5, bad: true, atMs: null, answer: { decisionId: "d2" } },
    ])
  })

  test("that is wrong is refused with its line, and without a word of what it holds", async () => {
    const cases: readonly [name: string, text: string, message: RegExp][] = [
      ["x.csv", "p,outcome\n0.5,bad\ncanary,good\n", /^Line 3: p takes a number between 0 and 1$/],
      ["x.csv", "p,outcome\n0.5,canary\n", /^Line 2: outcome takes bad, good, /],
      ["x.csv", "p,outcome\n1,bad\n", /^Line 2: p takes/],
      ["x.csv", "p,outcome\n0,bad\n", /^Line 2: p takes/],
      ["x.csv", "p,outcome,floor\n0.5,bad,canary\n", /^Line 2: floor takes/],
      ["x.csv", "p,outcome,at\n0.5,bad,canary\n", /^Line 2: the time takes/],
      ["x.csv", "p,outcome,at\n0.5,bad,17\n", /^Line 2: the time takes/],
      ["x.csv", 'p,outcome\n0.5,"canary\n', /^Line \d+: cannot be read as CSV$/],
      ["x.csv", "p,outcome\n0.5,bad,canary\n", /^Line 2: cannot be read as CSV$/],
      ["x.csv", "email,outcome\ncanary@mail.example,bad\n", /^Line 2: takes exactly one of/],
      ["x.csv", "p,decision_id,outcome\n0.5,canary,bad\n", /^Line 2: takes exactly one of/],
      ["x.ndjson", '{"p":0.5,"outcome":"bad"}\n{canary}\n', /^Line 2: is not JSON$/],
      ["x.ndjson", '["canary"]\n', /^Line 1: is not a JSON object$/],
      ["x.ndjson", '{"input":"canary","outcome":"bad"}\n', /^Line 1: input takes an object/],
      ["x.ndjson", '{"decision_id":5,"outcome":"bad"}\n', /^Line 1: decision_id takes a text$/],
      ["x.txt", "canary", /^A file of labels ends in \.csv, \.ndjson or \.jsonl$/],
    ]
    for (const [name, text, message] of cases) {
      await assert.rejects(rowsOf(name, text), (error: Error) => {
        assert.ok(error instanceof Explained && error.code === "label-file", String(error))
        assert.match(error.message, message, text)
        assert.ok(
          !JSON.stringify([error.message, error.stack, String(error.cause)]).includes("canary"),
        )
        return true
      })
    }
  })

  test("that is not there is a failure and not an empty file", async () => {
    for (const name of ["none.csv", "none.ndjson"]) {
      await assert.rejects(readLabelFile(join(directory, name)), /cannot be read \(ENOENT\)/)
    }
    assert.deepEqual(await rowsOf("empty.csv", ""), [])
  })
})
