import assert from "node:assert/strict"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import {
  type ApiKey,
  type ApiKeyList,
  type NewApiKey,
  type Tenant,
  type TenantList,
} from "@assay/core/contract"
import { assay, createKey } from "../cli/assay.ts"
import { testServerOrSkip } from "../../packages/stores/testing/postgres/test-server.ts"
import { filesBelow } from "./search.ts"
import {
  type Account,
  type AccountRequest,
  createAccount,
  demoAccount,
  requestAs,
} from "./accounts.ts"
import { type Service, startService } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"

const temporary = temporaryDirectory()
const data = join(temporary, "data")
const PATH = "/api/v1/keys"

let service: Service
let owner: Account
let other: Account
before(async () => {
  service = await startService({ dataDirectory: data, args: ["--workers", "2"] })
  owner = await createAccount(service, "one")
  other = await createAccount(service, "other")
})
after(() => service.stop())

/** A connection of its own each time, so that either worker may answer. */
const request = (
  path: string,
  { headers, ...init }: AccountRequest = {},
  to = service,
): Promise<Response> =>
  requestAs(to, path, { key: owner, ...init, headers: { ...headers, connection: "close" } })

async function made(json: object, key = owner): Promise<NewApiKey> {
  const response = await request(PATH, { json, key })
  const text = await response.text()
  assert.equal(response.status, 201, text)
  return JSON.parse(text) as NewApiKey
}

async function codeOf(response: Response): Promise<[number, unknown]> {
  return [response.status, ((await response.json()) as { code?: string }).code]
}

const scores = async (key: Account | string): Promise<number> =>
  (await request("/api/v1/risk/score", { json: { email: "a@mail.example" }, key })).status

async function until(what: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!(await what())) {
    assert.ok(Date.now() < deadline, "it never acted")
    await delay(200)
  }
}

test("a key is made, shown once, works, and its text is nowhere", async () => {
  const { key, api_key } = await made({ scopes: ["score"], label: "checkout" })
  assert.match(key, /^ask_live_[0-9A-Za-z]{36}$/)
  assert.deepEqual(
    [api_key.label, api_key.scopes, api_key.state],
    ["checkout", ["score"], "active"],
  )
  assert.equal(api_key.hint, `${key.slice(0, 9)}…${key.slice(-4)}`)
  assert.equal(await scores(key), 200)
  const listed = await request(PATH)
  const text = await listed.text()
  assert.ok(!text.includes(key))
  const { keys } = JSON.parse(text) as ApiKeyList
  assert.deepEqual(keys[0], api_key)
  assert.equal(keys.length, 2)
  assert.equal(((await (await request(PATH, { key: other })).json()) as ApiKeyList).keys.length, 1)
  // It has no say over keys itself.
  assert.deepEqual(await codeOf(await request(PATH, { key })), [403, "insufficient-scope"])
  for (const file of filesBelow(data))
    assert.ok(!file.bytes.includes(key), `the key is in ${file.path}`)
  assert.ok(!service.stderr().includes(key))
  const { out } = await assay(["audit", "list", "--action", "key.create"], { ASSAY_DATA: data })
  assert.match(out, new RegExp(`person:\\w+ +key\\.create +key:${api_key.id}`))
})

test("no key makes keys, and scopes of the service are no scopes of a tenant", async () => {
  const { key } = owner
  const { api_key: another } = await made({ scopes: ["score"] })
  assert.equal((await request(PATH, { key })).status, 403)
  assert.equal((await request(PATH, { json: { scopes: ["score"] }, key })).status, 403)
  assert.equal((await request(`${PATH}/${another.id}/rotate`, { json: {}, key })).status, 403)
  assert.equal((await request(`${PATH}/${another.id}/revoke`, { method: "POST", key })).status, 403)
  for (const scope of ["tenants:admin", "drop:read", "everything"])
    assert.equal((await request(PATH, { json: { scopes: [scope] } })).status, 400, scope)
})

test("a plan bounds what keys can be given", async () => {
  const free = await createAccount(service, "free", "free")
  const { api_key } = await made({ scopes: ["score", "score"] }, free)
  assert.deepEqual(api_key.scopes, ["score"])
  const response = await request(PATH, { json: { scopes: ["evidence:write"] }, key: free })
  assert.deepEqual(await codeOf(response), [403, "insufficient-scope"])
})

