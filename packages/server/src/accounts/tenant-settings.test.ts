import assert from "node:assert/strict"
import { test } from "node:test"
import { isExplained } from "@assay/runtime/explained"
import { DEFAULT_SCORING, readTenantSettings, scoringSettings } from "./tenant-settings.ts"

test("a tenant without settings adds nothing to the scorer's input", () => {
  assert.deepEqual(DEFAULT_SCORING, {
    verified: false,
    emailModel: null,
    phoneModel: null,
    emailSettings: undefined,
    phoneSettings: undefined,
    smsOnlyStepUp: false,
    providers: false,
    providerCapMicros: null,
    domains: null,
  })
  const spelt = {
    verified: false,
    models: {},
    costs: {},
    confirmed_before_block: false,
    sms_only_step_up: false,
  }
  assert.deepEqual(scoringSettings(readTenantSettings(spelt)), DEFAULT_SCORING)
})

test("settings reach the scorers in their words, a calibration only the e-mail score it was fitted to", () => {
  const calibration = { A: 1.6, B: 1, hash: "0123abcd" }
  const made = scoringSettings(
    readTenantSettings({
      verified: true,
      models: { email: "1.1", phone: "2.0" },
      prior_cred: 0.002,
      prior_abuse: 0.1,
      costs: { wrong_block: 8 },
      calibration,
      confirmed_before_block: true,
      sms_only_step_up: true,
      providers: true,
      provider_daily_cap: 2.5,
    }),
  )
  const shared = { costs: { wrongBlock: 8 }, confirmedBeforeBlock: true }
  assert.deepEqual(made, {
    verified: true,
    emailModel: "1.1",
    phoneModel: "2.0",
    emailSettings: { prior_cred: 0.002, prior_abuse: 0.1, calibration, ...shared },
    phoneSettings: shared,
    smsOnlyStepUp: true,
    providers: true,
    providerCapMicros: 2_500_000,
    domains: null,
  })
  assert.ok(Object.isFrozen(made.emailSettings) && Object.isFrozen(made.emailSettings.costs))
})

test("stored settings that cannot be read are a failure that names the member and not its value", () => {
  const cases: [Record<string, unknown>, RegExp][] = [
    [{ prior_abuse: 1 }, /at \/prior_abuse: must be < 1/],
    [{ prior_cred: "0.5" }, /at \/prior_cred: must be number/],
    [{ models: { email: "newest" } }, /at \/models\/email: /],
    [{ models: { mail: "1.0" } }, /at \/models/],
    [{ costs: { loss: 0 } }, /at \/costs\/loss: must be > 0/],
    [{ calibration: { A: 9, B: 0, hash: "01234567" } }, /at \/calibration\/A: must be <= 3/],
    [{ calibration: { A: 1, B: 0 } }, /at \/calibration: /],
    [{ verified: "yes-canary" }, /at \/verified: must be boolean/],
    [{ confirmed: true }, /at /],
    [{ providers: "yes-canary" }, /at \/providers: must be boolean/],
    [{ provider_daily_cap: -1 }, /at \/provider_daily_cap: must be >= 0/],
  ]
  for (const [stored, message] of cases) {
    assert.throws(
      () => readTenantSettings(stored),
      (error) => {
        assert.ok(isExplained(error, "tenant-settings"))
        assert.match(error.message, message)
        assert.ok(!error.message.includes("canary"))
        return true
      },
    )
  }
})
