import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import {
  anyEmail,
  anyPhone,
  emailModel,
  phoneModel,
} from "../../testing/score/arbitrary-inputs-suite.ts"
import { assessEmail, emailReasonCodes, explainEmail } from "./assess-email.ts"
import { assessPhone, explainPhone, phoneReasonCodes } from "./assess-phone.ts"

const PROPERTY = { seed: 20_261_120, numRuns: 300 }

test("the codes of reasons are those of the sentences that an answer tells", () => {
  fc.assert(
    fc.property(anyEmail, (input) => {
      const { contributions } = explainEmail(input, emailModel)
      const texts = emailReasonCodes(input, emailModel).map(
        (code) => contributions.find((each) => each.code === code)?.text,
      )
      const told = assessEmail(input, emailModel).risk_reasons
      assert.deepEqual(texts, told.slice(0, texts.length))
    }),
    PROPERTY,
  )
  fc.assert(
    fc.property(anyPhone, (input) => {
      const { contributions } = explainPhone(input, phoneModel)
      const texts = phoneReasonCodes(input, phoneModel).map(
        (code) => contributions.find((each) => each.code === code)?.text,
      )
      const told = assessPhone(input, phoneModel).risk_reasons
      assert.deepEqual(texts, told.slice(0, texts.length))
    }),
    PROPERTY,
  )
})
