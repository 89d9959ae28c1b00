import assert from "node:assert/strict"
import { suite, test } from "node:test"
import fc from "fast-check"
import {
  anyEmail,
  anyPhone,
  PROPERTY,
  VERSIONS,
} from "../../testing/score/arbitrary-inputs-suite.ts"
import { assessEmail, explainEmail } from "./assess-email.ts"
import { assessPhone, explainPhone } from "./assess-phone.ts"
import { definedEmail, definedPhone, definedStage } from "../../testing/score/definition-suite.ts"
import { emailModels, phoneModels } from "./models.ts"
import { STAGES } from "./vocabulary.ts"

function assertNear(actual: object, defined: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(defined)) {
    const found = (actual as Record<string, unknown>)[name]
    assert.ok(
      Math.abs(Number(found) - value) <= 1e-9,
      `${name}: ${String(found)}, defined ${value}`,
    )
  }
}

/** Scores agree, except where the unrounded score lies on the edge between two. */
function assertScore(score: number, risk: number): void {
  const clipped = Math.min(100, Math.max(0, risk))
  assert.ok(Math.abs(score - clipped) <= 0.5 + 1e-9, `${score} for ${clipped}`)
}

for (const version of VERSIONS)
  suite(`the scorer agrees with model ${version} written out plainly`, () => {
    const emailModel = emailModels[version]
    const phoneModel = phoneModels[version]

    test("on every number of an e-mail identity", () => {
      fc.assert(
        fc.property(anyEmail, (input) => {
          const { risk, ...numbers } = definedEmail(input, version)
          assertNear(explainEmail(input, emailModel), numbers)
          assertScore(assessEmail(input, emailModel).risk_score, risk)
        }),
        PROPERTY,
      )
    })

    test("on the stage, and all of them are met", () => {
      const seen = new Set<string>()
      fc.assert(
        fc.property(anyEmail, (input) => {
          const { threat_stage } = assessEmail(input, emailModel)
          seen.add(threat_stage)
          assert.equal(threat_stage, STAGES[definedStage(input)]?.name)
        }),
        PROPERTY,
      )
      assert.equal(seen.size, STAGES.length)
    })

    test("on every number of a phone number", () => {
      fc.assert(
        fc.property(anyPhone, (input) => {
          const { risk, ...numbers } = definedPhone(input, version)
          assertNear(explainPhone(input, phoneModel), numbers)
          assertScore(assessPhone(input, phoneModel).risk_score, risk)
        }),
        PROPERTY,
      )
    })
  })
