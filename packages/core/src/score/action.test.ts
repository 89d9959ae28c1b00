import assert from "node:assert/strict"
import { suite, test } from "node:test"
import {
  emailInput,
  emailModel,
  phoneInput,
  phoneModel,
} from "../../testing/score/arbitrary-inputs-suite.ts"
import { decide, pricesOf } from "./action.ts"
import { assessEmail, explainEmail } from "./assess-email.ts"
import { assessPhone } from "./assess-phone.ts"
import type { EmailInput } from "./email-input.ts"
import type { PhoneInput } from "./phone-input.ts"
import golden from "./golden.json" with { type: "json" }
import { scaleOf } from "./scale.ts"
import { ACTIONS, BANDS, STAGES } from "./vocabulary.ts"

const COVERED = { credential: 1, darkweb: 1, trust: 1, bot: 1 }
const attacked = { signals: [{ type: "attack", source: "own", age: 3, conf: 0.95 }] } as const
const botRing = {
  trust: {
    disposable: true,
    emailAge: 0,
    handle: 1.2,
    velocity24h: 8,
    signupToActionSec: 5,
    clusterSize: 9,
  },
} as const

function actionOf(known: Partial<EmailInput>): string {
  return assessEmail(emailInput({ coverage: COVERED, ...known }), emailModel).recommended_action
}

suite("the recommended action", () => {
  test("every action, band, stage and confidence is reached by the golden identities or close by", () => {
    const identities = [
      ...golden.email.map(({ input }) => emailInput(input as Partial<EmailInput>)),
      emailInput({ coverage: COVERED, signals: [{ type: "listing", source: "a", age: 1 }] }),
    ]
    const seen = identities.map((input) => ({
      ...assessEmail(input, emailModel),
      ...explainEmail(input, emailModel),
    }))
    assert.deepEqual(new Set(seen.map((one) => one.recommended_action)), new Set(ACTIONS))
    assert.deepEqual(new Set(seen.map((one) => one.band)), new Set(BANDS.map(({ name }) => name)))
    assert.deepEqual(
      new Set(seen.map((one) => one.threat_stage)),
      new Set(STAGES.map(({ name }) => name)),
    )
    assert.deepEqual(new Set(seen.map((one) => one.confidence)), new Set(["low", "medium", "high"]))
  })

  test("blocks a confirmed attack, unless too little was looked at", () => {
    assert.equal(actionOf(attacked), "block")
    assert.equal(actionOf({ ...attacked, coverage: {} }), "review")
  })

  test("blocks only what is confirmed where the tenant asks for that", () => {
    const settings = { confirmedBeforeBlock: true }
    assert.equal(actionOf(botRing), "block")
    assert.equal(actionOf({ ...botRing, settings }), "review")
    assert.equal(actionOf({ ...attacked, settings }), "block")
    const labelled = { trust: { ...botRing.trust, confirmedFraudAge: 20 }, settings }
    assert.equal(actionOf(labelled), "block")
  })

  test("sends a stolen credential to a challenge and an abusive owner to a review", () => {
    const phished = { kind: "phish", source: "kit", age: 2, secret: "plaintext" } as const
    assert.equal(actionOf({ exposures: [phished] }), "step_up_auth")
    assert.equal(actionOf({ trust: { disposable: true, emailAge: 0, handle: 1.2 } }), "review")
  })

  test("turns to a review where the only challenge is known to be weak", () => {
    const traded = { signals: [{ type: "listing", source: "a", age: 1 }] } as const
    assert.equal(actionOf(traded), "step_up_auth")
    assert.equal(actionOf({ ...traded, ctx: { stepUpEff: 0.3 } }), "review")
  })

  test("has its edges at the bands, and a weak challenge does not move them", () => {
    const { action } = explainEmail(emailInput({ ctx: { stepUpEff: 0.3 } }), emailModel)
    assert.deepEqual(action.edges, { challenge: 25, block: 80 })
  })

  test("follows a tenant's own costs by the same two break-evens", () => {
    const edges = (costs: object) =>
      explainEmail(emailInput({ settings: { costs } }), emailModel).action.edges
    assert.deepEqual(edges({ loss: 200 }), { challenge: -5, block: 50 })
    assert.deepEqual(edges({ challenge: 10, wrongBlock: 40 }), { challenge: 55, block: 107 })
    assert.deepEqual(edges({ challenge: 4.63 }), { challenge: 45, block: 45 })
    assert.equal(actionOf({ settings: { costs: { loss: 200 } } }), "step_up_auth")
  })

  test("refuses settings that make no sense instead of scoring with them", () => {
    const refused = (settings: EmailInput["settings"], reason: RegExp) =>
      assert.throws(
        () => assessEmail(emailInput({ settings: settings ?? null }), emailModel),
        reason,
      )
    refused({ costs: { loss: 0 } }, /settings\.costs/)
    refused({ costs: { challenge: NaN } }, /settings\.costs/)
    refused({ prior_cred: 0 }, /settings\.prior_cred/)
    refused({ prior_abuse: 1 }, /settings\.prior_abuse/)
    refused({ calibration: { A: 0.1, B: 0 } }, /settings\.calibration/)
    refused({ calibration: { A: 1, B: Infinity } }, /settings\.calibration/)
  })

  test("moves with the priors of the tenant", () => {
    const unknown = (settings: EmailInput["settings"]) =>
      assessEmail(emailInput({ settings: settings ?? null }), emailModel).risk_score
    assert.equal(unknown({}), 7)
    assert.equal(unknown({ prior_abuse: 0.1 }), 35)
    assert.ok(unknown({ prior_cred: 0.03 }) > 7)
  })

  test("of equal costs is the first permitted", () => {
    const costs = {
      ...emailModel.costs,
      loss: 4,
      wrongBlock: 4,
      stopsTakeover: 0.5,
      reviewDelay: 0,
      reviewCatch: 1,
    }
    const may = { mayBlock: true, mayAllow: true }
    const even = { p: 0.5, takeover: 0.5, abuse: 0, stepUpEff: null, ...may }
    const choice = (score: number, review: number) => {
      const prices = pricesOf(scaleOf(emailModel.scale), { ...costs, review })
      const { action, permitted } = decide(prices, { ...even, score })
      return [action, ...permitted]
    }
    assert.deepEqual(choice(60, 1.5), ["step_up_auth", "step_up_auth", "review"])
    assert.deepEqual(choice(60, 1.4), ["review", "step_up_auth", "review"])
    assert.deepEqual(choice(100, 2), ["block", "block", "review"])
    assert.deepEqual(choice(100, 1.9), ["review", "block", "review"])
  })
})

