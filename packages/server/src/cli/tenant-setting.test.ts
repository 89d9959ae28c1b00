import assert from "node:assert/strict"
import { test } from "node:test"
import { openModels } from "../score/models.ts"
import { readAssignment, TENANT_SETTINGS, valueAt, withValueAt } from "./tenant-setting.ts"
import { CommandError } from "./terminal.ts"

const models = openModels("/nowhere")
const read = (text: string) => {
  const { setting, value } = readAssignment(text, models)
  return [setting.key, value]
}

test("a setting is read by its key, and reset by nothing after the sign", () => {
  assert.deepEqual(read("plan=enterprise"), ["plan", "enterprise"])
  assert.deepEqual(read("verified=true"), ["verified", true])
  assert.deepEqual(read("sms_only_step_up=false"), ["sms_only_step_up", false])
  assert.deepEqual(read("provider_daily_cap=2.5"), ["provider_daily_cap", 2.5])
  assert.deepEqual(read("model.phone=1.0"), ["model.phone", "1.0"])
  assert.deepEqual(read("prior_cred=0.002"), ["prior_cred", 0.002])
  assert.deepEqual(read("costs.wrong_block=1000000"), ["costs.wrong_block", 1_000_000])
  for (const { key, path } of TENANT_SETTINGS)
    if (path !== null) assert.deepEqual(read(`${key}=`), [key, undefined])
})

test("a value that does not fit is refused with its key and what it takes", () => {
  const cases: [string, RegExp][] = [
    ["prior_abuse=1", /^prior_abuse takes a number above 0 and below 1$/],
    ["prior_cred=0", /^prior_cred takes/],
    ["prior_cred=-0.1", /^prior_cred takes/],
    ["prior_cred=abc", /^prior_cred takes/],
    ["prior_cred=NaN", /^prior_cred takes/],
    ["prior_cred", /^prior_cred takes/],
    ["prior_cred= 0.1", /^prior_cred takes/],
    ["costs.loss=0", /^costs\.loss takes a number above 0 and up to 1000000$/],
    ["costs.loss=1000001", /^costs\.loss takes/],
    ["costs.loss=Infinity", /^costs\.loss takes/],
    ["verified=yes", /^verified takes true or false$/],
    ["plan=gold", /^plan takes free or enterprise$/],
    ["plan=constructor", /^plan takes free or enterprise$/],
    ["plan=", /^plan takes free or enterprise$/],
    ["model.email=7.7", /^model\.email takes a version that is loaded: 1\.0, 1\.1$/],
    ["providers=1", /^providers takes true or false$/],
    [
      "provider_daily_cap=-1",
      /^provider_daily_cap takes a number from 0 up, in the unit of the prices$/,
    ],
    ["provider_daily_cap=1000000001", /^provider_daily_cap takes/],
    ["calibration=1", /^calibration takes nothing, which takes the fit away$/],
    ["colour=red", /^There is no setting colour; there are plan, verified, model\.email/],
  ]
  for (const [text, message] of cases) {
    assert.throws(
      () => read(text),
      (error) => {
        assert.ok(error instanceof CommandError)
        assert.match(error.message, message)
        return true
      },
    )
  }
})

test("what counts where nothing is set is what the models say", () => {
  const usual = TENANT_SETTINGS.map(({ key, usual }) => [key, usual(models, null)])
  assert.deepEqual(Object.fromEntries(usual), {
    plan: "free",
    verified: false,
    "model.email": "1.1",
    "model.phone": "1.1",
    prior_cred: 0.0033,
    prior_abuse: 0.01,
    "costs.loss": 20,
    "costs.challenge": 1,
    "costs.wrong_block": 4.63,
    calibration: "none",
    confirmed_before_block: false,
    sms_only_step_up: false,
    providers: false,
    provider_daily_cap: "as for every tenant",
    domains: "none",
  })
})

test("setting and resetting leave the rest of a document as it was, and no empty part behind", () => {
  const before = { verified: true, costs: { loss: 3 } }
  const more = withValueAt(before, ["costs", "challenge"], 2)
  assert.deepEqual(more, { verified: true, costs: { loss: 3, challenge: 2 } })
  assert.equal(valueAt(more, ["costs", "challenge"]), 2)
  assert.equal(valueAt(more, ["models", "email"]), undefined)
  assert.deepEqual(withValueAt(before, ["costs", "loss"], undefined), { verified: true })
  assert.deepEqual(withValueAt(before, ["models", "email"], undefined), before)
  assert.deepEqual(before, { verified: true, costs: { loss: 3 } })
})
