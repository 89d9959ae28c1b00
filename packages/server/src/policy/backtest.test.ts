import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { assessEmail, assessPhone, type EmailInput, type PhoneInput } from "@assay/core/score"
import { newDecisionId } from "@assay/stores/decision-id"
import { type Decision, DECISION_FORMAT, ERASED } from "@assay/stores/decisions"
import {
  anyEmail,
  anyPhone,
  calibration,
  emailInput,
  phoneInput,
} from "../../../core/testing/score/arbitrary-inputs-suite.ts"
import { scoringSettings, type TenantSettings } from "../accounts/tenant-settings.ts"
import { openModels } from "../score/models.ts"
import { withoutTrustInSms } from "../score/phone/phone-evidence.ts"
import { backTest } from "./backtest.ts"
import type { ChangedDecision, ComparisonCounts } from "./comparison.ts"

const models = openModels("/nowhere")
const at = Date.UTC(2026, 10, 1)

function emailDecision(input: EmailInput, policy: TenantSettings): Decision {
  const { emailModel, emailSettings: settings } = scoringSettings(policy)
  const model = models.email(emailModel)
  const weighed = { ...input, settings }
  const assessment = assessEmail(weighed, model)
  return {
    ...common("email", weighed),
    modelVersion: model.version,
    score: assessment.risk_score,
    stage: assessment.threat_stage,
    confidence: assessment.confidence,
    action: assessment.recommended_action,
  }
}

function phoneDecision(input: PhoneInput, policy: TenantSettings): Decision {
  const { phoneModel, phoneSettings: settings, smsOnlyStepUp } = scoringSettings(policy)
  const model = models.phone(phoneModel)
  const weighed = { ...input, settings }
  const asked = smsOnlyStepUp ? withoutTrustInSms(weighed, model) : weighed
  const assessment = assessPhone(asked, model)
  return {
    ...common("phone", asked),
    modelVersion: model.version,
    score: assessment.risk_score,
    stage: null,
    confidence: null,
    action: assessment.recommendation,
  }
}

function common(identityType: Decision["identityType"], input: object) {
  return {
    id: newDecisionId(at),
    at,
    tenantId: 1,
    keyId: "key_1",
    identityType,
    identityKey: new Uint8Array(16),
    calibration: null,
    input: JSON.stringify(input),
    format: DECISION_FORMAT,
    shadow: null,
  }
}

async function tried(
  decisions: readonly Decision[],
  policy: TenantSettings,
): Promise<{ counts: ComparisonCounts; changed: ChangedDecision[] }> {
  const changed: ChangedDecision[] = []
  const counts = await backTest({
    pages: pagesOf(decisions),
    proposal: scoringSettings(policy),
    models,
    onChanged: (each) => changed.push(each),
  })
  return { counts, changed }
}

async function* pagesOf(decisions: readonly Decision[]): AsyncGenerator<readonly Decision[]> {
  for (let from = 0; from < decisions.length; from += 3) yield decisions.slice(from, from + 3)
}

