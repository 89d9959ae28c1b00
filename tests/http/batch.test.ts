import assert from "node:assert/strict"
import { after, before, test } from "node:test"
import { EmailRiskResult, PhoneRiskResult, ProblemDetails } from "@assay/core/contract"
import { Value } from "typebox/value"
import { demoEmails, demoPhones } from "../../packages/server/src/demo/demo-identities.ts"
import { createKey } from "../cli/assay.ts"
import { type Service, startService } from "./service.ts"
import { usageOf } from "./usage.ts"

const EMAILS = "/api/v1/risk/score/batch"
const PHONES = "/api/v1/phone-risk/batch"

interface Item {
  readonly index: number
  readonly result?: Readonly<Record<string, unknown>>
  readonly problem?: {
    readonly code: string
    readonly status: number
    readonly errors?: readonly object[]
  }
}

let service: Service
before(async () => {
  service = await startService()
})
after(() => service.stop())

async function batch(path: string, body: object, key?: string): Promise<Item[]> {
  const response = await service.request(path, { json: body, ...(key !== undefined && { key }) })
  assert.equal(response.status, 200, await response.clone().text())
  return ((await response.json()) as { results: Item[] }).results
}

async function problemOf(response: Response, status: number): Promise<Record<string, unknown>> {
  const body = (await response.json()) as Record<string, unknown>
  assert.equal(response.status, status, JSON.stringify(body))
  assert.ok(Value.Check(ProblemDetails, body))
  return body
}

function freeKey(tenant: string): Promise<string> {
  return createKey(service, "--tenant", tenant)
}

test("every e-mail of a batch gets the answer it gets alone, in its place", async () => {
  const emails = demoEmails.map(({ email }) => email)
  const items = await batch(EMAILS, { emails })
  assert.deepEqual(
    items.map(({ index }) => index),
    emails.map((_, n) => n),
  )
  for (const [n, email] of emails.entries()) {
    const alone = await service.request("/api/v1/risk/score", { json: { email } })
    assert.deepEqual(items[n]?.result, await alone.json())
    assert.ok(Value.Check(EmailRiskResult, items[n]?.result))
    assert.ok(!Object.hasOwn(items[n] ?? {}, "problem"))
  }
})

test("every phone number of a batch gets the answer it gets alone, in its place", async () => {
  const numbers = demoPhones.map(({ phone }) => phone)
  const items = await batch(PHONES, { phone_numbers: numbers })
  for (const [n, number] of numbers.entries()) {
    const alone = await service.request("/api/v1/phone-risk", { json: { phone_number: number } })
    assert.deepEqual(items[n]?.result, await alone.json())
    assert.ok(Value.Check(PhoneRiskResult, items[n]?.result))
  }
})

test("an item that cannot be answered has a problem of its own and spoils no other", async () => {
  const emails = [
    "ana.silva@mail.example",
    "not an address",
    7,
    null,
    ["a@b.example"],
    "",
    "x@y.example",
  ]
  const items = await batch(EMAILS, { emails })
  assert.deepEqual(
    items.map(({ problem }) => problem?.code ?? "answered"),
    [
      "answered",
      "not-an-email",
      "invalid-request",
      "invalid-request",
      "invalid-request",
      "not-an-email",
      "answered",
    ],
  )
  assert.deepEqual(items[2]?.problem?.errors, [
    { pointer: "#/emails/2", detail: "must be of type string" },
  ])
  assert.equal(items[1]?.problem?.status, 422)
  for (const { problem } of items)
    assert.ok(problem === undefined || Value.Check(ProblemDetails, problem))
  assert.doesNotMatch(JSON.stringify(items[1]), /not an address/)
  const [phone] = await batch(PHONES, { phone_numbers: ["0491570156"] })
  assert.equal(phone?.problem?.code, "not-a-phone-number")
})

