import assert from "node:assert/strict"
import { suite, test } from "node:test"
import fc from "fast-check"
import {
  anyEmail,
  anyPhone,
  calibration,
  emailInput,
  emailModel,
  phoneInput,
  phoneModel,
  PROPERTY,
  VERSIONS,
} from "../../testing/score/arbitrary-inputs-suite.ts"
import { assessEmail, explainEmail } from "./assess-email.ts"
import { assessPhone, explainPhone } from "./assess-phone.ts"
import type { EmailInput } from "./email-input.ts"
import { emailModels, phoneModels } from "./models.ts"
import { EMAIL_REASON_CODES, PHONE_REASON_CODES } from "./vocabulary.ts"

interface Sum {
  readonly baseline: number
  readonly contributions: readonly { readonly points: number; readonly code: string }[]
  readonly rounding: number
}

function assertAddsUp({ baseline, contributions, rounding }: Sum, score: number): void {
  const points = contributions.reduce((sum, contribution) => sum + contribution.points, 0)
  assert.ok(Math.abs(baseline + points + rounding - score) <= 1e-9)
  assert.ok(rounding > -0.5 - 1e-9 && rounding <= 0.5 + 1e-9)
  assert.ok(contributions.every((contribution) => contribution.points >= -1e-9))
}

suite("an explanation", () => {
  test("of an e-mail address adds up to the score", () => {
    fc.assert(
      fc.property(anyEmail, (input) => {
        for (const version of VERSIONS) {
          const model = emailModels[version]
          assertAddsUp(explainEmail(input, model), assessEmail(input, model).risk_score)
        }
      }),
      PROPERTY,
    )
  })

  test("of a phone number adds up to the score", () => {
    fc.assert(
      fc.property(anyPhone, (input) => {
        for (const version of VERSIONS) {
          const model = phoneModels[version]
          assertAddsUp(explainPhone(input, model), assessPhone(input, model).risk_score)
        }
      }),
      PROPERTY,
    )
  })

  test("adds up after calibration, and names it", () => {
    fc.assert(
      fc.property(anyEmail, anyPhone, calibration, (email, phone, fit) => {
        const named = { ...fit, hash: "sha256-of-the-fit" }
        const settings = { calibration: named }
        const explained = explainEmail({ ...email, settings }, emailModel)
        assertAddsUp(explained, assessEmail({ ...email, settings }, emailModel).risk_score)
        assert.deepEqual(explained.calibration, named)
        assertAddsUp(
          explainPhone({ ...phone, settings }, phoneModel),
          assessPhone({ ...phone, settings }, phoneModel).risk_score,
        )
      }),
      PROPERTY,
    )
  })

  test("lists factors in the order of the codes, each once", () => {
    fc.assert(
      fc.property(anyEmail, anyPhone, (email, phone) => {
        const inOrder = (codes: readonly string[], all: readonly string[]) =>
          assert.deepEqual(
            codes,
            all.filter((code) => codes.includes(code)),
          )
        inOrder(
          explainEmail(email, emailModel).contributions.map(({ code }) => code),
          EMAIL_REASON_CODES,
        )
        inOrder(
          explainPhone(phone, phoneModel).contributions.map(({ code }) => code),
          PHONE_REASON_CODES,
        )
      }),
      PROPERTY,
    )
  })

  test("carries the input and the model, so that the decision can be made again", () => {
    const input = emailInput({ trust: { disposable: true } })
    const explained = explainEmail(input, emailModel)
    assert.deepEqual(explained.model, { name: "email", version: "1.0" })
    const replayed = JSON.parse(JSON.stringify(explained)) as { input: EmailInput }
    assert.deepEqual(assessEmail(replayed.input, emailModel), assessEmail(input, emailModel))
  })

  test("dates what has a date and leaves the rest undated", () => {
    const { contributions } = explainEmail(
      emailInput({
        exposures: [{ kind: "breach", source: "a", age: 20, secret: "plaintext" }],
        trust: { disposable: true, emailAge: 3, blocklist: [{ age: 4 }], confirmedFraudAge: 9 },
      }),
      emailModel,
    )
    assert.deepEqual(
      contributions.map(({ code, newest }) => [code, newest]),
      [
        ["CRED_BREACH", "2026-10-26"],
        ["ID_NEW_EMAIL", null],
        ["ID_DISPOSABLE", null],
        ["BOT_BLOCKLIST", "2026-11-11"],
        ["FRAUD_CONFIRMED", "2026-11-06"],
      ],
    )
  })

  test("lists what speaks against risk in nats, with its joint effect on the baseline", () => {
    const quiet = explainEmail(emailInput(), emailModel)
    assert.deepEqual(quiet.mitigations, { terms: [], joint_effect: 0 })
    const trusted = explainEmail(
      emailInput({
        trust: { ownershipVerified: true, deliverable: true, traces: 3, disposable: true },
      }),
      emailModel,
    )
    assert.deepEqual(trusted.mitigations.terms, [
      { term: "traces", nats: -1.05 },
      { term: "ownership_verified", nats: -0.7 },
      { term: "deliverable", nats: -0.2 },
    ])
    assert.ok(trusted.mitigations.joint_effect < 0)
    assert.ok(
      Math.abs(quiet.baseline + trusted.mitigations.joint_effect - trusted.baseline) <= 1e-9,
    )
    assert.deepEqual(
      trusted.contributions.map(({ code }) => code),
      ["ID_DISPOSABLE"],
    )
  })

  test("gives the interest in the identity as a trend, for display", () => {
    const trend = (...ages: number[]) =>
      explainEmail(
        emailInput({ signals: ages.map((age, i) => ({ type: "mention", source: `s${i}`, age })) }),
        emailModel,
      ).interest_trend.direction
    assert.equal(trend(), "none")
    assert.equal(trend(1, 2, 3), "rising")
    assert.equal(trend(20), "steady")
    assert.equal(trend(90, 100), "falling")
  })

  test("names what could not be looked at, and is silent about what was", () => {
    const blind = explainEmail(emailInput(), emailModel).notes
    assert.ok(blind.includes("No exposure source answered"))
    assert.ok(blind.includes("Passive traces were not looked up"))
    const sighted = explainEmail(
      emailInput({
        coverage: { credential: 1, darkweb: 1, trust: 1, bot: 1 },
        trust: { mx: true, domainAge: 4_000, deliverable: true, traces: 2 },
      }),
      emailModel,
    ).notes
    assert.deepEqual(sighted, [])
    const partial = explainEmail(emailInput({ coverage: { credential: 0.5 } }), emailModel).notes
    assert.ok(partial.includes("Every exposure source is out of date"))
  })

  test("weighs the coverage of a phone number and says what is missing", () => {
    const coverage = { number: 1, sim: 1, device: 1, network: 0, context: 0.5 }
    const { coverage: told, notes } = explainPhone(
      phoneInput({ coverage, noSimChangeDays: 240, deviceContinuityDays: 90, accounts24h: 1 }),
      phoneModel,
    )
    assert.ok(Math.abs(told.value - 0.8) <= 1e-12)
    assert.ok(notes.some((note) => note.startsWith("No source answered about the network")))
    assert.ok(notes.includes("No SIM change in the 240 days its operator monitors"))
    assert.ok(!notes.includes("No source answered about the device"))
  })
})
