import assert from "node:assert/strict"
import { renameSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { Registry } from "prom-client"
import { buildApp } from "../../packages/server/src/app.ts"
import { openCallers } from "../../packages/server/src/accounts/callers.ts"
import { openLimits } from "../../packages/server/src/accounts/limits.ts"
import { mintFirstKeys } from "../../packages/server/src/accounts/first-keys.ts"
import { openUsage } from "../../packages/server/src/accounts/usage.ts"
import { loadDemoCorpus } from "../../packages/server/src/corpus/demo.ts"
import { openMetrics } from "../../packages/server/src/health/metrics.ts"
import { openLog } from "../../packages/server/src/log.ts"
import { decisionsOff } from "../../packages/server/src/score/decision-draft.ts"
import { openLists } from "../../packages/server/src/score/lists.ts"
import { currentModels } from "../../packages/server/src/score/models.ts"
import { networkTrustOff } from "../../packages/server/src/score/network-trust.ts"
import { deriveSecrets } from "../../packages/server/src/secrets.ts"
import type { Counters } from "../../packages/server/src/stores/counters.ts"
import { embeddedCounters } from "../../packages/server/src/stores/embedded/counters.ts"
import type { ExposureIndex } from "../../packages/server/src/stores/exposure-index.ts"
import { openLmdbIndex } from "../../packages/server/src/stores/lmdb/exposure-index.ts"
import type { Records } from "../../packages/server/src/stores/records.ts"
import { openSqliteRecords } from "../../packages/server/src/stores/sqlite/records.ts"
import { startService } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"

const temporary = temporaryDirectory()
let opened = 0

interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
  readonly headers: Readonly<Record<string, unknown>>
}

interface Faulty {
  readonly index: ExposureIndex
  readonly records: Records
  readonly key: string
  readonly clock: { ms: number }
  readonly log: string[]
  readonly metrics: () => Promise<string>
  score(email: string, key?: string): Promise<Answer>
  get(path: string): Promise<number>
  close(): Promise<void>
}

interface Change {
  readonly index?: (index: ExposureIndex) => ExposureIndex
  readonly counters?: Counters
  readonly overloaded?: () => boolean
}

/** The real application on real stores in this process, where a test can take a store away. */
async function openApplication(change: Change = {}): Promise<Faulty> {
  const directory = join(temporary, String(++opened))
  const clock = { ms: Date.now() }
  const now = (): number => clock.ms
  const lines: string[] = []
  const log = openLog("info", { write: (line: string) => void lines.push(line) })
  const secrets = deriveSecrets(new Uint8Array(32).fill(opened))
  const index = await openLmdbIndex({ path: `${directory}-index` })
  const records = await openSqliteRecords({ file: `${directory}.sqlite` })
  await records.migrate()
  await loadDemoCorpus(index, secrets, now())
  const key =
    (await mintFirstKeys(records, { production: false, bootstrapKey: null }, secrets, now())) ?? ""
  const registry = new Registry()
  const metrics = openMetrics(registry, () => registry.metrics())
  const callers = openCallers({ accounts: records, now, demoKeysAllowed: true })
  const app = await buildApp({
    config: {
      production: false,
      requestSeconds: 10,
      metricsToken: null,
      metricsPort: null,
    },
    log,
    now,
    secrets,
    index: change.index?.(index) ?? index,
    lists: openLists(`${directory}-lists`),
    network: networkTrustOff,
    decisions: decisionsOff,
    pastDecisions: { find: async () => null, list: async () => [] },
    models: currentModels,
    callers,
    limits: openLimits({
      counters: change.counters ?? embeddedCounters(now),
      now,
      log,
      onFailOpen: metrics.countLimitsFailOpen,
    }),
    usage: openUsage(records, now, log),
    metrics,
    pressure: { isHigh: change.overloaded ?? (() => false) },
    pingRecords: () => records.ping(),
  })
  return {
    index,
    records,
    key,
    clock,
    log: lines,
    metrics: () => registry.metrics(),
    async score(email, with_ = key) {
      const answer = await app.inject({
        method: "POST",
        url: "/api/v1/risk/score",
        headers: { authorization: `Bearer ${with_}` },
        payload: { email },
      })
      return { status: answer.statusCode, body: answer.json(), headers: answer.headers }
    },
    get: async (path) => (await app.inject({ url: path })).statusCode,
    async close() {
      callers.close()
      await app.close()
      await Promise.allSettled([index.close(), records.close()])
    },
  }
}

test("an index that cannot be read is 503 and not ready, never CLEAN", async () => {
  const app = await openApplication()
  assert.equal((await app.score("sofia.rossi@mail.example")).body["threat_stage"], "ATTACKED")
  assert.equal(await app.get("/readyz"), 200)
  await app.index.close()
  for (const email of ["sofia.rossi@mail.example", "nobody@mail.example"]) {
    const { status, body } = await app.score(email)
    assert.equal(status, 503)
    assert.equal(body["code"], "store-unavailable")
    assert.ok(!("threat_stage" in body))
  }
  assert.equal(await app.get("/readyz"), 503)
  assert.equal(await app.get("/healthz"), 200)
  assert.match(app.log.join(""), /IndexUnavailable/)
  await app.close()
})

