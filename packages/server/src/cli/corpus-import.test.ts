import assert from "node:assert/strict"
import { test } from "node:test"
import { type CorpusImportOptions, importFiles } from "./corpus-import.ts"
import { importBar, importLine, type ShownProgress } from "./corpus-import-progress.ts"
import type { Terminal } from "./terminal.ts"

const terminal: Terminal = {
  env: {},
  user: "ada",
  now: () => Date.UTC(2026, 0, 31),
  print: () => assert.fail("something was printed"),
  note: () => assert.fail("something was noted"),
}
const host = {
  execPath: "/nowhere",
  execArgv: [],
  pid: 1,
  stderr: { write: () => true },
  once: () => assert.fail("something was begun"),
}

test("wrong options are refused before anything is opened, in words that do not quote them", async () => {
  const good: CorpusImportOptions = { source: "s", memory: "512" }
  const wrong: [Partial<CorpusImportOptions>, RegExp][] = [
    [{ source: "Zqxjkv" }, /^--source takes/],
    [{ source: "a/b" }, /^--source takes/],
    [{ source: "a".repeat(65) }, /^--source takes/],
    [{ kind: "sim_change" }, /^--kind takes breach, /],
    [{ date: "2024-02-30" }, /^--date takes/],
    [{ date: "1989-12-31" }, /^--date takes/],
    [{ date: "2026-02-02" }, /^--date takes/],
    [{ date: "yesterday" }, /^--date takes/],
    [{ confidence: "0" }, /^--confidence takes/],
    [{ confidence: " " }, /^--confidence takes/],
    [{ confidence: "1.1" }, /^--confidence takes/],
    [{ classes: "dob,zqxjkv" }, /^--classes takes/],
    [{ format: "zqxjkv" }, /^--format takes combolist, /],
    [{ map: "zqxjkv=1" }, /^--map takes/],
    [{ map: "email" }, /^--map takes/],
    [{ map: "email=" }, /^--map takes/],
    [{ memory: "64" }, /^--memory takes/],
    [{ memory: "512.5" }, /^--memory takes/],
  ]
  for (const [options, message] of wrong) {
    await assert.rejects(
      importFiles(["list"], { ...good, ...options }, terminal, host),
      (error) => {
        assert.ok(error instanceof Error)
        assert.equal(error.name, "CommandError")
        assert.match(error.message, message)
        assert.doesNotMatch(error.message, /zqxjkv/i)
        return true
      },
    )
  }
})

const reading: ShownProgress = {
  phase: "reading",
  rows: 12_000,
  done: 5e6,
  total: 2e7,
  elapsedMs: 4000,
  leftMs: 12_000,
}

test("progress shows phase, bytes, rows, their rate and the time to go, as far as known", () => {
  assert.equal(
    importLine(reading),
    "reading, 25 %, 5.0 of 20.0 MB, 12,000 rows, 3,000 rows/s, 0:12 to go",
  )
  assert.equal(
    importLine({ ...reading, rejected: 1_200 }),
    "reading, 25 %, 5.0 of 20.0 MB, 12,000 rows, 1,200 rejected, 3,000 rows/s, 0:12 to go",
  )
  assert.equal(
    importLine({ ...reading, phase: "merging", done: 12_000, total: 24_000, leftMs: 4_000 }),
    "merging, 50 %, 12,000 rows, 3,000 rows/s, 0:04 to go",
  )
  assert.equal(
    importLine({ ...reading, phase: "measuring", done: 0, total: null, leftMs: null }),
    "measuring, 12,000 rows, for 0:04",
  )
  assert.equal(
    importLine({ ...reading, phase: "sorting", done: 3_000, total: 4_000, leftMs: 1_300 }),
    "sorting, 75 %, 12,000 rows, for 0:04, 0:02 to go",
  )
  assert.equal(
    importLine({ ...reading, phase: "measuring", done: 5, total: 5, leftMs: 0 }),
    "measuring, 100 %, 12,000 rows, for 0:04, 0:00 to go",
  )
  assert.equal(
    importLine({ ...reading, phase: "examining", rows: 0 }),
    "examining, 25 %, 0:12 to go",
  )
  const begun = { ...reading, rows: 0, done: 0, elapsedMs: 0, leftMs: null }
  assert.equal(importLine(begun), "reading, 0 %, 0.0 of 20.0 MB, 0 rows")
  assert.match(importBar(reading, 200), /^\[#{5}-{15}\] reading/)
  assert.equal(importBar(reading, 30).length, 29)
})
