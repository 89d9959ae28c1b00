// A past decision beside what another model or policy would have made of it.
import assert from "node:assert/strict"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, test } from "node:test"
import type { DecisionComparison, DecisionDetails } from "@assay/core/contract"
import {
  assessEmail,
  assessPhone,
  type EmailInput,
  emailModels,
  type PhoneInput,
  phoneModels,
} from "@assay/core/score"
import { assay, createKey } from "../cli/assay.ts"
import { type Service, startService } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"

const temporary = temporaryDirectory()
const EMAIL = "mei.tanaka@mail.example"
const PHONE = "+61491570156"
const DEAR = { costs: { loss: 4_000 } }
const CALIBRATED = { calibration: { A: 0.8, B: 1.5, hash: "0a1b2c3d" }, models: { email: "1.1" } }

/** A model of the operator's own, which expects more of all that it sees. */
const WARY = {
  ...emailModels["1.1"],
  version: "1.7",
  priors: { credential: 0.05, abuse: 0.1 },
} as const

let service: Service
let key: string
let email: DecisionDetails
let phone: DecisionDetails
before(async () => {
  const data = join(temporary, "data")
  mkdirSync(join(data, "models"), { recursive: true })
  writeFileSync(join(data, "models", "email-1.7.json"), JSON.stringify(WARY))
  service = await startService({ dataDirectory: data, args: ["--workers", "1"] })
  key = await createKey(service, "--tenant", "compared", "--plan", "enterprise", "--scopes", "all")
  email = await decided("/api/v1/risk/score", { email: EMAIL })
  phone = await decided("/api/v1/phone-risk", { phone_number: PHONE })
  await setPolicy(DEAR)
  await setPolicy(CALIBRATED)
})
after(() => service.stop())

async function decided(path: string, json: object): Promise<DecisionDetails> {
  const answer = await service.request(path, { key, json })
  const id = answer.headers.get("x-decision-id") ?? ""
  const found = await service.request(`/api/v1/decisions/${id}?explain=true`, { key })
  return (await found.json()) as DecisionDetails
}

/** Versions are numbered from 1, which is what a tenant begins with. */
async function setPolicy(policy: object): Promise<void> {
  const file = join(temporary, "policy.json")
  writeFileSync(file, JSON.stringify(policy))
  const args = ["policy", "set", "--tenant", "compared", "--file", file]
  const { code, err } = await assay(args, { ASSAY_DATA: service.dataDirectory })
  assert.equal(code, 0, err)
}

async function asked(id: string, query = "", by: string | null = key): Promise<Response> {
  return await service.request(`/api/v1/decisions/${id}/compare${query}`, { key: by })
}

async function compared(id: string, query = ""): Promise<DecisionComparison> {
  const answer = await asked(id, query)
  assert.equal(answer.status, 200, await answer.clone().text())
  return (await answer.json()) as DecisionComparison
}

test("under another model only the model is another, and what differs is said in figures", async () => {
  const { recorded, other, summary, contributions, models, notes } = await compared(
    email.id,
    "?model=1.7",
  )
  assert.deepEqual(recorded.assessment, email.assessment)
  assert.deepEqual(recorded.explanation, email.explanation)
  assert.deepEqual([recorded.model_version, recorded.policy_version], ["1.1", null])
  const input = email.input as unknown as EmailInput
  const expected = assessEmail(input, WARY)
  assert.deepEqual(other.assessment, expected)
  assert.deepEqual([other.model_version, other.policy_version], ["1.7", null])
  assert.equal(other.risk_score, expected.risk_score)
  assert.equal(other.threat_stage, expected.threat_stage)
  assert.equal(other.recommended_action, expected.recommended_action)
  assert.notEqual(other.risk_score, recorded.risk_score)
  assert.match(
    summary,
    new RegExp(
      `^Under model 1\\.7 the score is ${other.risk_score} instead of ${recorded.risk_score}\\b`,
    ),
  )
  assert.deepEqual(models, ["1.0", "1.1", "1.7"])
  assert.deepEqual(notes, [])

  // Every factor of either side, with the points of its explanation.
  type Factors = readonly { readonly code: string; readonly points: number }[]
  for (const side of ["recorded", "other"] as const) {
    const { explanation } = side === "recorded" ? recorded : other
    const factors = explanation["contributions"] as Factors
    const points = new Map(factors.map(({ code, points: of }) => [code, of]))
    assert.ok(points.size > 0)
    for (const each of contributions) assert.equal(each[side], points.get(each.code) ?? 0)
    for (const code of points.keys()) assert.ok(contributions.some((each) => each.code === code))
  }
  const moved = contributions.map((each) => Math.abs(each.other - each.recorded))
  assert.deepEqual(
    moved,
    moved.toSorted((a, b) => b - a),
  )
})

