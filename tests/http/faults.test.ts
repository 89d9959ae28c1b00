import assert from "node:assert/strict"
import { renameSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { mintedKey } from "./minted-key.ts"
import { openApplication } from "./application.ts"
import { startService } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"
import { openUsage } from "../../packages/server/src/accounts/usage.ts"
import { openLog } from "../../packages/runtime/src/log.ts"
import { embeddedCounters } from "../../packages/stores/src/embedded/counters.ts"
import { openLmdbIndex } from "../../packages/stores/src/lmdb/exposure-index.ts"
import { openSqliteRecords } from "../../packages/stores/src/sqlite/records.ts"
import { DAY_MS } from "../../packages/runtime/src/time.ts"

const temporary = temporaryDirectory()

test("an index that cannot be read is 503 and not ready, never CLEAN", async () => {
  const app = await openApplication()
  assert.equal((await app.score("sofia.rossi@mail.example")).body["threat_stage"], "ATTACKED")
  assert.equal(await app.get("/readyz"), 200)
  assert.equal(await app.get("/api/v1/sources", app.key), 200)
  await app.index.close()
  assert.equal(await app.get("/api/v1/sources", app.key), 503)
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
      lookupInTurn: (...args) => (random() < 0.4 ? broken : index).lookupInTurn(...args),
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

test("while the records are away, a known key is honoured for a minute and not longer, wherever the clock is set to", async () => {
  let elapsedMs = 0
  const app = await openApplication({ elapsed: () => elapsedMs })
  assert.equal((await app.score("a@mail.example")).status, 200)
  await app.records.close()
  elapsedMs += 30_000
  app.clock.ms += 40 * DAY_MS
  assert.equal((await app.score("a@mail.example")).status, 200)
  assert.equal(await app.get("/readyz"), 503)
  elapsedMs += 40_000
  app.clock.ms -= 80 * DAY_MS
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
  // One request that failed for the error budget, and nothing of monitoring.
  assert.deepEqual(app.counted().kinds, [["score", 1, 0]])
  overloaded = false
  assert.equal((await app.score("sofia.rossi@mail.example")).status, 200)
  assert.deepEqual(app.counted().kinds, [["score", 1, 1]])
  await app.close()
})

test("counters that fail refuse a plan with limits and count that; a plan without is answered", async () => {
  const failing = async (): Promise<never> => Promise.reject(new Error("away"))
  const app = await openApplication({
    counters: {
      clock: async () => null,
      lease: failing,
      giveBack: failing,
      admitIdentity: failing,
      holdStreams: failing,
      velocity: failing,
    },
  })
  const { key } = await mintedKey(app.records, "free", "free")
  const refused = await app.score("a@mail.example", key)
  assert.deepEqual([refused.status, refused.body["code"]], [503, "limits-unavailable"])
  assert.equal(refused.headers["retry-after"], "1")
  assert.ok(!("risk_score" in refused.body))
  assert.match(await app.metrics(), /assay_limits_unavailable_total 1/)
  assert.equal((await app.score("a@mail.example")).status, 200)
  await app.close()
})

test("usage that cannot be written is kept and written by a later flush", async () => {
  const directory = join(temporary, "usage.sqlite")
  const records = await openSqliteRecords({ file: directory, auditKey: new Uint8Array(32) })
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

/** The answers of a batch or a stream, each as its stage or its problem's code. */
function outcomes(text: string): unknown[] {
  interface Item {
    readonly result?: { readonly threat_stage: string }
    readonly problem?: { readonly code: string }
  }
  const items = text.startsWith('{"results"')
    ? (JSON.parse(text) as { results: Item[] }).results
    : text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Item)
  return items.map(({ result, problem }) => result?.threat_stage ?? problem?.code)
}

for (const as of ["batch", "stream"] as const) {
  test(`in a ${as}, an index that fails midway fails those items alone, never as CLEAN`, async () => {
    const broken = await openLmdbIndex({ path: join(temporary, `broken-${as}`) })
    await broken.close()
    let lookups = 0
    const app = await openApplication({
      index: (index) => ({
        ...index,
        lookupInTurn: (...args) => (++lookups % 3 === 0 ? broken : index).lookupInTurn(...args),
      }),
    })
    const emails = Array<string>(99).fill("sofia.rossi@mail.example")
    const [status, text] = await app.scoreMany(emails, as)
    assert.equal(status, 200)
    assert.deepEqual(
      outcomes(text),
      emails.map((_, n) => (n % 3 === 2 ? "store-unavailable" : "ATTACKED")),
    )
    const lines = app.log.filter((line) => line.includes("store-unavailable"))
    assert.equal(lines.length, 2, "one line for the first fault and one for their number")
    assert.match(lines[1] ?? "", /"count":33/)
    await app.close()
  })
}

test("a batch of which nothing could be checked is 503 as a whole; a stream says so line by line", async () => {
  const app = await openApplication()
  await app.index.close()
  const emails = ["sofia.rossi@mail.example", "not an address", "nobody@mail.example"]
  const [status, text] = await app.scoreMany(emails, "batch")
  assert.equal(status, 503)
  assert.equal((JSON.parse(text) as { code: string }).code, "store-unavailable")
  assert.doesNotMatch(text, /CLEAN/)
  const [, lines] = await app.scoreMany(emails, "stream")
  assert.deepEqual(outcomes(lines), ["store-unavailable", "not-an-email", "store-unavailable"])
  const [refused, answers] = await app.scoreMany(["not an address"], "batch")
  assert.equal(refused, 200, "what was refused was evaluated as far as it could be")
  assert.deepEqual(outcomes(answers), ["not-an-email"])
  await app.close()
})

test("counters that fail leave velocity unknown, never zero: a score with less coverage, and that is counted", async () => {
  const failing = async (): Promise<never> => Promise.reject(new Error("away"))
  const counters = embeddedCounters({ now: Date.now, elapsed: () => performance.now() })
  let away = false
  const app = await openApplication({
    counters: {
      ...counters,
      velocity: (event) => (away ? failing() : counters.velocity(event)),
    },
  })
  const context = { event: "sign-up", device_id: "d", anomaly: 1 }
  const known = await app.score("a@mail.example", undefined, context)
  away = true
  const unknown = await app.score("a@mail.example", undefined, context)
  assert.deepEqual([known.status, unknown.status], [200, 200])
  assert.deepEqual([known.body["confidence"], unknown.body["confidence"]], ["medium", "low"])
  assert.equal(unknown.body["risk_score"], known.body["risk_score"])
  assert.match(await app.metrics(), /assay_velocity_failed_total 1\n/)
  assert.match(app.log.join(""), /velocity could not be asked for/)
  await app.close()
})
