import assert from "node:assert/strict"
import { suite, test } from "node:test"
import { emailModels } from "@assay/core/score"
import { emailEvaluations } from "./email-evaluation.ts"
import { emailModelCard } from "./model-card.ts"

const model = emailModels["1.0"]
const results = emailEvaluations["1.0"]
const card = emailModelCard(model, results)

suite("the model card", () => {
  test("has the sections of Mitchell et al. in their order", () => {
    const sections = [...card.matchAll(/^## (.*)$/gm)].map(([, name]) => name)
    assert.deepEqual(sections, [
      "Model details",
      "Intended use",
      "Factors",
      "Metrics",
      "Evaluation data",
      "Training data",
      "Quantitative analyses",
      "Ethical considerations",
      "Caveats and recommendations",
    ])
  })

  test("says before any figure that it is no validation", () => {
    const warning = card.indexOf("A smoke test, not a validation.")
    assert.ok(warning > 0 && warning < card.indexOf("AUC"))
    assert.match(card, /priors until they are calibrated/)
    assert.match(card, /Not for: credit, employment, housing or insurance/)
  })

  test("reads its figures from the results and its weights from the model", () => {
    const all = { auc: 0.6789, low: 0.65, high: 0.7 }
    const other = emailModelCard(
      { ...model, priors: { credential: 0.0099, abuse: 0.07 } },
      { ...results, auc: { ...results.auc, all } },
    )
    assert.match(other, /\| p \| bad \| 0\.679 \| 0\.650 to 0\.700 \|/)
    assert.match(other, /Priors: 0\.99 % a year for credentials, 7 % for abuse/)
    assert.doesNotMatch(card, /0\.679/)
  })

  test("leaves a cell empty where a group was empty, and never says that nothing is 0 %", () => {
    const [group] = results.groups
    assert.ok(group !== undefined)
    const empty = { ...group, share: 0, badRate: null, meanP: null, auc: null }
    assert.match(
      emailModelCard(model, { ...results, groups: [empty] }),
      /\| domain \| free \| 0 % \| {2}\| {2}\| {2}\|/,
    )
  })

  test("holds no number that could not be printed", () => {
    assert.doesNotMatch(card, /NaN|undefined|null|Infinity|\[object/)
  })
})
