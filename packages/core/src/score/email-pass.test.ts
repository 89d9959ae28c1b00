import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import {
  anyEmail,
  anyPhone,
  emailInput,
  PROPERTY,
  VERSIONS,
} from "../../testing/score/arbitrary-inputs-suite.ts"
import { assessEmail, emailOutcome, explainEmail } from "./assess-email.ts"
import { assessPhone, phoneOutcome } from "./assess-phone.ts"
import type { EmailInput, Exposure } from "./email-input.ts"
import email10 from "./email-1.0.json" with { type: "json" }
import email11 from "./email-1.1.json" with { type: "json" }
import { emailModels, loadEmailModel, phoneModels } from "./models.ts"

const documents = { "1.0": email10, "1.1": email11 }

test("an identity leaves nothing to the next one, nor to another model", () => {
  fc.assert(
    fc.property(anyEmail, anyEmail, fc.constantFrom(...VERSIONS), (before, input, version) => {
      // A model that was just loaded has scored nobody but nobodies.
      const fresh = explainEmail(input, loadEmailModel(documents[version]))
      for (const each of VERSIONS) assessEmail(before, emailModels[each])
      assert.deepEqual(explainEmail(input, emailModels[version]), fresh)
    }),
    { ...PROPERTY, numRuns: 40 },
  )
})

test("an outcome has the members of the assessment, whatever the input", () => {
  fc.assert(
    fc.property(anyEmail, anyPhone, fc.constantFrom(...VERSIONS), (email, phone, version) => {
      const { risk_score, confidence, threat_stage, recommended_action } = assessEmail(
        email,
        emailModels[version],
      )
      const expected = { risk_score, confidence, threat_stage, recommended_action }
      assert.deepEqual(emailOutcome(email, emailModels[version]), expected)
      const told = assessPhone(phone, phoneModels[version])
      const { recommendation } = told
      assert.deepEqual(phoneOutcome(phone, phoneModels[version]), {
        risk_score: told.risk_score,
        recommendation,
      })
    }),
    PROPERTY,
  )
})

test("an identity that cannot be scored leaves nothing to the next one", () => {
  const exposure: Exposure = { kind: "breach", source: "s", age: 3, pwFp: "a1f" }
  const input = emailInput({ exposures: [{ ...exposure, source: "t" }, exposure] })
  const expected = assessEmail(input, emailModels["1.1"])
  const unknown = { ...exposure, kind: "nonsense" } as unknown as Exposure
  const wrong: EmailInput = emailInput({ exposures: [exposure, unknown] })
  assert.throws(() => assessEmail(wrong, emailModels["1.1"]), RangeError)
  assert.deepEqual(assessEmail(input, emailModels["1.1"]), expected)
})

test("hundreds of exposures and passwords are weighed like a few", () => {
  const many = Array.from({ length: 600 }, (_, n): Exposure => {
    return { kind: "breach", source: `s${n}`, age: n, secret: "plaintext", pwFp: `print ${n}` }
  })
  const shuffled = many.toSorted((a, b) => ((a.age * 7_919) % 601) - ((b.age * 7_919) % 601))
  const { last_seen, ...told } = assessEmail(emailInput({ exposures: many }), emailModels["1.1"])
  assert.equal(told.exposure_count, 600)
  assert.equal(last_seen, "2026-11-15")
  assert.deepEqual(assessEmail(emailInput({ exposures: shuffled }), emailModels["1.1"]), {
    last_seen,
    ...told,
  })
  const again = [...shuffled, { ...many[599], source: "another" } as Exposure]
  const { contributions } = explainEmail(emailInput({ exposures: again }), emailModels["1.1"])
  assert.ok(contributions.some(({ code }) => code === "CRED_PASSWORD_REUSE"))
})

test("a fingerprint that one source repeats is that of one source", () => {
  const exposure: Exposure = { kind: "breach", source: "s", age: 9, pwFp: ["a1f", "a1f"] }
  const again: Exposure = { ...exposure, item: "another", age: 3, pwFp: "a1f" }
  const reuse = (...exposures: Exposure[]) =>
    explainEmail(emailInput({ exposures }), emailModels["1.1"]).contributions.find(
      ({ code }) => code === "CRED_PASSWORD_REUSE",
    )
  assert.equal(reuse(exposure, again), undefined)
  // The repetition of an observation is as new as its newest, and so is its fingerprint.
  const other: Exposure = { ...exposure, kind: "stealer", source: "t" }
  const newer: Exposure = { ...other, age: 2, pwFp: undefined }
  const told = reuse(exposure, again, other, newer)
  assert.equal(told?.text, "Same password leaked by 2 sources, newest 2 days ago")
})

test("more sources than are remembered are told apart, and so are those of the next identity", () => {
  const many = Array.from({ length: 10_001 }, (_, n): Exposure => ({
    kind: "breach",
    source: `s${n}`,
    age: 400,
  }))
  const { exposure_count } = assessEmail(emailInput({ exposures: many }), emailModels["1.1"])
  assert.equal(exposure_count, 10_001)
  const few = [many[3], many[4], many[3]] as Exposure[]
  assert.equal(assessEmail(emailInput({ exposures: few }), emailModels["1.1"]).exposure_count, 2)
})
