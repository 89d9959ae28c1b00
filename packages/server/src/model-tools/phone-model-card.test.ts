import assert from "node:assert/strict"
import { suite, test } from "node:test"
import { assessPhone, loadPhoneModel, phoneModels } from "@assay/core/score"
import golden from "../../../core/src/score/golden.json" with { type: "json" }
import { exampleInput, phoneExamples } from "./phone-examples.ts"
import { phoneModelCard } from "./phone-model-card.ts"

const model = phoneModels["1.0"]
const card = phoneModelCard(model, true)

test("the examples are the numbers that the model is held to, in their order", () => {
  assert.deepEqual(
    phoneExamples.map(({ known }) => known),
    golden.phone.map(({ input }) => input),
  )
  assert.deepEqual(
    phoneExamples.map(({ known }) => assessPhone(exampleInput(known), model).risk_score),
    golden.phone.map(({ expected }) => expected.risk_score),
  )
})

suite("the model card of the phone model", () => {
  test("has the sections of Mitchell et al. in their order, and those a document needs besides", () => {
    const sections = [...card.matchAll(/^## (.*)$/gm)].map(([, name]) => name)
    assert.deepEqual(sections, [
      "Model details",
      "Intended use",
      "Factors",
      "Weights",
      "Fields beside the score",
      "Evaluation data",
      "Training data",
      "Quantitative analyses",
      "Invariants",
      "Ethical considerations",
      "Caveats and recommendations",
      "Versions",
    ])
  })

  test("says before any figure that there is no evaluation, and claims none anywhere", () => {
    const warning = card.indexOf("Not evaluated on outcomes, and not validated.")
    assert.ok(warning > 0 && warning < card.indexOf("Priors:"))
    assert.match(card, /Not for: credit, employment, housing or insurance/)
    assert.doesNotMatch(card, /AUC|accura|precision|recall/i)
  })

  test("names every weight of the document with what it was taken from", () => {
    const rows = [...card.matchAll(/^\| [^|]+ \| [+-]\d[^|]* \| ([^|]+) \|$/gm)]
    assert.ok(rows.length >= 14, `${rows.length} rows`)
    for (const line of Object.keys(model.quality.lines))
      assert.match(card, new RegExp(`\`${line}\``))
  })

  test("reads its weights and answers from the document", () => {
    const other = structuredClone(model) as {
      version: string
      takeover: { prior: number; callForwarding: number }
    }
    other.version = "1.1"
    other.takeover.prior = 0.008
    other.takeover.callForwarding = 1.75
    const heavier = phoneModelCard(loadPhoneModel(other), false)
    assert.match(heavier, /^# Model card: phone 1\.1$/m)
    assert.match(heavier, /Priors: 0\.8 % for takeover/)
    assert.match(heavier, /\| all calls forwarded \| \+1\.75 \|/)
    assert.doesNotMatch(card, /1\.75/)
  })

  test("claims of a document that does not come with the program nothing about its origin", () => {
    const own = phoneModelCard(model, false)
    assert.match(own, /This document does not come with the program/)
    assert.doesNotMatch(own, /judgement|Training data|Lee and Narayanan/)
  })

  test("holds no number that could not be printed", () => {
    assert.doesNotMatch(card, /NaN|undefined|Infinity|\[object/)
  })
})