test("a rotated key goes on for the overlap, and a revoked one ends within seconds", async () => {
  const { key, api_key } = await made({ scopes: ["score"], label: "old" })
  const answer = await request(`${PATH}/${api_key.id}/rotate`, { json: { overlap_hours: 1 } })
  assert.equal(answer.status, 201)
  const successor = (await answer.json()) as NewApiKey
  assert.deepEqual([successor.api_key.label, successor.api_key.scopes], ["old", ["score"]])
  assert.deepEqual([await scores(key), await scores(successor.key)], [200, 200])
  const { keys } = (await (await request(PATH)).json()) as ApiKeyList
  const old = keys.find(({ id }) => id === api_key.id)
  assert.deepEqual([old?.state, old?.replaced_by], ["replaced", successor.api_key.id])
  const again = await request(`${PATH}/${api_key.id}/rotate`, { json: {} })
  assert.deepEqual(await codeOf(again), [409, "key-ended"])

  const revoke = (id: string, as = owner): Promise<Response> =>
    request(`${PATH}/${id}/revoke`, { method: "POST", key: as })
  assert.deepEqual(await codeOf(await revoke(api_key.id, other)), [404, "key-not-found"])
  assert.deepEqual(await codeOf(await revoke("key_0000000000000000")), [404, "key-not-found"])
  const revoked = (await (await revoke(api_key.id)).json()) as ApiKey
  assert.equal(revoked.state, "revoked")
  assert.deepEqual(await (await revoke(api_key.id)).json(), revoked)
  await until(async () =>
    (await Promise.all([1, 2, 3].map(() => scores(key)))).every((each) => each === 401),
  )
  assert.equal(await scores(successor.key), 200)
  const change = { method: "PATCH", json: { expires_at: null } }
  const back = await request(`${PATH}/${api_key.id}`, change)
  assert.deepEqual(await codeOf(back), [409, "key-ended"])
})

test("label and end of a key are changed, and the end acts", async () => {
  const { key, api_key } = await made({ scopes: ["score"] })
  const patch = (json: object, as = owner): Promise<Response> =>
    request(`${PATH}/${api_key.id}`, { method: "PATCH", json, key: as })
  const soon = new Date(Date.now() + 8_000).toISOString()
  const changed = (await (await patch({ label: "Kasse 2", expires_at: soon })).json()) as ApiKey
  assert.deepEqual([changed.label, changed.expires_at], ["Kasse 2", soon])
  assert.equal(((await (await patch({ label: "3" })).json()) as ApiKey).expires_at, soon)
  assert.deepEqual(await codeOf(await patch({ label: "x" }, other)), [404, "key-not-found"])
  for (const json of [
    {},
    { label: "a\u0000b" },
    { label: "x".repeat(101) },
    { expires_at: "2020-01-01T00:00:00Z" },
    { expires_at: "tomorrow" },
    { scopes: ["score"] },
  ])
    assert.deepEqual(await codeOf(await patch(json)), [400, "invalid-request"])
  await until(async () => (await scores(key)) === 401)
  assert.deepEqual(await codeOf(await patch({ expires_at: null })), [409, "key-ended"])
})

test("a tenant has a hundred keys that work, and no more", async () => {
  const key = await createAccount(service, "many")
  const ids: string[] = []
  for (let n = 1; n < 100; n++) ids.push((await made({ scopes: ["score"] }, key)).api_key.id)
  const full = await request(PATH, { json: { scopes: ["score"] }, key })
  assert.deepEqual(await codeOf(full), [409, "keys-exceeded"])
  const revoked = await request(`${PATH}/${ids[0]}/revoke`, { method: "POST", key })
  assert.equal(revoked.status, 200)
  await made({ scopes: ["score"] }, key)
})

