import assert from "node:assert/strict"
import { test } from "node:test"
import { assessEmail, type EmailInput, loadEmailModel } from "@assay/core/score"
import { currentModels } from "./models.ts"
import { rememberingAssessors } from "./remembered-assessments.ts"

const model = currentModels.email

const quiet: EmailInput = {
  as_of: "2026-11-14",
  checked: { sources: 3, newestImport: "2026-11-02" },
  coverage: { credential: 1, darkweb: 0.5, trust: 0.4, bot: 0 },
  exposures: [],
  signals: [],
  trust: { handle: 0.25 },
}
const variants: EmailInput[] = [
  quiet,
  { ...quiet, as_of: "2026-11-15" },
  { ...quiet, checked: { sources: 0, newestImport: null } },
  { ...quiet, coverage: { credential: 0 } },
  { ...quiet, trust: { handle: 0.25, disposable: true } },
  { ...quiet, trust: { masked: true } },
  { ...quiet, trust: { blocklist: [{ conf: 0.8, age: 3 }] } },
  { ...quiet, settings: { prior_abuse: 0.1 } },
  { ...quiet, exposures: [{ kind: "breach", source: "s", age: 3 }] },
  { ...quiet, signals: [{ type: "listing", source: "s", age: 3 }] },
]

test("a remembered assessment is the one the scorer gives, for any change of the input", () => {
  const assess = rememberingAssessors()
  for (let round = 0; round < 3; round++) {
    for (const input of variants) assert.deepEqual(assess(input, model), assessEmail(input, model))
  }
})

test("only inputs without evidence are remembered", () => {
  const assess = rememberingAssessors()
  const exposed = variants[8] ?? assert.fail()
  assert.equal(assess(quiet, model), assess({ ...quiet }, model))
  assert.notEqual(assess(exposed, model), assess(exposed, model))
})

test("what is remembered of one model is no answer of another", () => {
  const assess = rememberingAssessors()
  const stricter = loadEmailModel({
    ...model,
    version: "1.1",
    abuse: { ...model.abuse, disposable: 4 },
  })
  const input = { ...quiet, trust: { disposable: true } }
  for (let round = 0; round < 2; round++) {
    assert.deepEqual(assess(input, model), assessEmail(input, model))
    assert.deepEqual(assess(input, stricter), assessEmail(input, stricter))
  }
  assert.notEqual(assess(input, model).risk_score, assess(input, stricter).risk_score)
})
