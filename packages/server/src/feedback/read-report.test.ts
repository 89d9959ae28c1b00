import assert from "node:assert/strict"
import { test } from "node:test"
import type { FeedbackRequest } from "@assay/core/contract"
import { Problem } from "../base/problem.ts"
import { deriveSecrets } from "@assay/runtime/secrets"
import { DAY_MS } from "@assay/runtime/time"
import { readReport } from "./read-report.ts"

const nowMs = Date.UTC(2026, 10, 14, 15)
const secrets = deriveSecrets(new Uint8Array(32))
const by = { tenantId: 7, keyId: "key_1" }
const email = "ana.silva@mail.example"
const phone_number = "+61491570156"

function read(body: FeedbackRequest): ReturnType<typeof readReport> {
  return readReport(body, by, secrets, nowMs)
}

function refusal(body: FeedbackRequest): Problem {
  try {
    read(body)
  } catch (error) {
    assert.ok(error instanceof Problem, String(error))
    return error
  }
  assert.fail("was read")
}

function pointers(body: FeedbackRequest): string[] {
  const { code, errors = [] } = refusal(body)
  assert.equal(code, "invalid-request")
  return errors.map(({ pointer }) => pointer)
}

const iso = (ms: number): string => new Date(ms).toISOString()

test("a report names its identity by key, and happened now unless it says when", () => {
  const { identityKey, ...rest } = read({ email, outcome: "fraud_confirmed" })
  assert.equal(identityKey.length, 16)
  assert.deepEqual(rest, {
    ...by,
    identityType: "email",
    aliasTag: 0,
    outcome: "fraud_confirmed",
    occurredAt: nowMs,
    loss: null,
    reference: null,
    expiresAt: null,
  })
  const full = read({
    phone_number,
    outcome: "takeover_confirmed",
    occurred_at: iso(nowMs - DAY_MS),
    expires_at: iso(nowMs + 1),
    loss: 12.5,
    reference: "case 7",
  })
  assert.deepEqual(
    [full.identityType, full.occurredAt, full.expiresAt, full.loss, full.reference],
    ["phone", nowMs - DAY_MS, nowMs + 1, 12.5, "case 7"],
  )
})

test("aliases of a mailbox are one identity with different tags", () => {
  const plain = read({ email, outcome: "clear" })
  const alias = read({ email: "Ana.Silva+shop@mail.example", outcome: "clear" })
  assert.deepEqual(alias.identityKey, plain.identityKey)
  assert.notEqual(alias.aliasTag, plain.aliasTag)
})

test("exactly one identity must be there, and must be one", () => {
  assert.deepEqual(pointers({ outcome: "clear" }), ["#/email"])
  assert.deepEqual(pointers({ email, phone_number, outcome: "clear" }), ["#/email"])
  assert.equal(refusal({ email: "nobody", outcome: "clear" }).code, "not-an-email")
  assert.equal(refusal({ phone_number: "123", outcome: "clear" }).code, "not-a-phone-number")
})

test("times are times: not ahead by more than clocks differ, not before 1990, an end not in the past", () => {
  const at = (occurred_at: string) => ({ email, outcome: "clear", occurred_at }) as const
  const until = (expires_at: string) => ({ email, outcome: "clear", expires_at }) as const
  assert.equal(read(at(iso(nowMs + 300_000))).occurredAt, nowMs + 300_000)
  assert.equal(read(at("1990-01-01T00:00:00Z")).occurredAt, Date.UTC(1990, 0, 1))
  for (const wrong of [
    iso(nowMs + 300_001),
    "1989-12-31T23:59:59Z",
    "yesterday",
    "2026-02-30T00:00:00Z",
  ])
    assert.deepEqual(pointers(at(wrong)), ["#/occurred_at"], wrong)
  for (const wrong of [iso(nowMs), iso(nowMs - 1), "never"])
    assert.deepEqual(pointers(until(wrong)), ["#/expires_at"], wrong)
})

test("a loss goes with fraud and takeover, a rotated credential with an e-mail address", () => {
  assert.equal(read({ email, outcome: "fraud_confirmed", loss: 0 }).loss, 0)
  for (const outcome of ["credential_rotated", "ownership_verified", "not_fraud", "clear"] as const)
    assert.deepEqual(pointers({ email, outcome, loss: 0 }), ["#/loss"])
  const { code, errors = [] } = refusal({ phone_number, outcome: "credential_rotated" })
  assert.equal(code, "outcome-not-applicable")
  assert.deepEqual(
    errors.map(({ pointer }) => pointer),
    ["#/outcome"],
  )
})

test("a reference that holds an identity is refused, one that only looks odd is not", () => {
  for (const reference of [
    email,
    `<${email}>`,
    `case of ${email}, open`,
    `mailto:${email}`,
    phone_number,
    "tel +61 491 570 156",
    "+61-491-570-156",
    "(+61) 491.570.156",
    "a\u0000b",
    "\ud800",
  ])
    assert.deepEqual(
      pointers({ email, outcome: "clear", reference }),
      ["#/reference"],
      JSON.stringify(reference),
    )
  for (const reference of ["", "case 7", "20261114-000123", "12345678901", "a@b", "@team", "1+1=2"])
    assert.equal(read({ email, outcome: "clear", reference }).reference, reference)
})

test("every member that does not fit is named, and none is quoted", () => {
  const problem = refusal({
    email,
    phone_number,
    outcome: "clear",
    loss: 77_777,
    reference: email,
    occurred_at: "canary",
    expires_at: "canary",
  })
  assert.deepEqual(
    problem.errors?.map(({ pointer }) => pointer),
    ["#/email", "#/loss", "#/occurred_at", "#/expires_at", "#/reference"],
  )
  const shown = JSON.stringify([problem.message, problem.errors])
  for (const quoted of [email, phone_number, "canary", "77777"]) assert.ok(!shown.includes(quoted))
})
