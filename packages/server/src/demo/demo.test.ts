import assert from "node:assert/strict"
import { test } from "node:test"
import { parseEmail, parsePhone } from "@assay/core/identity"
import { demoEmails, demoPhones } from "./demo-identities.ts"

test("the demo's addresses and numbers are written in their canonical form", () => {
  for (const { email } of demoEmails) {
    const parsed = parseEmail(email)
    assert.ok(!("fault" in parsed), email)
    assert.deepEqual([parsed.exact, parsed.canonical], [email, email])
  }
  for (const { phone } of demoPhones) {
    const parsed = parsePhone(phone)
    assert.ok(!("fault" in parsed), phone)
    assert.equal(parsed.e164, phone)
  }
})
