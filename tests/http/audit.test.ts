import assert from "node:assert/strict"
import { after, before, test } from "node:test"
import type { AuditList } from "@assay/core/contract"
import { assay, createKey } from "../cli/assay.ts"
import { type Service, startService } from "./service.ts"

let service: Service
let shop: string
let bank: string
let operator: string
before(async () => {
  service = await startService({ args: ["--workers", "1"] })
  const all = ["--plan", "enterprise", "--scopes", "all"]
  shop = await createKey(service, "--tenant", "shop", ...all)
  bank = await createKey(service, "--tenant", "bank", ...all)
  operator = await createKey(service, "--service", "--scopes", "all")
})
after(() => service.stop())

async function trail(key: string, query = ""): Promise<AuditList["entries"]> {
  const response = await service.request(`/api/v1/audit${query}`, { key })
  assert.equal(response.status, 200)
  return ((await response.json()) as AuditList).entries
}

test("a tenant sees what was done to it and nothing of another, and not who the operator is", async () => {
  const own = await trail(shop)
  assert.deepEqual(
    own.map(({ action, actor, request_id }) => [action, actor, request_id]),
    [
      ["key.create", "operator", null],
      ["tenant.create", "operator", null],
    ],
  )
  const ofBank = await trail(bank)
  const ids = new Set(own.map(({ id }) => id))
  assert.ok(ofBank.length === 2 && ofBank.every(({ id }) => !ids.has(id)))
})

test("a request is in the trail with its id and its key, and never with the person", async () => {
  const response = await service.request("/api/v1/subjects/export", {
    key: shop,
    json: { email: "canary.person@mail.example", reason: "subject_request" },
    headers: { "x-request-id": "trace-77" },
  })
  assert.equal(response.status, 200)
  const [entry] = await trail(shop)
  assert.equal(entry?.action, "subject.export")
  assert.equal(entry.request_id, "trace-77")
  assert.match(entry.actor, /^key:/)
  const everything = await assay(["audit", "export"], { ASSAY_DATA: service.dataDirectory })
  assert.equal(everything.code, 0, everything.err)
  assert.match(everything.out, /"request_id":"trace-77"/)
  assert.doesNotMatch(everything.out, /canary/)
})

test("a service key sees everything, in pages, with who ran a command", async () => {
  const all = await trail(operator, "?limit=100")
  assert.ok(all.some(({ actor }) => actor.startsWith("shell:")))
  const seen = []
  for (let before = ""; ;) {
    const page = await trail(operator, `?limit=2${before}`)
    seen.push(...page)
    if (page.length < 2) break
    before = `&before=${page.at(-1)?.id ?? 0}`
  }
  assert.deepEqual(seen, all)
})

test("what is no page is refused", async () => {
  for (const query of ["?limit=0", "?limit=101", "?before=x", "?before=-1"]) {
    const response = await service.request(`/api/v1/audit${query}`, { key: shop })
    assert.equal(response.status, 400, query)
  }
})
