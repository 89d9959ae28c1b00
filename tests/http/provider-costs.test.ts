import assert from "node:assert/strict"
import { join } from "node:path"
import { test } from "node:test"
import { openTrialCarrier } from "../../packages/carrier/src/open-trial-carrier.ts"
import { makeTrialClient } from "../../packages/carrier/src/trial-client.ts"
import { assay, createKey } from "../cli/assay.ts"
import { startService } from "./service.ts"
import { simChange, writeTrialProvider } from "./sim-change.ts"
import { temporaryDirectory } from "./temporary.ts"

const temporary = temporaryDirectory()
const dataDirectory = join(temporary, "data")

test("the caps of a day hold over tenants, workers and kill -9, and every call is accounted for", async () => {
  const keys = await makeTrialClient("assay")
  const carrier = await openTrialCarrier({ clients: [keys.client] })
  const caps = { daily_cap: 1.5, tenant_daily_cap: 1 }
  const file = writeTrialProvider(temporary, carrier, keys.privateKeyPem, caps)
  const start = () =>
    startService({ dataDirectory, env: { ASSAY_PROVIDERS: file }, args: ["--workers", "2"] })

  const first = await start()
  const acme = await madeTenant("acme", "providers=true")
  const other = await madeTenant("other", "providers=true", "provider_daily_cap=1000")
  assert.equal(await simChange(first, acme, 401), "ok")
  assert.equal(await simChange(first, acme, 402), "ok")
  assert.equal(await simChange(first, acme, 403), "rate_limited cost_cap")
  // Remembered, and so paid for once.
  assert.equal(await simChange(first, acme, 401), "ok")
  assert.equal(await simChange(first, other, 401), "ok")
  assert.equal(await simChange(first, other, 404), "rate_limited cost_cap")
  await first.kill()

  const second = await start()
  assert.equal(await simChange(second, acme, 405), "rate_limited cost_cap")
  assert.equal(await simChange(second, other, 401), "rate_limited cost_cap")
  const calls = carrier.requests().filter(({ path }) => path !== "/token")
  assert.equal(calls.length, 3)
  const costs = await assay(["providers", "costs", "--json"], { ASSAY_DATA: dataDirectory })
  assert.deepEqual((JSON.parse(costs.out) as { costs: object }).costs, [
    { tenant: "acme", provider: "camara:north", calls: 2, cost: 1 },
    { tenant: "other", provider: "camara:north", calls: 1, cost: 0.5 },
  ])
  assert.equal(await second.stop(), 0)
  await carrier.close()
})

async function madeTenant(name: string, ...settings: string[]): Promise<string> {
  const env = { ASSAY_DATA: dataDirectory }
  const key = await createKey({ dataDirectory }, "--tenant", name, "--plan", "enterprise")
  assert.equal((await assay(["tenants", "set", name, ...settings], env)).code, 0)
  return key
}
