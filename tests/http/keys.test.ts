import assert from "node:assert/strict"
import { after, before, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { createClient } from "@assay/client"
import { UsageReport } from "@assay/core/contract"
import { Value } from "typebox/value"
import { dayOf } from "../../packages/runtime/src/time.ts"
import { mintApiKey } from "../../packages/server/src/accounts/api-key.ts"
import { assay, createKey } from "../cli/assay.ts"
import { type Service, startService } from "./service.ts"
import { usageOf } from "./usage.ts"

let service: Service
before(async () => {
  service = await startService({ args: ["--workers", "2"] })
})
after(() => service.stop())

const create = (...args: string[]): Promise<string> => createKey(service, ...args)

async function score(key: string | null, headers: Record<string, string> = {}): Promise<Response> {
  return await service.request("/api/v1/risk/score", {
    key,
    headers,
    json: { email: "ana.silva@mail.example" },
  })
}

async function idOf(label: string): Promise<string> {
  const { out } = await assay(["keys", "list"], { ASSAY_DATA: service.dataDirectory })
  return (
    /key_[0-9a-f]{16}/.exec(
      out.split("\n").find((line) => line.endsWith(` ${label}`)) ?? "",
    )?.[0] ?? ""
  )
}

/** New connections, so that both workers are asked. */
async function statuses(key: string): Promise<Set<number>> {
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => score(key, { connection: "close" })),
  )
  return new Set(answers.map(({ status }) => status))
}

test("without a key, with a mistyped, an unknown or an oddly sent one: 401 with a challenge, and no hint which", async () => {
  const missing = await score(null)
  assert.equal(missing.status, 401)
  assert.equal(missing.headers.get("www-authenticate"), 'Bearer realm="assay"')
  const unknown = mintApiKey()
  for (const authorization of [
    `Bearer ${unknown}`,
    `Bearer ${unknown.slice(0, -1)}x`,
    `Bearer ${service.key ?? ""}x`,
    "Bearer x",
  ]) {
    const answer = await score(null, { authorization })
    assert.equal(answer.status, 401, authorization)
    assert.equal(
      answer.headers.get("www-authenticate"),
      'Bearer realm="assay", error="invalid_token"',
    )
    const text = await answer.text()
    assert.ok(
      !text.includes(authorization.slice(7)) || authorization === "Bearer x",
      "the key came back",
    )
  }
  for (const authorization of [
    "Basic YTpi",
    `Token ${service.key ?? ""}`,
    `Bearer  ${service.key ?? ""}`,
  ]) {
    assert.equal((await score(null, { authorization })).status, 401, authorization)
  }
  const query = await service.request(`/api/v1/risk/score?key=${service.key ?? ""}`, {
    key: null,
    json: { email: "a@b.example" },
  })
  assert.equal(query.status, 401)
})

test("a key made by the command works in every worker of the running server at once", async () => {
  const command = ["keys", "create", "--tenant", "fresh", "--plan", "enterprise"]
  const made = await assay(command, { ASSAY_DATA: service.dataDirectory })
  assert.equal(made.code, 0, made.err)
  assert.deepEqual(await statuses(made.out.trim()), new Set([200]))
})

test("a key without the scope gets a 403 that names the scope it needs", async () => {
  const key = await create("--tenant", "narrow", "--plan", "enterprise", "--scopes", "usage:read")
  const answer = await score(key)
  assert.equal(answer.status, 403)
  assert.match(
    answer.headers.get("www-authenticate") ?? "",
    /error="insufficient_scope", scope="score"/,
  )
  assert.equal(((await answer.json()) as { code: string }).code, "insufficient-scope")
  const admin = await create("--service", "--scopes", "subjects:admin")
  assert.equal((await score(admin)).status, 403)
})

test("a key with usage:read sees the lookups of its tenant by day, key and operation, and of no other", async () => {
  const day = dayOf(Date.now())
  const asking = await create("--tenant", "counted", "--plan", "enterprise", "--label", "asking")
  const reading = await create("--tenant", "counted", "--scopes", "usage:read")
  const elsewhere = await create("--tenant", "elsewhere", "--scopes", "usage:read")
  for (let n = 0; n < 3; n++) assert.equal((await score(asking)).status, 200)
  assert.equal(await usageOf(service.dataDirectory, "counted", 3), 3)
  const usage = (key: string, query = ""): Promise<Response> =>
    service.request(`/api/v1/usage${query}`, { key })
  const report = (await (await usage(reading)).json()) as UsageReport
  assert.ok(Value.Check(UsageReport, report))
  assert.deepEqual(report, {
    from: `${day.slice(0, 8)}01`,
    to: day,
    lookups_per_month: null,
    lookups_left: null,
    total: 3,
    usage: [{ day, key_id: await idOf("asking"), operation: "email", count: 3 }],
  })
  const client = createClient({ baseUrl: service.baseUrl, apiKey: elsewhere, timeoutMs: 120_000 })
  const other = await client.getUsage({ from: day, to: day })
  assert.deepEqual([other.total, other.usage, other.lookups_per_month], [0, [], 1000])
  const before = await usage(reading, "?from=2026-01-01&to=2026-01-31")
  assert.deepEqual(((await before.json()) as UsageReport).usage, [])

  const refused = await usage(asking)
  assert.equal(refused.status, 403)
  assert.match(refused.headers.get("www-authenticate") ?? "", /scope="usage:read"/)
  for (const query of [
    "?from=yesterday",
    "?to=2026-02-30",
    "?from=2026-02-02&to=2026-02-01",
    "?from=2024-01-01&to=2026-01-01",
  ])
    assert.equal((await usage(reading, query)).status, 400, query)
})

test("a revoked key stops working in every worker within five seconds, and no other key does", async () => {
  const key = await create("--tenant", "doomed", "--plan", "enterprise", "--label", "doomed")
  assert.deepEqual(await statuses(key), new Set([200]))
  const { code } = await assay(["keys", "revoke", await idOf("doomed")], {
    ASSAY_DATA: service.dataDirectory,
  })
  assert.equal(code, 0)
  await delay(5000)
  assert.deepEqual(await statuses(key), new Set([401]))
  assert.deepEqual(await statuses(service.key ?? ""), new Set([200]))
})

test("a rotated key and its successor both work during the overlap; without one the old key ends", async () => {
  const rotate = async (label: string, overlap: string): Promise<string> => {
    const { out } = await assay(["keys", "rotate", await idOf(label), "--overlap", overlap], {
      ASSAY_DATA: service.dataDirectory,
    })
    return out.trim()
  }
  const old = await create("--tenant", "turning", "--plan", "enterprise", "--label", "turning")
  const next = await rotate("turning", "1h")
  assert.deepEqual(await statuses(next), new Set([200]))
  assert.deepEqual(await statuses(old), new Set([200]))

  const abrupt = await create("--tenant", "abrupt", "--plan", "enterprise", "--label", "abrupt")
  assert.deepEqual(await statuses(abrupt), new Set([200]))
  await rotate("abrupt", "0h")
  await delay(5000)
  assert.deepEqual(await statuses(abrupt), new Set([401]))
})