suite("the recommendation for a number", () => {
  test("every action and level of a phone number is reached by the golden numbers or close by", () => {
    const numbers = [
      ...golden.phone.map(({ input }) => phoneInput(input as Partial<PhoneInput>)),
      phoneInput({ simChangeAge: 5, callForwarding: true }),
      phoneInput({ line: "sms_receive_site", accounts24h: 9, blocklisted: true, active: true }),
    ]
    const seen = numbers.map((input) => assessPhone(input, phoneModel))
    assert.deepEqual(new Set(seen.map((one) => one.recommendation)), new Set(ACTIONS))
    assert.deepEqual(
      new Set(seen.map((one) => one.risk_level.toLowerCase())),
      new Set(BANDS.map(({ name }) => name)),
    )
  })

  test("does not block on the shape of a number and a list alone, unless it is not allocated", () => {
    const listed = { line: "sms_receive_site", blocklisted: true } as const
    const assess = (known: object) => {
      const { risk_level, recommendation } = assessPhone(phoneInput(known), phoneModel)
      return [risk_level, recommendation]
    }
    // At the priors of the model a list alone does not reach CRITICAL; a tenant's own fit may.
    const settings = { calibration: { A: 1, B: 1 } }
    assert.deepEqual(assess({ ...listed, settings }), ["CRITICAL", "review"])
    assert.deepEqual(assess({ ...listed, settings, active: true }), ["CRITICAL", "block"])
    assert.deepEqual(assess({ ...listed, accounts24h: 7 }), ["CRITICAL", "block"])
    assert.deepEqual(assess({ valid: false }), ["CRITICAL", "block"])
  })

  test("waits for a confirmation where the tenant asks, except for numbers of nobody", () => {
    const settings = { confirmedBeforeBlock: true }
    const bad = { line: "sms_receive_site", blocklisted: true, accounts24h: 7, settings } as const
    assert.equal(assessPhone(phoneInput(bad), phoneModel).recommendation, "review")
    const nobody = phoneInput({ valid: false, settings })
    assert.equal(assessPhone(nobody, phoneModel).recommendation, "block")
  })
})
