import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { suite, test } from "node:test"
import fc from "fast-check"
import { anyEmail, emailModel } from "../../testing/score/arbitrary-inputs-suite.ts"
import { assessEmail, explainEmail } from "./assess-email.ts"
import { usableCalibration } from "./calibration.ts"
import { calibrated, fitCalibration, labelsLack, plattFit, type Label } from "./fit-calibration.ts"
import { logit, sigmoid } from "./scale.ts"

const soak = process.env.ASSAY_SOAK !== undefined

const sha256 = (...parts: Uint8Array[]): Uint8Array => {
  const hash = createHash("sha256")
  for (const part of parts) hash.update(part)
  return hash.digest()
}

// Evenly spread: left to itself fast-check prefers the ends of a range.
const share = fc.noBias(fc.integer({ min: 0, max: 999_999 })).map((value) => value / 1_000_000)

/** Labels of identities whose true log-odds are A · model log-odds + B, in no order of risk. */
function labelsOf(A: number, B: number, count: number, seed: number): Label[] {
  return fc
    .sample(fc.tuple(share, share), { seed, numRuns: count })
    .map(([told, chance]): Label => {
      const logOdds = told * 7 - 5
      return { p: sigmoid(logOdds), floor: null, bad: chance < sigmoid(A * logOdds + B) }
    })
}

const fit = (labels: readonly Label[]) => fitCalibration(labels, emailModel, sha256)

suite("a fitted calibration", () => {
  test("finds the slope and the intercept that made the labels", () => {
    const lines = fc.tuple(fc.integer({ min: 5, max: 25 }), fc.integer({ min: -10, max: 10 }))
    const property = fc.property(lines, ([tenths, shift]) => {
      const [A, B] = [tenths / 10, shift / 10]
      const { calibration } = fit(labelsOf(A, B, 20_000, tenths * 100 + shift))
      assert.ok(Math.abs(calibration.A - A) < 0.05 + 0.05 * A, `A ${calibration.A}, not ${A}`)
      assert.ok(Math.abs(calibration.B - B) < 0.15, `B ${calibration.B}, not ${B}`)
    })
    fc.assert(property, { seed: 20_261_102, numRuns: soak ? 25 : 5 })
  })

  test("lies where the smoothed loss is lowest: any line beside it is worse", () => {
    const labels = labelsOf(1.4, -0.6, 4_000, 7)
    const bad = labels.filter((label) => label.bad).length
    const good = labels.length - bad
    const loss = (A: number, B: number): number =>
      labels.reduce((sum, label) => {
        const target = label.bad ? (bad + 1) / (bad + 2) : 1 / (good + 2)
        const p = sigmoid(A * logit(label.p) + B)
        return sum - target * Math.log(p) - (1 - target) * Math.log(1 - p)
      }, 0)
    const { A, B } = fit(labels).calibration
    for (const [dA, dB] of [
      [0.001, 0],
      [-0.001, 0],
      [0, 0.001],
      [0, -0.001],
      [0.001, -0.001],
    ] as const) {
      assert.ok(loss(A + dA, B + dB) > loss(A, B))
    }
  })

  test("keeps its slope inside the bounds and fits the intercept to the slope it was given", () => {
    const { slopeMin, slopeMax } = emailModel.calibration
    for (const [A, bound] of [
      [0, slopeMin],
      [-1, slopeMin],
      [8, slopeMax],
    ] as const) {
      const labels = labelsOf(A, A === 8 ? 4 : -0.5, 6_000, 11)
      const line = plattFit(labels, emailModel.calibration)
      assert.equal(line.A, bound)
      // At the best intercept the promised and the real number of bad outcomes agree.
      const promised = labels.reduce((sum, { p }) => sum + sigmoid(line.A * logit(p) + line.B), 0)
      const bad = labels.filter((label) => label.bad).length
      assert.ok(Math.abs(promised - bad) < 3, `${promised} promised, ${bad} bad`)
    }
  })

  test("of labels that one threshold divides is finite", () => {
    const labels = labelsOf(1, 0, 2_000, 3).map((label) => ({ ...label, bad: label.p > 0.3 }))
    const { A, B } = fit(labels).calibration
    assert.equal(A, emailModel.calibration.slopeMax)
    assert.ok(Number.isFinite(B))
  })

  test("of identities that all had one probability is their base rate", () => {
    const labels = labelsOf(1, 0, 3_000, 5).map(({ bad }) => ({ p: 0.2, floor: null, bad }))
    const { A, B } = fit(labels).calibration
    const share = labels.filter((label) => label.bad).length / labels.length
    assert.ok(Math.abs(sigmoid(A * logit(0.2) + B) - share) < 0.001)
  })

  test("improves what it was not shown, where the model was wrong by a line", () => {
    const { before, after } = fit(labelsOf(0.6, -1, 10_000, 13)).heldOut
    assert.ok(after.brier < before.brier)
    assert.ok(after.logLoss < before.logLoss)
    assert.ok(after.ece < before.ece / 3)
    assert.equal(after.auc, before.auc)
  })

  test("is judged by labels it has not seen: the newest three of ten", () => {
    const labels = labelsOf(1, 0, 4_000, 17)
    const { heldOut, bad, good } = fit(labels)
    assert.equal(heldOut.rows, 1_200)
    assert.equal(heldOut.bad, labels.slice(2_800).filter((label) => label.bad).length)
    assert.equal(bad + good, 4_000)
    const turned = labels.map((label, i) => (i < 2_800 ? label : { ...label, bad: !label.bad }))
    assert.ok(fit(turned).heldOut.after.logLoss > 2 * heldOut.after.logLoss)
  })

  test("counts a floor that holds in what it promises", () => {
    const labels = labelsOf(1, -2, 4_000, 19)
    const held = labels.map((label) => ({ ...label, floor: 60 }))
    assert.deepEqual(fit(held).calibration, fit(labels).calibration)
    assert.ok(fit(held).heldOut.after.brier > fit(labels).heldOut.after.brier)
    assert.equal(fit(held).heldOut.before.brier, fit(labels).heldOut.before.brier)
  })

  test("has a hash that names its numbers and its model, and nothing else", () => {
    const labels = labelsOf(1.2, 0.3, 3_000, 23)
    const { hash } = fit(labels).calibration
    assert.match(hash, /^[0-9a-f]{32}$/)
    assert.equal(fit(labels).calibration.hash, hash)
    const other = { ...emailModel, version: "1.1" }
    assert.notEqual(fitCalibration(labels, other, sha256).calibration.hash, hash)
    assert.notEqual(fit(labels.slice(1)).calibration.hash, hash)
  })

  test("I21: can be used by the scorer, keeps the order of identities and never falls below a floor", () => {
    const { calibration } = fit(labelsOf(0.5, -2, 6_000, 29))
    assert.equal(usableCalibration(calibration, emailModel.calibration), calibration)
    fc.assert(
      fc.property(anyEmail, anyEmail, (one, other) => {
        const raw = (input: typeof one) => explainEmail(input, emailModel)
        const [low, high] = raw(one).p <= raw(other).p ? [one, other] : [other, one]
        const settings = { calibration }
        const after = (input: typeof one) => explainEmail({ ...input, settings }, emailModel)
        const floor = raw(low).stage.floor ?? 0
        const score = (input: typeof one) =>
          assessEmail({ ...input, settings }, emailModel).risk_score
        assert.ok(score(low) >= floor)
        assert.ok(score(low) <= Math.max(score(high), floor))
        assert.equal(after(low).calibration?.hash, calibration.hash)
      }),
      { seed: 20_261_102, numRuns: soak ? 2_000 : 400 },
    )
  })

  test("I21: is strictly increasing, whatever the labels were", () => {
    const property = fc.property(
      fc.integer({ min: -20, max: 60 }),
      fc.integer({ min: 1, max: 1_000 }),
      (tenths, seed) => {
        const line = plattFit(labelsOf(tenths / 10, -0.5, 600, seed), emailModel.calibration)
        const rising = [0.001, 0.01, 0.2, 0.5, 0.9].map((p) => ({ p, floor: null, bad: false }))
        const mapped = calibrated(rising, line, emailModel.scale).map(({ p }) => p)
        mapped.forEach((p, i) => assert.ok(i === 0 || p > (mapped[i - 1] ?? 1)))
      },
    )
    fc.assert(property, { seed: 20_261_102, numRuns: soak ? 300 : 60 })
  })
})