test("usage says what is left of the month", async () => {
  const key = await createAccount(service, "counted", "free")
  // The plan allows ten requests a second, and asking over and over may use them up.
  const usage = async (as: Account, days = ""): Promise<Record<string, unknown>> => {
    for (;;) {
      const response = await request(`/api/v1/usage${days}`, { key: as })
      if (response.status === 200) return (await response.json()) as Record<string, unknown>
      assert.equal(response.status, 429)
      await response.body?.cancel()
      await delay(1_000)
    }
  }
  const whole = await usage(key)
  assert.deepEqual([whole["lookups_per_month"], whole["lookups_left"]], [1000, 1000])
  for (let n = 0; n < 3; n++) assert.equal(await scores(key), 200)
  await until(async () => (await usage(key))["lookups_left"] === 997)
  // Whatever days are asked for, what is left is that of the present month.
  const past = await usage(key, "?from=2020-01-01&to=2020-01-31")
  assert.deepEqual([past["total"], past["lookups_left"]], [0, 997])
  assert.equal((await usage(owner))["lookups_left"], null)
})

test("an administrator lists tenants, makes them and changes plans, and no tenant does", async () => {
  const key = await createKey(service, "--service", "--scopes", "tenants:admin")
  const post = (json: object, as = key): Promise<Response> =>
    request("/api/v1/tenants", { json, key: as })
  const created = await post({ name: "Acme" })
  assert.equal(created.status, 201)
  const acme = (await created.json()) as Tenant
  assert.deepEqual([acme.name, acme.plan], ["Acme", "free"])
  assert.deepEqual(await codeOf(await post({ name: "Acme" })), [409, "tenant-name-taken"])
  for (const json of [{}, { name: "" }, { name: "a\nb" }, { name: "x", plan: "gold" }])
    assert.deepEqual(await codeOf(await post(json)), [400, "invalid-request"])

  const all: Tenant[] = []
  for (let after: number | null = 0; after !== null;) {
    const page = await request(`/api/v1/tenants?limit=2&after=${after}`, { key })
    const { tenants, next } = (await page.json()) as TenantList
    assert.ok(tenants.length <= 2)
    all.push(...tenants)
    after = next
  }
  assert.deepEqual(
    all.map(({ id }) => id),
    all.map(({ id }) => id).toSorted((a, b) => a - b),
  )
  assert.deepEqual(all.at(-1), acme)

  // The plan acts within seconds, on a key that exists.
  const theirs = await createKey(service, "--tenant", "Acme", "--scopes", "score,usage:read")
  const perMonth = async (): Promise<unknown> => {
    const response = await request("/api/v1/usage", { key: theirs })
    return ((await response.json()) as Record<string, unknown>)["lookups_per_month"]
  }
  assert.equal(await perMonth(), 1000)
  const patch = (id: string | number, plan: string, as = key): Promise<Response> =>
    request(`/api/v1/tenants/${id}`, { method: "PATCH", json: { plan }, key: as })
  assert.equal(((await (await patch(acme.id, "enterprise")).json()) as Tenant).plan, "enterprise")
  await until(async () => (await perMonth()) === null)
  for (const id of [0, 999_999, "x", "99999999999"])
    assert.deepEqual(await codeOf(await patch(id, "free")), [404, "tenant-not-found"])
  assert.equal((await patch(acme.id, "gold")).status, 400)

  for (const as of [owner.key, theirs]) {
    assert.equal((await request("/api/v1/tenants", { key: as })).status, 403)
    assert.equal((await post({ name: "Mine" }, as)).status, 403)
    assert.equal((await patch(acme.id, "free", as)).status, 403)
  }
  assert.equal((await request(PATH, { key })).status, 403)
})

test("keys and tenants work the same on PostgreSQL", async (context) => {
  const server = await testServerOrSkip(context)
  if (server === null) return
  context.after(() => server.stop())
  const env = { DATABASE_URL: await server.createDatabase() }
  await using there = await startService({ dataDirectory: join(temporary, "postgres"), env })
  const key = await demoAccount(there, env)
  const created = await request(PATH, { json: { scopes: ["score"] }, key }, there)
  assert.equal(created.status, 201)
  const { api_key } = (await created.json()) as NewApiKey
  const patch = { method: "PATCH", json: { label: "x" }, key }
  assert.equal((await request(`${PATH}/${api_key.id}`, patch, there)).status, 200)
  const rotated = await request(`${PATH}/${api_key.id}/rotate`, { json: {}, key }, there)
  assert.equal(rotated.status, 201)
  const revoke = { method: "POST", key }
  const revoked = await request(`${PATH}/${api_key.id}/revoke`, revoke, there)
  assert.equal(((await revoked.json()) as ApiKey).state, "revoked")
})
