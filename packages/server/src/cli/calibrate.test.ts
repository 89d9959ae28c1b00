import assert from "node:assert/strict"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, suite, test } from "node:test"
import type { Calibration, EmailInput } from "@assay/core/score"
import { currentModels } from "../score/models.ts"
import { calibrate, type CalibrateOptions, type CalibrationReach } from "./calibrate.ts"
import type { Terminal } from "./terminal.ts"

const directory = mkdtempSync(join(tmpdir(), "assay-calibrate-"))
after(() => rmSync(directory, { recursive: true }))

let files = 0
function fileOf(rows: readonly object[]): string {
  const file = join(directory, `${++files}.ndjson`)
  writeFileSync(file, rows.map((row) => JSON.stringify(row)).join("\n"))
  return file
}

const nothing: CalibrationReach = {
  model: currentModels.email,
  decisionOf: async () => null,
  apply: async () => assert.fail("it was applied"),
}

async function run(
  options: CalibrateOptions,
  reach: CalibrationReach = nothing,
): Promise<{ calibration: Calibration; notes: string[] }> {
  const lines: string[] = []
  const notes: string[] = []
  const terminal: Terminal = {
    env: {},
    user: "test",
    now: () => 0,
    print: (line) => void lines.push(line),
    note: (line) => void notes.push(line),
  }
  await calibrate(options, terminal, reach)
  assert.equal(lines.length, 1)
  return { calibration: JSON.parse(lines[0] ?? "") as Calibration, notes }
}

/** An address as old as its number says: the younger, the riskier. */
function inputOf(number: number): EmailInput {
  return {
    as_of: "2026-11-02",
    checked: { sources: 1 },
    trust: { emailAge: (number * 37) % 400, disposable: number % 3 === 0 },
  }
}

/** The disposable ones turn out bad more often, and which of them follows no order. */
function isBad(number: number): boolean {
  return (number * 7_919) % 100 < (number % 3 === 0 ? 60 : 8)
}

const numbers = Array.from({ length: 2_000 }, (_, number) => number)
const outcome = (number: number): string => (isBad(number) ? "bad" : "good")
const inputRows = numbers.map((number) => ({ input: inputOf(number), outcome: outcome(number) }))

suite("assay calibrate", () => {
  test("scores the whole input again, and asks decisions for theirs", async () => {
    const byInput = await run({ labels: fileOf(inputRows) })
    const decisionRows = numbers.map((number) => ({
      decision_id: `d${number}`,
      outcome: outcome(number),
    }))
    const asked: string[] = []
    const byDecision = await run(
      { labels: fileOf(decisionRows) },
      {
        ...nothing,
        decisionOf: async (id) => {
          asked.push(id)
          return { input: inputOf(Number(id.slice(1))), atMs: 1_000 }
        },
      },
    )
    assert.deepEqual(byDecision, byInput)
    assert.equal(asked.length, numbers.length)
    assert.ok(byInput.calibration.B > 0, "the labels are worse than the model says")
  })

  test("does not fit on top of a calibration that an input was scored with", async () => {
    const settings = { calibration: { A: 0.5, B: 2, hash: "old" } }
    const rows = inputRows.map(({ input, ...row }) => ({ ...row, input: { ...input, settings } }))
    assert.deepEqual(await run({ labels: fileOf(rows) }), await run({ labels: fileOf(inputRows) }))
  })

  test("puts labels with a time in its order before the newest are held out", async () => {
    const dayOf = (number: number): string =>
      new Date(Date.UTC(2026, 0, 1) + number * 60_000).toISOString()
    const rows = numbers.map((number) => ({
      p: 0.02 + (number % 10) * 0.05,
      at: dayOf(number),
      outcome: outcome(number),
    }))
    const mixed = numbers.map((number) => rows[(number * 7) % rows.length] as object)
    assert.deepEqual(await run({ labels: fileOf(mixed) }), await run({ labels: fileOf(rows) }))
    const undated = rows.map((row, i) => (i === 5 ? { ...row, at: null } : row))
    await assert.rejects(run({ labels: fileOf(undated) }), /1 of 2000 labels have no time/)
  })

  test("hands the calibration to the tenant named, where it is an improvement", async () => {
    const given: Calibration[] = []
    const reach: CalibrationReach = {
      ...nothing,
      apply: async (calibration) => void given.push(calibration),
    }
    const options = { labels: fileOf(inputRows), tenant: "acme", apply: true }
    const { calibration, notes } = await run(options, reach)
    assert.deepEqual(given, [calibration])
    assert.ok(notes.includes("Applied to tenant acme."))

    // The older rows are far worse than predicted, the newest just as predicted.
    const worse = numbers.map((number) => ({
      p: number % 2 === 0 ? 0.1 : 0.2,
      outcome: (number * 7_919) % 100 < (number < 1_400 ? 45 : 15) ? "bad" : "good",
    }))
    await assert.rejects(
      run({ ...options, labels: fileOf(worse) }, reach),
      /Not applied: the log loss of the newest labels does not fall/,
    )
    assert.equal(given.length, 1)
  })

  test("applies nothing without being asked or without a tenant", async () => {
    const labels = fileOf(inputRows)
    await run({ labels, tenant: "acme" })
    await assert.rejects(run({ labels, apply: true }), /--tenant/)
  })

  test("names the line of a decision that is not there, and of an input that makes no sense", async () => {
    const row = (members: object): string =>
      fileOf([
        { p: 0.5, outcome: "bad" },
        { ...members, outcome: "bad" },
      ])
    const id = { decision_id: "secret-id" }
    for (const [labels, message] of [
      [row(id), /^Line 2: there is no such decision$/],
      [row({ input: {} }), /^Line 2: input is none the model can score$/],
      [row({ input: { as_of: "2026-11-02", exposures: 7 } }), /^Line 2: input is none/],
    ] as const) {
      await assert.rejects(run({ labels }), (error: Error) => {
        assert.match(error.message, message)
        return true
      })
    }
  })
})