const prior = fc.constantFrom(0.001, 0.01, 0.1, 0.4)
const cost = fc.constantFrom(0.5, 1, 4, 20, 200)
const version = fc.constantFrom("1.0", "1.1")
const anyPolicy = fc.record(
  {
    models: fc.record({ email: version, phone: version }, { requiredKeys: [] }),
    prior_cred: prior,
    prior_abuse: prior,
    costs: fc.record({ loss: cost, challenge: cost, wrong_block: cost }, { requiredKeys: [] }),
    calibration: calibration.map((fit) => ({ ...fit, hash: "0123abcd" })),
    confirmed_before_block: fc.boolean(),
    sms_only_step_up: fc.boolean(),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<TenantSettings>
const anyInputs = fc.record({
  emails: fc.array(anyEmail, { maxLength: 4 }),
  phones: fc.array(anyPhone, { maxLength: 4 }),
})

function decided(
  { emails, phones }: { emails: EmailInput[]; phones: PhoneInput[] },
  policy: TenantSettings,
): Decision[] {
  return [
    ...emails.map((input) => emailDecision(input, policy)),
    ...phones.map((input) => phoneDecision(input, policy)),
  ]
}

test("the policy that decided changes nothing", async () => {
  await fc.assert(
    fc.asyncProperty(anyInputs, anyPolicy, async (inputs, policy) => {
      const decisions = decided(inputs, policy)
      const { counts, changed } = await tried(decisions, policy)
      assert.equal(counts.compared, decisions.length)
      assert.deepEqual(changed, [])
      for (const { before, after } of counts.moves) assert.equal(after, before)
    }),
    { seed: 20_261_117, numRuns: 150 },
  )
})

test("another policy gives what it would have decided itself", async () => {
  await fc.assert(
    fc.asyncProperty(anyInputs, anyPolicy, anyPolicy, async (inputs, policy, proposal) => {
      const decisions = decided(inputs, policy)
      const expected = decided(inputs, proposal)
      const { counts, changed } = await tried(decisions, proposal)
      assert.deepEqual(
        changed.map(({ id, before, after }) => [id, before.action, after.action, after.score]),
        decisions.flatMap(({ id, action }, n) => {
          const other = expected[n]
          return other === undefined || other.action === action
            ? []
            : [[id, action, other.action, other.score]]
        }),
      )
      const moved = counts.moves.reduce((sum, { count }) => sum + count, 0)
      assert.equal(moved, decisions.length)
      assert.equal(counts.changed, changed.length)
    }),
    { seed: 20_261_118, numRuns: 150 },
  )
})

test("a block without confirmation becomes a review, and one that waited for it a block", async () => {
  // Swapped an hour ago, forwarded, and after failed codes: nothing that is confirmed.
  const swapped = phoneInput({
    line: "mobile",
    valid: true,
    simChangeAge: 0.04,
    callForwarding: true,
    otpFailureBurst: true,
    accounts24h: 9,
    blocklisted: true,
    deviceChangedWithSim: true,
    coverage: { number: 1, sim: 1, device: 1, network: 1, context: 1 },
  })
  const policy = {}
  const decision = phoneDecision(swapped, policy)
  assert.equal(decision.action, "block")
  const strict = { confirmed_before_block: true }
  const { counts, changed } = await tried([decision], strict)
  assert.deepEqual(counts.moves, [{ kind: "phone", before: "block", after: "review", count: 1 }])
  assert.equal(changed[0]?.id, decision.id)
  const back = await tried([phoneDecision(swapped, strict)], policy)
  assert.deepEqual(back.counts.moves, [
    { kind: "phone", before: "review", after: "block", count: 1 },
  ])
})

test("what cannot be repeated is counted and left out", async () => {
  const kept = emailDecision(emailInput(), {})
  const decisions = [
    kept,
    { ...kept, ...ERASED },
    { ...kept, modelVersion: "0.9" },
    { ...kept, score: kept.score + 1 },
    { ...kept, action: kept.action === "block" ? "allow" : "block" },
    { ...kept, format: DECISION_FORMAT + 1 },
  ]
  const { counts, changed } = await tried(decisions, {})
  assert.equal(counts.compared, 1)
  assert.deepEqual(counts.leftOut, {
    erased: 1,
    modelNotLoaded: 1,
    notRepeated: 2,
    unknownFormat: 1,
    notShadowed: 0,
  })
  assert.deepEqual(changed, [])
})

test("members that inputs lack under a newer model are named once", async () => {
  const older = [1, 2].map(() => emailDecision(emailInput(), { models: { email: "1.0" } }))
  const { counts } = await tried(older, { models: { email: "1.1" } })
  assert.equal(counts.lacking.inputs, 2)
  assert.ok(counts.lacking.members.includes("trust.homograph"))
  assert.equal(new Set(counts.lacking.members).size, counts.lacking.members.length)
})
