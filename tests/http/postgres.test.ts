import assert from "node:assert/strict"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { openPostgresRecords } from "../../packages/stores/src/postgres/records.ts"
import { testServerOrSkip } from "../../packages/stores/testing/postgres/test-server.ts"
import { dayOf } from "../../packages/runtime/src/time.ts"
import { assay } from "../cli/assay.ts"
import { startService } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"

const temporary = temporaryDirectory()
const email = { email: "ana.silva@mail.example" }

test("DATABASE_URL moves tenants, keys and usage to PostgreSQL, for server and commands alike", async (context) => {
  const postgres = await testServerOrSkip(context)
  if (postgres === null) return
  const url = await postgres.createDatabase()
  const data = join(temporary, "data")
  const env = { DATABASE_URL: url }
  const service = await startService({ dataDirectory: data, env, args: ["--workers", "2"] })
  const create = ["keys", "create", "--tenant", "acme", "--plan", "enterprise"]
  const made = await assay(create, { ...env, ASSAY_DATA: data })
  assert.equal(made.code, 0, made.err)
  const key = made.out.trim()
  for (let n = 0; n < 5; n++)
    assert.equal((await service.request("/api/v1/risk/score", { key, json: email })).status, 200)
  assert.equal((await service.request("/readyz")).status, 200)
  assert.ok(!existsSync(join(data, "records.sqlite")))
  const decided = (await service.request("/api/v1/risk/score", { json: email })).headers.get(
    "x-decision-id",
  )
  const decision = await service.request(`/api/v1/decisions/${decided ?? ""}`)
  assert.equal(((await decision.json()) as { reproduced: boolean }).reproduced, true)
  assert.ok(!existsSync(join(data, "decisions")))
  assert.equal(await service.stop(), 0)

  const records = await openPostgresRecords({ url, poolMax: 1 })
  const tenantId = (await records.tenantByName("acme"))?.id ?? -1
  const today = dayOf(Date.now())
  assert.deepEqual(
    (await records.usage({ tenantId, from: today, to: today })).map(({ count }) => count),
    [5],
  )
  await records.close()

  const again = await startService({ dataDirectory: data, env })
  assert.equal((await again.request("/api/v1/risk/score", { key, json: email })).status, 200)
  // A key that is known is honoured for a while after.
  assert.equal((await again.request("/api/v1/risk/score", { json: email })).status, 200)
  await postgres.stop()
  await delay(500)
  assert.equal((await again.request("/readyz")).status, 503)
  assert.equal((await again.request("/api/v1/risk/score", { key, json: email })).status, 200)
  // Still recorded, in the journal; a decision that cannot be looked up is not "not found".
  const journalled = await again.request("/api/v1/risk/score", { json: email })
  const later = journalled.headers.get("x-decision-id") ?? ""
  assert.match(later, /^dec_/)
  assert.equal((await again.request(`/api/v1/decisions/${later}`)).status, 503)
  await again.stop()
})

test("a database that cannot be reached stops the start with a sentence that names no password", async () => {
  const env = {
    ASSAY_DATA: join(temporary, "nowhere"),
    PORT: "0",
    DATABASE_URL: "postgres://assay:canary-password@127.0.0.1:1/assay",
  }
  const { code, err } = await assay(["serve"], env)
  assert.equal(code, 1)
  assert.doesNotMatch(err, /canary/)
  assert.match(err, /^assay: /m)
})