test("stores that fail at random never turn an attacked identity CLEAN", async () => {
  let state = 12345
  const random = (): number => (state = (state * 1103515245 + 12345) % 2 ** 31) / 2 ** 31
  const broken = await openLmdbIndex({ path: join(temporary, "broken") })
  await broken.close()
  const app = await openApplication({
    index: (index) => ({
      ...index,
      lookup: (...args) => (random() < 0.4 ? broken : index).lookup(...args),
    }),
  })
  const seen = new Map<number, number>()
  for (let n = 0; n < 300; n++) {
    const { status, body } = await app.score("sofia.rossi@mail.example")
    seen.set(status, (seen.get(status) ?? 0) + 1)
    if (status === 200) assert.equal(body["threat_stage"], "ATTACKED")
    else assert.equal(body["code"], "store-unavailable")
  }
  assert.ok((seen.get(200) ?? 0) > 100 && (seen.get(503) ?? 0) > 60, JSON.stringify([...seen]))
  await app.close()
})

test("while the records are away, a known key is honoured for a minute and not longer; an unknown one is 503", async () => {
  const app = await openApplication()
  assert.equal((await app.score("a@mail.example")).status, 200)
  await app.records.close()
  app.clock.ms += 30_000
  assert.equal((await app.score("a@mail.example")).status, 200)
  assert.equal(await app.get("/readyz"), 503)
  app.clock.ms += 40_000
  const { status, body } = await app.score("a@mail.example")
  assert.equal(status, 503)
  assert.equal(body["code"], "store-unavailable")
  await app.close()
})

test("an overloaded worker turns requests away with 503 and Retry-After, never with a score, and answers monitoring", async () => {
  let overloaded = true
  const app = await openApplication({ overloaded: () => overloaded })
  const { status, body, headers } = await app.score("sofia.rossi@mail.example")
  assert.equal(status, 503)
  assert.equal(body["code"], "overloaded")
  assert.equal(headers["retry-after"], "1")
  assert.ok(!("risk_score" in body))
  for (const path of ["/healthz", "/readyz", "/metrics"])
    assert.equal(await app.get(path), 200, path)
  overloaded = false
  assert.equal((await app.score("sofia.rossi@mail.example")).status, 200)
  await app.close()
})

test("counters that fail let requests through and count that", async () => {
  const failing = async (): Promise<never> => Promise.reject(new Error("away"))
  const app = await openApplication({
    counters: { lease: failing, giveBack: failing, admitIdentity: failing },
  })
  const { mintApiKey, hashApiKey, hintOf } =
    await import("../../packages/server/src/accounts/api-key.ts")
  const key = mintApiKey()
  const at = Date.now()
  const tenant = await app.records.createTenant({ name: "free", plan: "free", at, actor: "test" })
  await app.records.createKey({
    id: "key_free",
    tenantId: tenant.id,
    hash: hashApiKey(key),
    hint: hintOf(key),
    label: "",
    scopes: ["score"],
    at,
    expiresAt: null,
    actor: "test",
  })
  assert.equal((await app.score("a@mail.example", key)).status, 200)
  assert.match(await app.metrics(), /assay_limits_failed_open_total 1/)
  await app.close()
})

test("usage that cannot be written is kept and written by a later flush", async () => {
  const directory = join(temporary, "usage.sqlite")
  const records = await openSqliteRecords({ file: directory })
  await records.migrate()
  const at = Date.now()
  const tenant = await records.createTenant({ name: "t", plan: "enterprise", at, actor: "test" })
  await records.createKey({
    id: "key_1",
    tenantId: tenant.id,
    hash: new Uint8Array(32),
    hint: "",
    label: "",
    scopes: [],
    at,
    expiresAt: null,
    actor: "test",
  })
  let away = true
  const usage = openUsage(
    {
      addUsage: async (rows) => (away ? Promise.reject(new Error("away")) : records.addUsage(rows)),
    },
    Date.now,
    openLog("error"),
  )
  usage.count("key_1", "email")
  await usage.flush()
  usage.count("key_1", "email")
  away = false
  await usage.flush()
  await usage.flush()
  const day = new Date().toISOString().slice(0, 10)
  assert.deepEqual(
    (await records.usage({ from: day, to: day })).map(({ count }) => count),
    [2],
  )
  await records.close()
})

test("a directory that lost its index is refused, not served as empty", async () => {
  const data = join(temporary, "vanishing")
  const env = { NODE_ENV: "production", ASSAY_SECRET_IN_DATA: "true" }
  const service = await startService({ dataDirectory: data, env })
  await service.stop()
  renameSync(join(data, "index"), join(temporary, "taken-index"))
  await assert.rejects(startService({ dataDirectory: data, env }), /has lost its index/)
  renameSync(join(temporary, "taken-index"), join(data, "index"))
  await (await startService({ dataDirectory: data, env })).stop()
})
