import assert from "node:assert/strict"
import { suite, test } from "node:test"
import { emailInput, emailModel, phoneInput } from "../../testing/score/arbitrary-inputs-suite.ts"
import { assessEmail, explainEmail } from "./assess-email.ts"
import { assessPhone, explainPhone } from "./assess-phone.ts"
import type { EmailInput } from "./email-input.ts"
import golden from "./golden.json" with { type: "json" }
import golden11 from "./golden-1.1.json" with { type: "json" }
import { bitsPerLetter, handleScore } from "./handle.ts"
import { emailModels, phoneModels } from "./models.ts"
import type { PhoneInput } from "./phone-input.ts"
import type { SignalType } from "./vocabulary.ts"

function assertGolden(actual: object, expected: object): void {
  for (const [name, value] of Object.entries(expected) as [string, unknown][]) {
    const found = (actual as Record<string, unknown>)[name]
    if (typeof value === "number" && typeof found === "number" && !Number.isInteger(value)) {
      assert.ok(Math.abs(found - value) <= 1e-9, `${name}: ${found}, expected ${value}`)
    } else if (name === "risk_score" || typeof value !== "number") {
      assert.equal(found, value, name)
    } else {
      assert.ok(Math.abs(Number(found) - value) <= 1e-9, `${name}: ${String(found)} for ${value}`)
    }
  }
}

for (const { version, values, emails, phones } of [
  { version: "1.0", values: golden, emails: 22, phones: 14 },
  { version: "1.1", values: golden11, emails: 34, phones: 26 },
] as const) {
  suite(`golden e-mail identities of model ${version}`, () => {
    assert.equal(values.email.length, emails)
    for (const { name, input, expected } of values.email) {
      test(name, () => {
        const identity = emailInput(input as Partial<EmailInput>)
        const explained = explainEmail(identity, emailModels[version])
        assertGolden({ ...explained, ...assessEmail(identity, emailModels[version]) }, expected)
      })
    }
  })

  suite(`golden phone numbers of model ${version}`, () => {
    assert.equal(values.phone.length, phones)
    for (const { name, input, expected } of values.phone) {
      test(name, () => {
        const number = phoneInput(input as Partial<PhoneInput>)
        const explained = explainPhone(number, phoneModels[version])
        assertGolden({ ...explained, ...assessPhone(number, phoneModels[version]) }, expected)
      })
    }
  })
}

suite("golden handles", () => {
  for (const [handle, expected] of Object.entries(golden.handle)) {
    test(handle, () => {
      assert.ok(Math.abs(bitsPerLetter(handle) - expected.bits_per_letter) <= 1e-6)
      assert.ok(Math.abs((handleScore(handle) ?? NaN) - expected.H) <= 1e-9)
    })
  }
})

suite("one item a day old, and nothing else known", () => {
  const withSignal = (type: SignalType): Partial<EmailInput> => ({
    signals: [{ type, source: "s", age: 1 }],
  })
  const ladder: [string, Partial<EmailInput>, number][] = [
    ["nothing", {}, 7],
    ["breach", exposed("breach"), 21],
    ["combolist", exposed("combolist"), 25],
    ["listing", withSignal("listing"), 41],
    ["tested", withSignal("tested"), 60],
    ["attack", withSignal("attack"), 80],
    ["monetized", withSignal("monetized"), 90],
  ]
  for (const [name, known, score] of ladder) {
    test(`${name} scores ${score}`, () => {
      assert.equal(assessEmail(emailInput(known), emailModel).risk_score, score)
    })
  }

  function exposed(kind: "breach" | "combolist"): Partial<EmailInput> {
    return { exposures: [{ kind, source: "s", age: 1, secret: "plaintext" }] }
  }
})
