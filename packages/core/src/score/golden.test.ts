import assert from "node:assert/strict"
import { suite, test } from "node:test"
import { emailInput, emailModel, phoneInput, phoneModel } from "./arbitrary-inputs-suite.ts"
import { assessEmail, explainEmail } from "./assess-email.ts"
import { assessPhone, explainPhone } from "./assess-phone.ts"
import type { EmailInput } from "./email-input.ts"
import golden from "./golden.json" with { type: "json" }
import { bitsPerLetter, handleScore } from "./handle.ts"
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

suite("golden e-mail identities of model 1.0", () => {
  assert.equal(golden.email.length, 22)
  for (const { name, input, expected } of golden.email) {
    test(name, () => {
      const identity = emailInput(input as Partial<EmailInput>)
      const explained = explainEmail(identity, emailModel)
      assertGolden({ ...explained, ...assessEmail(identity, emailModel) }, expected)
    })
  }
})

suite("golden phone numbers of model 1.0", () => {
  assert.equal(golden.phone.length, 14)
  for (const { name, input, expected } of golden.phone) {
    test(name, () => {
      const number = phoneInput(input as Partial<PhoneInput>)
      const explained = explainPhone(number, phoneModel)
      assertGolden({ ...explained, ...assessPhone(number, phoneModel) }, expected)
    })
  }
})

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