test("a batch takes 1 to 1,000 items; another number or type is 400 with the place", async () => {
  const most = Array.from({ length: 1000 }, (_, n) => `person${n}@mail.example`)
  const items = await batch(EMAILS, { emails: most, more: "is ignored" })
  assert.equal(items.length, 1000)
  assert.ok(items.every(({ index, result }, n) => index === n && result?.["email"] === most[n]))
  for (const [body, pointer, detail] of [
    [{}, "#/emails", "is missing"],
    [{ emails: "a@b.example" }, "#/emails", "must be of type array"],
    [{ emails: [] }, "#/emails", "must have at least 1 item"],
    [{ emails: [...most, "one@more.example"] }, "#/emails", "must have at most 1000 items"],
  ] as const) {
    const problem = await problemOf(await service.request(EMAILS, { json: body }), 400)
    assert.equal(problem["code"], "invalid-request")
    assert.deepEqual(problem["errors"], [{ pointer, detail }])
  }
})

test("a batch body may have 512 KiB, a single one still 16", async () => {
  const padded = (bytes: number): object => {
    const body = { emails: ["ana.silva@mail.example"], pad: "" }
    return { ...body, pad: "x".repeat(bytes - JSON.stringify(body).length) }
  }
  assert.equal((await batch(EMAILS, padded(512 * 1024))).length, 1)
  const over = await service.request(EMAILS, { json: padded(512 * 1024 + 1) })
  assert.equal((await problemOf(over, 413))["code"], "body-too-large")
  const alone = await service.request("/api/v1/risk/score", {
    json: { email: "ana.silva@mail.example", pad: "x".repeat(16 * 1024) },
  })
  await problemOf(alone, 413)
})

test("an explanation comes with every item when it is asked for, with a place for its decision", async () => {
  const response = await service.request(`${EMAILS}?explain=true`, {
    json: { emails: ["ana.silva@mail.example", "nobody@unlisted.example"] },
  })
  const { results } = (await response.json()) as { results: Item[] }
  for (const { result } of results) {
    const explanation = result?.["explanation"] as Record<string, unknown>
    assert.ok(Object.hasOwn(explanation, "decision_id"))
    assert.ok(Object.hasOwn(explanation, "contributions"))
  }
  const [plain] = await batch(EMAILS, { emails: ["ana.silva@mail.example"] })
  assert.ok(!Object.hasOwn(plain?.result ?? {}, "explanation"))
})

test("keys, scopes, methods and media types are asked for as elsewhere", async () => {
  const json = { emails: ["ana.silva@mail.example"] }
  await problemOf(await service.request(EMAILS, { json, key: null }), 401)
  const reader = await createKey(service, "--tenant", "reader", "--scopes", "usage:read")
  await problemOf(await service.request(EMAILS, { json, key: reader }), 403)
  const got = await service.request(EMAILS)
  assert.equal(got.headers.get("allow"), "POST")
  await problemOf(got, 405)
  const text = { method: "POST", body: "a@b.example", headers: { "content-type": "text/plain" } }
  await problemOf(await service.request(EMAILS, text), 415)
  const malformed = { method: "POST", body: "{", headers: { "content-type": "application/json" } }
  assert.equal(
    (await problemOf(await service.request(EMAILS, malformed), 400))["code"],
    "malformed-json",
  )
})

test("a batch is one request of the rate; each answered item is one of the month, refused ones are none", async () => {
  const key = await freeKey("counted")
  const emails = [...Array.from({ length: 40 }, (_, n) => `p${n}@mail.example`), "nobody", 4]
  const first = await service.request(EMAILS, { key, json: { emails } })
  assert.equal(first.status, 200)
  await first.body?.cancel()
  const second = await service.request("/api/v1/risk/score", {
    key,
    json: { email: "p0@mail.example" },
  })
  assert.equal(second.status, 200)
  assert.equal(await usageOf(service.dataDirectory, "counted", 41), 41)
})

test("items past the day's identities are refused one by one, and those seen today are answered", async () => {
  const key = await freeKey("curious")
  const emails = Array.from({ length: 103 }, (_, n) => `p${n}@mail.example`)
  const items = await batch(EMAILS, { emails: [...emails, "p5@mail.example"] }, key)
  const answered = items.filter(({ result }) => result !== undefined)
  assert.equal(answered.length, 101)
  for (const item of items) {
    if (item.result === undefined) assert.equal(item.problem?.code, "identities-exceeded")
  }
  assert.ok(items.at(-1)?.result !== undefined)
  assert.equal(await usageOf(service.dataDirectory, "curious", 101), 101)
})

test("nothing that was sent is in the log", () => {
  assert.doesNotMatch(service.stdout() + service.stderr(), /person\d|p\d@|not an address/)
})