suite("no calibration is fitted", () => {
  const refusal = (labels: readonly Label[]): string => {
    try {
      fit(labels)
    } catch (error) {
      assert.ok(error instanceof RangeError)
      assert.equal(error.message, labelsLack(labels))
      return error.message
    }
    assert.fail("a calibration was fitted")
  }
  const rows = (count: number, bad: boolean, p = 0.1): Label[] =>
    Array.from({ length: count }, () => ({ p, floor: null, bad }))
  const mixed = (bad: number, good: number): Label[] =>
    [...rows(bad, true), ...rows(good, false)].map((label, i, all) => {
      // Spread the two outcomes over the whole time.
      return all[(i * 7_919) % all.length] ?? label
    })

  test("to fewer than 200 bad outcomes", () => {
    assert.match(refusal(mixed(199, 1_000)), /at least 200 bad .* there are 199 bad and 1000 good/)
    assert.match(refusal([]), /there are 0 bad and 0 good/)
    assert.ok(fit(mixed(200, 1_000)).calibration.A > 0)
  })

  test("to fewer good outcomes than bad ones", () => {
    assert.match(refusal(mixed(300, 299)), /as many good ones/)
    assert.ok(fit(mixed(300, 300)).calibration.A > 0)
  })

  test("where either part of the time has one outcome only", () => {
    assert.match(refusal([...rows(300, true), ...rows(900, false)]), /360 newer labels/)
    assert.match(refusal([...rows(1_400, false), ...rows(400, true)]), /1260 older labels/)
  })
})
