import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { anyPhone, PROPERTY, VERSIONS } from "../../testing/score/arbitrary-inputs-suite.ts"
import { explainPhone } from "./assess-phone.ts"
import type { PhoneModel } from "./model-phone.ts"
import { phoneModels } from "./models.ts"
import type { PhoneInput } from "./phone-input.ts"
import { phonePass } from "./phone-pass.ts"
import { clip, logit, pointsOf, scaleOf } from "./scale.ts"
import type { PhoneReasonCode } from "./vocabulary.ts"

const without: Record<PhoneReasonCode, Partial<PhoneInput>> = {
  SIM_CHANGED: { simChangeAge: null, simChangeAgeMin: null },
  SIM_PORTED: { portAge: null },
  NUMBER_RECYCLED: { recycledSinceVerified: null },
  CALL_FORWARDING: { callForwarding: null },
  DEVICE_CHANGED: { deviceChangedWithSim: null },
  ROUTE_CHANGES: { routeChanges90d: null },
  OTP_FAILURES: { otpFailureBurst: null },
  NUMBER_INVALID: { valid: null },
  NUMBER_RESERVED: { reserved: null },
  NUMBER_INACTIVE: { active: null },
  // A plain mobile line adds nothing.
  LINE_TYPE: { line: "mobile" },
  NEW_NUMBER: { tenureDays: null },
  COUNTRY_MISMATCH: { countryMismatch: null },
  PHONE_VELOCITY: { accounts24h: null },
  PHONE_BLOCKLIST: { blocklisted: null },
  FRAUD_CONFIRMED: { confirmedFraudAge: null },
}

function scoreWithout(
  input: PhoneInput,
  codes: readonly PhoneReasonCode[],
  model: PhoneModel,
): number {
  const left = codes.reduce((rest, code) => ({ ...rest, ...without[code] }), input)
  return clip(pointsOf(scaleOf(model.scale), logit(phonePass(left, model).p)), 0, 100)
}

// The device term lives on the age of the SIM change, so taking the change out of the input would
// take both; a port and a change share one term. Each is left to the cases that name it.
const separable = anyPhone.map((input): PhoneInput => ({
  ...input,
  portAge: null,
  deviceChangedWithSim: null,
}))

for (const version of VERSIONS)
  test(`model ${version}: the points of a factor are those of scoring the number again with and without it`, () => {
    const phoneModel = phoneModels[version]
    let floors = 0
    fc.assert(
      fc.property(separable, (input) => {
        const { contributions, baseline } = explainPhone(input, phoneModel)
        const codes = contributions.map(({ code }) => code as PhoneReasonCode)
        if (codes.includes("SIM_CHANGED") && codes.includes("NUMBER_RECYCLED")) floors++
        const none = scoreWithout(input, codes, phoneModel)
        const all = scoreWithout(input, [], phoneModel)
        assert.ok(Math.abs(none - baseline) <= 1e-9)
        const shares = codes.map((code) => {
          const alone = scoreWithout(
            input,
            codes.filter((other) => other !== code),
            phoneModel,
          )
          return (alone - none + all - scoreWithout(input, [code], phoneModel)) / 2
        })
        const sum = shares.reduce((total, share) => total + share, 0)
        if (sum < 1e-6) return
        contributions.forEach(({ code, points }, i) => {
          const expected = ((shares[i] ?? NaN) * (all - none)) / sum
          assert.ok(Math.abs(points - expected) <= 1e-6, `${code}: ${points}, expected ${expected}`)
        })
      }),
      PROPERTY,
    )
    assert.ok(floors > 10, "two floors should have met often enough")
  })