test("under another version of the policy its settings weigh, and nothing is looked up again", async () => {
  const { other, recorded, summary, notes } = await compared(email.id, "?policy=2")
  const input = email.input as unknown as EmailInput
  const settings = { costs: { loss: 4_000 } }
  assert.deepEqual(other.assessment, assessEmail({ ...input, settings }, emailModels["1.1"]))
  assert.deepEqual([other.model_version, other.policy_version], ["1.1", 2])
  assert.notEqual(other.recommended_action, recorded.recommended_action)
  assert.match(summary, /^Under version 2 of the policy and model 1\.1 /)
  assert.match(summary, new RegExp(`the action is ${other.recommended_action} instead of `))
  assert.equal(notes.length, 1)

  const same = await compared(email.id, "?policy=1")
  assert.deepEqual(same.other.assessment, recorded.assessment)
  assert.match(same.summary, /the answer is the same\.$/)
  // Without a choice it is the policy that acts.
  const acting = await compared(email.id)
  assert.deepEqual(acting, await compared(email.id, "?policy=3"))
  assert.equal(acting.other.policy_version, 3)
  assert.notEqual(acting.other.risk_score, recorded.risk_score)
})

test("a calibration of one model is not put on the scores of another", async () => {
  const both = await compared(email.id, "?policy=3&model=1.0")
  const input = email.input as unknown as EmailInput
  assert.deepEqual(
    both.other.assessment,
    assessEmail({ ...input, settings: {} }, emailModels["1.0"]),
  )
  assert.match(both.notes.join(" "), /calibration was fitted to model 1\.1 and is left out/)
  const fitted = await compared(email.id, "?policy=3&model=1.1")
  assert.doesNotMatch(fitted.notes.join(" "), /calibration/)
})

test("a number is compared as an address is", async () => {
  const { other, recorded, subject } = await compared(phone.id, "?model=1.0")
  assert.equal(subject, "phone")
  assert.deepEqual(recorded.assessment, phone.assessment)
  const input = phone.input as unknown as PhoneInput
  const expected = assessPhone(input, phoneModels["1.0"])
  assert.deepEqual(other.assessment, expected)
  assert.equal(other.recommended_action, expected.recommendation)
  assert.equal(other.threat_stage, undefined)
  const dear = await compared(phone.id, "?policy=2")
  const settings = { costs: { loss: 4_000 } }
  assert.deepEqual(dear.other.assessment, assessPhone({ ...input, settings }, phoneModels["1.1"]))
})

test("versions that are not there, and decisions that are not one's own, are refused", async () => {
  const other = await createKey(service, "--tenant", "stranger", "--scopes", "decisions:read")
  const scoring = await createKey(service, "--tenant", "compared", "--scopes", "score")
  const refused: [query: string, by: string | null, status: number, code: string][] = [
    ["?model=9.9", key, 404, "model-not-found"],
    ["?policy=99", key, 404, "policy-not-found"],
    ["?model=new", key, 400, "invalid-request"],
    ["?policy=0", key, 400, "invalid-request"],
    ["", other, 404, "decision-not-found"],
    ["", scoring, 403, "insufficient-scope"],
    ["", null, 401, "unauthenticated"],
  ]
  for (const [query, by, status, code] of refused) {
    const answer = await asked(email.id, query, by)
    const problem = (await answer.json()) as { code: string; errors?: { detail: string }[] }
    assert.deepEqual([answer.status, problem.code], [status, code], query)
    if (code === "model-not-found")
      assert.match(problem.errors?.[0]?.detail ?? "", /1\.0, 1\.1, 1\.7/)
  }
  assert.equal((await asked("dec_1")).status, 404)
})
