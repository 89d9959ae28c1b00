import assert from "node:assert/strict"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, suite, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import type { Worker } from "node:worker_threads"
import { isExplained } from "@assay/runtime/explained"
import { gatheredMetrics } from "../base/metrics.ts"
import { openLog } from "@assay/runtime/log"
import type { SignalQuestion } from "../score/providers/phone-signals.ts"
import type { ProviderSettings } from "../score/phone/providers.ts"
import type { Spend } from "../score/providers/spending.ts"
import { openTrialCarrier } from "@assay/carrier/open-trial-carrier"
import { makeTrialClient } from "@assay/carrier/trial-client"
import { openProvidersThread } from "./open-providers-thread.ts"

const question: SignalQuestion = {
  tenantId: 7,
  e164: "+61491570401",
  region: "AU",
  key: "00ff",
  sinceMs: null,
  tenantCapMicros: 90_000,
}

suite("the thread that asks providers", async () => {
  const folder = mkdtempSync(join(tmpdir(), "assay-providers-"))
  const keyFile = join(folder, "client.pem")
  const { client, keyId, privateKeyPem } = await makeTrialClient("assay")
  writeFileSync(keyFile, privateKeyPem, { mode: 0o600 })
  const carrier = await openTrialCarrier({ clients: [client] })
  after(async () => {
    await carrier.close()
    rmSync(folder, { recursive: true })
  })
  const settingsWith = (private_key_file: string): ProviderSettings => ({
    // More than settings may say: how long an answer takes is not what is tested here.
    budget_ms: 60_000,
    daily_cap: 10,
    tenant_daily_cap: 1,
    camara: [
      {
        name: "trial",
        ranges: ["+61491570"],
        base_url: `${carrier.url}/`,
        token_url: carrier.tokenUrl,
        client_id: client.clientId,
        private_key_file,
        timeout_ms: 30_000,
        key_id: keyId,
        apis: { sim_swap: { price: 0.02, answers: "date" } },
      },
    ],
  })
  const lines: string[] = []
  const log = openLog("info", { write: (line: string) => void lines.push(line) })
  const spent: Spend[] = []
  const spending = {
    async spend(spend: Spend) {
      spent.push(spend)
      return true
    },
  }
  const threads: Worker[] = []
  const seen = (thread: Worker): void => void threads.push(thread)
  process.on("worker", seen)
  after(() => void process.off("worker", seen))

  test("asks, pays by way of the primary, remembers until asked to forget, and counts", async () => {
    const providers = await openProvidersThread({ settings: settingsWith(keyFile), spending, log })
    const { state, results } = await providers.look(question)
    assert.equal(state, "asked")
    assert.deepEqual(
      results.map(({ signal, status, source }) => [signal, status, source]),
      [["sim_change", "ok", "camara:trial"]],
    )
    assert.deepEqual(spent, [
      { tenantId: 7, provider: "camara:trial", micros: 20_000, tenantCapMicros: 90_000 },
    ])
    assert.deepEqual((await providers.look(question)).results, results)
    await providers.forget(question.key)
    await providers.look({ ...question, tenantCapMicros: null })
    assert.equal(spent.length, 2)
    assert.equal(spent[1]?.tenantCapMicros, 1_000_000)
    const text = await gatheredMetrics([(await providers.metrics()) ?? {}])
    assert.match(text, /assay_provider_calls_total\{provider="camara:trial",outcome="ok"\} 2/)
    assert.match(text, /assay_provider_cost_micros_total\{provider="camara:trial"\} 40000/)
    await providers.close()
    await assert.rejects(providers.look(question))
    assert.equal(await providers.metrics(), null)
  })

  test("a thread that dies fails what waits for it, and is replaced", async (context) => {
    const providers = await openProvidersThread({ settings: settingsWith(keyFile), spending, log })
    context.after(() => providers.close())
    carrier.script(question.e164, { faults: [{ kind: "late", latency_ms: 120_000 }] })
    const waiting = assert.rejects(providers.look(question), { code: "unavailable" })
    const before = spent.length
    while (spent.length === before) await delay(5)
    await threads.at(-1)?.terminate()
    await waiting
    await assert.rejects(providers.look(question), { code: "unavailable" })
    await providers.forget(question.key)
    assert.equal(await providers.metrics(), null)
    carrier.script(question.e164, {})
    let found = null
    while (found === null) {
      await delay(50)
      found = await providers.look(question).catch(() => null)
    }
    assert.equal(found.results[0]?.status, "ok")
    assert.ok(lines.some((line) => line.includes("died and is replaced")))
    assert.ok(lines.every((line) => !line.includes(question.e164.slice(1))))
  })

  test("unusable settings are refused by their place, and no thread stays", async () => {
    const rubbish = join(folder, "rubbish.pem")
    writeFileSync(rubbish, "no key at all")
    await assert.rejects(
      openProvidersThread({ settings: settingsWith(rubbish), spending, log }),
      (error) => {
        assert.ok(isExplained(error, "config"))
        assert.match(error.message, /ASSAY_PROVIDERS names settings that cannot be used/)
        assert.doesNotMatch(error.message, /no key at all|rubbish/)
        return true
      },
    )
    assert.equal(threads.at(-1)?.threadId, -1)
  })
})
