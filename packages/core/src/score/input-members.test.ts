import assert from "node:assert/strict"
import { test } from "node:test"
import type { EmailInput } from "./email-input.ts"
import { INPUT_VERSION, lackingEmailMembers, lackingPhoneMembers } from "./input-members.ts"
import { emailModels, phoneModels } from "./models.ts"
import type { PhoneInput } from "./phone-input.ts"

const address: EmailInput = { as_of: "2026-11-15", checked: { sources: 0 } }
const number: PhoneInput = { as_of: "2026-11-15", numberType: "mobile", region: "ZZ" }

test("an input of before 1.1 lacks what 1.1 reads, and nothing that 1.0 reads", () => {
  assert.deepEqual(lackingEmailMembers(address, emailModels["1.1"]), [
    "trust.disposableLikely",
    "trust.homograph",
    "trust.imitates",
    "trust.localLength",
    "trust.blocklist.likelyDisposable",
    "trust.blocklist.listedAge",
    "trust.blocklist.name",
  ])
  assert.deepEqual(lackingPhoneMembers(number, phoneModels["1.1"]), [
    "reserved",
    "simChangeAgeMin",
    "simChangeAgeMax",
    "blocklistedForFraud",
    "confirmedFraudAge",
    "verifiedIndependently",
  ])
  assert.deepEqual(lackingEmailMembers(address, emailModels["1.0"]), [])
  assert.deepEqual(lackingPhoneMembers(number, phoneModels["1.0"]), [])
})

test("an input that is written now lacks nothing, and neither does one of a newer program", () => {
  for (const writtenFor of [INPUT_VERSION, "1.9"]) {
    assert.deepEqual(lackingEmailMembers({ ...address, writtenFor }, emailModels["1.1"]), [])
    assert.deepEqual(lackingPhoneMembers({ ...number, writtenFor }, phoneModels["1.1"]), [])
  }
})

test("a model is only said to lack a member it reads", () => {
  const { homograph: _, ...abuse } = emailModels["1.1"].abuse
  const lacking = lackingEmailMembers(address, { ...emailModels["1.1"], abuse })
  assert.ok(!lacking.includes("trust.homograph"))
  assert.ok(lacking.includes("trust.localLength"))
})

test("inputs are written for the newest models there are", () => {
  assert.equal(INPUT_VERSION, Object.keys(emailModels).at(-1))
  assert.equal(INPUT_VERSION, Object.keys(phoneModels).at(-1))
})
