import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { suite, test } from "node:test"
import { emailModels, loadEmailModel } from "@assay/core/score"
import { emailEvaluations } from "../packages/server/src/model-tools/email-evaluation.ts"
import { root } from "../scripts/repository.ts"
import { CARD_IDENTITIES, CARD_SEED } from "./card-run.ts"
import { evaluate, fingerprint, SAMPLED_IDENTITIES } from "./evaluate.ts"
import { evaluatedModels, reports } from "./reports.ts"

const evaluatedModel = emailModels["1.1"]
const small = evaluate(evaluatedModel, 3, 3_000)

/** What ships, oldest version first. */
const all = Object.values(emailEvaluations)

suite("an evaluation", () => {
  test("gives the same bytes for the same seed, and others for another", () => {
    const bytes = JSON.stringify(small)
    assert.equal(JSON.stringify(evaluate(evaluatedModel, 3, 3_000)), bytes)
    assert.notEqual(JSON.stringify(evaluate(evaluatedModel, 4, 3_000)), bytes)
  })

  test("counts every identity once in each table", () => {
    const total = (shares: readonly { readonly share: number }[]): number =>
      shares.reduce((sum, { share }) => sum + share, 0)
    assert.ok(Math.abs(total(small.bands) - 1) < 1e-4)
    assert.ok(Math.abs(total(small.stages) - 1) < 1e-4)
    for (const factor of new Set(small.groups.map((group) => group.factor))) {
      const own = small.groups.filter((group) => group.factor === factor)
      assert.ok(Math.abs(total(own) - 1) < 1e-4, factor)
    }
    for (const shares of [
      small.curves.scores.good,
      small.curves.scores.takeover,
      small.curves.scores.abuse,
    ]) {
      assert.ok(Math.abs(shares.reduce((sum, share) => sum + share, 0) - 1) < 1e-3)
    }
  })

  test("ranks better than chance and than each baseline, and the base rate not at all", () => {
    for (const committed of all) {
      const { auc, baselines } = committed
      for (const baseline of baselines) assert.ok(auc.all.low > baseline.auc, baseline.name)
      assert.equal(baselines.find(({ name }) => name.startsWith("base rate"))?.auc, 0.5)
      for (const { auc: reached, low, high } of Object.values(auc)) {
        assert.ok(low > 0.5 && low < reached && reached < high)
      }
    }
  })

  test("finds more takeovers the further a stage is", () => {
    for (const { stages } of all) {
      const rates = stages.map(({ takeoverRate }) => takeoverRate ?? NaN)
      rates.forEach((rate, i) => assert.ok(i === 0 || rate > (rates[i - 1] ?? 0), rates.join(" ")))
    }
  })

  test("shows that calibration improves what it promises", () => {
    for (const { calibration } of all) {
      const { before, after, baseRateBrier } = calibration
      assert.ok(after.ece < before.ece && after.logLoss < before.logLoss)
      assert.ok(after.brier < before.brier && after.brier < baseRateBrier)
    }
  })
})

suite("the committed evaluations", () => {
  test("are of the model documents as they are and of the run they name", () => {
    assert.equal(all.length, evaluatedModels.length)
    evaluatedModels.forEach((model, i) => {
      const committed = all[i]
      assert.ok(committed !== undefined)
      assert.equal(committed.model.sha256, fingerprint(model), "run `npm run eval`")
      assert.equal(committed.population.identities, CARD_IDENTITIES)
      assert.equal(committed.population.seed, CARD_SEED)
    })
  })

  test("are of the simulator and the scorer as they are", () => {
    evaluatedModels.forEach((model, i) => {
      const rows = evaluate(model, CARD_SEED, SAMPLED_IDENTITIES)
      assert.equal(
        rows.population.sampleSha256,
        all[i]?.population.sampleSha256,
        "run `npm run eval`",
      )
    })
  })

  test("are what the cards, the plots and the results on disk are made of", async () => {
    for (const [i, model] of evaluatedModels.entries()) {
      const committed = emailEvaluations[model.version as "1.0" | "1.1"]
      for (const [path, text] of await reports(model, committed, all[i - 1] ?? null)) {
        assert.equal(readFileSync(join(root, path), "utf8"), text, `${path}: run \`npm run eval\``)
      }
    }
  })

  test("stand side by side on the card of the later version, of the same people", () => {
    const [first, second] = all
    assert.deepEqual(second?.population.bad, first?.population.bad)
    const card = readFileSync(join(root, "docs/model-card/email-1.1.md"), "utf8")
    assert.match(card, /### Beside version 1\.0/)
    assert.match(card, /\|\s+\| 1\.0\s+\| 1\.1\s+\|/)
  })
})

test("another weight is another fingerprint", () => {
  const document = structuredClone(evaluatedModel) as { priors: { abuse: number } }
  document.priors.abuse = 0.009
  assert.notEqual(fingerprint(loadEmailModel(document)), fingerprint(evaluatedModel))
})
