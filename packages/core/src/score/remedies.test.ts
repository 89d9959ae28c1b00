import assert from "node:assert/strict"
import { suite, test } from "node:test"
import fc from "fast-check"
import {
  anyEmail,
  anyPhone,
  calibration,
  days,
  emailInput,
  phoneInput,
  PROPERTY,
} from "../../testing/score/arbitrary-inputs-suite.ts"
import { assessEmail, explainEmail } from "./assess-email.ts"
import { assessPhone, explainPhone } from "./assess-phone.ts"
import type { EmailInput } from "./email-input.ts"
import { emailModels, phoneModels } from "./models.ts"
import type { PhoneInput } from "./phone-input.ts"
import type { RemedyName } from "./remedies.ts"
import { bandOf } from "./vocabulary.ts"

const email = emailModels["1.1"]
const phone = phoneModels["1.1"]

/** The same inputs as somebody would write them who did the thing today. */
const EMAILS: Partial<Record<RemedyName, (input: EmailInput) => EmailInput>> = {
  password_change: (input) => ({ ...input, rotatedAge: 0 }),
  ownership_proof: (input) => ({ ...input, trust: { ...input.trust, ownershipVerified: true } }),
}

const notGivenAwaySince = ({ recycledSinceVerified }: PhoneInput) =>
  recycledSinceVerified == null ? {} : { recycledSinceVerified: false }

const PHONES: Partial<Record<RemedyName, (input: PhoneInput) => PhoneInput>> = {
  verification_by_phone: (input) => ({
    ...input,
    ...notGivenAwaySince(input),
    verifiedAge: 0,
    verifiedIndependently: undefined,
  }),
  verification_by_other: (input) => ({
    ...input,
    ...notGivenAwaySince(input),
    verifiedAge: 0,
    verifiedIndependently: true,
  }),
  forwarding_ended: (input) => ({ ...input, callForwarding: false }),
}

/** Few numbers have everything at once, and most have little. */
const somePhone = fc.oneof(
  anyPhone,
  days.map((simChangeAge) => phoneInput({ line: "mobile", simChangeAge })),
)

suite("what would lower a score", () => {
  test("is what an assessment of the changed address gives, lower and in its own words", () => {
    const met = new Set<string>()
    fc.assert(
      fc.property(anyEmail, fc.option(calibration), (input, fit) => {
        const given = fit === null ? input : { ...input, settings: { calibration: fit } }
        const { risk_score: now } = assessEmail(given, email)
        for (const { remedy, ...promised } of explainEmail(given, email).remedies ?? []) {
          met.add(remedy)
          const after = assessEmail(EMAILS[remedy]?.(given) ?? given, email)
          assert.equal(promised.risk_score, after.risk_score)
          assert.equal(promised.threat_stage, after.threat_stage)
          assert.equal(promised.band, bandOf(after.risk_score))
          assert.ok(promised.risk_score < now)
          assert.match(promised.text, new RegExp(`would make it ${after.risk_score}\\b`))
        }
      }),
      PROPERTY,
    )
    assert.deepEqual([...met].sort(), Object.keys(EMAILS).sort())
  })

  test("leaves nothing out that would lower the score of an address", () => {
    fc.assert(
      fc.property(anyEmail, (input) => {
        const told = explainEmail(input, email).remedies?.map(({ remedy }) => remedy)
        const changed = assessEmail({ ...input, rotatedAge: 0 }, email).risk_score
        const isLower = changed < assessEmail(input, email).risk_score
        assert.equal(told?.includes("password_change"), isLower)
      }),
      PROPERTY,
    )
  })

  test("is what an assessment of the changed number gives, lower and in its own words", () => {
    const met = new Set<string>()
    fc.assert(
      fc.property(somePhone, (input) => {
        const { risk_score: now } = assessPhone(input, phone)
        for (const { remedy, ...promised } of explainPhone(input, phone).remedies ?? []) {
          met.add(remedy)
          const after = assessPhone(PHONES[remedy]?.(input) ?? input, phone)
          assert.equal(promised.risk_score, after.risk_score)
          assert.equal(promised.band, bandOf(after.risk_score))
          assert.ok(promised.risk_score < now)
          assert.match(promised.text, new RegExp(`would make it ${after.risk_score}$`))
        }
      }),
      PROPERTY,
    )
    assert.deepEqual([...met].sort(), Object.keys(PHONES).sort())
  })

  test("is a sentence with the figures of the address", () => {
    const exposures = [
      { kind: "breach", source: "a", age: 20, secret: "plaintext" },
      { kind: "combolist", source: "b", age: 10, secret: "plaintext" },
    ] as const
    const { remedies } = explainEmail(emailInput({ exposures }), email)
    const [change] = remedies ?? []
    assert.deepEqual(change, {
      remedy: "password_change",
      risk_score: 15,
      band: "low",
      text: "A password change today would make it 15, at the stage LEAKED",
      threat_stage: "LEAKED",
    })
  })

  test("is nothing for an address of which nothing bad is known", () => {
    const input = emailInput({ trust: { ownershipVerified: true } })
    assert.deepEqual(explainEmail(input, email).remedies, [])
  })

  test("is no proof of ownership where mail comes back", () => {
    const lost = emailInput({ trust: { disposable: true, deliverable: false } })
    assert.deepEqual(explainEmail(lost, email).remedies, [])
    const working = emailInput({ trust: { disposable: true, deliverable: true } })
    const names = explainEmail(working, email).remedies?.map(({ remedy }) => remedy)
    assert.deepEqual(names, ["ownership_proof"])
  })

  test("is no code to a number whose SIM may be somebody else's", () => {
    const names = (known: Partial<PhoneInput>) =>
      explainPhone(phoneInput({ line: "mobile", ...known }), phone).remedies?.map(
        ({ remedy }) => remedy,
      )
    assert.deepEqual(names({ simChangeAge: 2 / 24 }), ["verification_by_other"])
    assert.deepEqual(names({ simChangeAge: 12 }), ["verification_by_phone"])
    assert.deepEqual(names({ callForwarding: true }), ["forwarding_ended"])
    assert.deepEqual(names({ simChangeAge: 5, reserved: true }), [])
    assert.deepEqual(names({ simChangeAge: 5, valid: false }), [])
  })

  test("is left to models that have words for people", () => {
    const known = emailInput({ exposures: [{ kind: "stealer", source: "a", age: 3 }] })
    assert.equal("remedies" in explainEmail(known, emailModels["1.0"]), false)
    assert.equal("remedies" in explainEmail(known, email), true)
    const changed = phoneInput({ simChangeAge: 1 })
    assert.equal("remedies" in explainPhone(changed, phoneModels["1.0"]), false)
  })
})
