import assert from "node:assert/strict"
import { suite, test } from "node:test"
import fc from "fast-check"
import { emailInput, phoneInput, PROPERTY } from "../../testing/score/arbitrary-inputs-suite.ts"
import { explainEmail } from "./assess-email.ts"
import { explainPhone } from "./assess-phone.ts"
import { costCurve } from "./cost-curve.ts"
import { emailModels, phoneModels } from "./models.ts"

const email = emailModels["1.1"]
const cost = fc.integer({ min: 1, max: 100_000 }).map((hundredths) => hundredths / 100)
const someCosts = fc.record({ loss: cost, challenge: cost, wrongBlock: cost }, { requiredKeys: [] })

suite("the expected costs over the score", () => {
  test("put the actions of the model on the edges of the bands", () => {
    const { edges, points } = costCurve(email)
    assert.deepEqual(edges, { challenge: 25, block: 80 })
    const actionAt = (score: number) => points[score]?.action
    assert.deepEqual([0, 24, 25, 79, 80, 100].map(actionAt), [
      "allow",
      "allow",
      "step_up_auth",
      "step_up_auth",
      "block",
      "block",
    ])
    assert.equal(points.length, 101)
  })

  test("have the edges that an assessment under the same costs has", () => {
    fc.assert(
      fc.property(someCosts, (costs) => {
        const settings = { costs }
        const curve = costCurve(email, settings)
        assert.deepEqual(explainEmail(emailInput({ settings }), email).action.edges, curve.edges)
        const phone = phoneModels["1.1"]
        assert.deepEqual(
          explainPhone(phoneInput({ settings }), phone).action.edges,
          costCurve(phone, settings).edges,
        )
      }),
      PROPERTY,
    )
  })

  test("cross at the edges: before the first an allow is the cheaper, from it on a challenge", () => {
    fc.assert(
      fc.property(someCosts, (costs) => {
        const { edges, points } = costCurve(email, { costs })
        for (const { score, costs: expected } of points) {
          // Edges are whole scores, and the curves cross within half a point of them.
          if (score < edges.challenge) assert.ok(expected.allow <= expected.step_up_auth + 1e-9)
          if (score > edges.challenge) assert.ok(expected.step_up_auth <= expected.allow + 1e-9)
          if (score > edges.block && edges.block > edges.challenge)
            assert.ok(expected.block <= expected.step_up_auth + 1e-9)
        }
      }),
      PROPERTY,
    )
  })

  test("never end in a block where one takes a confirmation", () => {
    const { points } = costCurve(email, { confirmedBeforeBlock: true })
    assert.equal(points[100]?.action, "review")
    assert.ok(points.every(({ action }) => action !== "block"))
  })

  test("refuse costs that are none", () => {
    assert.throws(() => costCurve(email, { costs: { loss: 0 } }), RangeError)
  })
})
