// Every kind of event is made by the real service, each by what it tells of.
import assert from "node:assert/strict"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { EVENT_KINDS, type EventKind, type EventList, EVENTS } from "@assay/core/contract"
import { Value } from "typebox/value"
import { closed } from "../../packages/core/testing/closed.ts"
import { HOUR_MS } from "../../packages/runtime/src/time.ts"
import { assay, createKey } from "../cli/assay.ts"
import { combolist, emailAt } from "../cli/corpus.ts"
import { openRecordsOf } from "./records-of.ts"
import { type Service, startService } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"

const temporary = temporaryDirectory()
const data = join(temporary, "data")
const env = { ASSAY_DATA: data }

/** Need a receiver that fails, which these tests of the real service have. */
const SHOWN_IN: Partial<Record<EventKind, string>> = {
  "webhook.disabled": "webhooks.test.ts",
  "webhook.test": "webhooks.test.ts",
}

async function command(...args: string[]): Promise<string> {
  const { code, out, err } = await assay(args, env)
  assert.equal(code, 0, err)
  return out.trim()
}

const hourOf = (ms: number): number => new Date(ms).getUTCHours()

/** The digest of the drop is made in its hour, and so at a start within it. */
async function startInHour(): Promise<{ service: Service; hour: number }> {
  const hour = hourOf(Date.now())
  const service = await startService({
    dataDirectory: data,
    args: ["--workers", "2"],
    drop: true,
    env: { DROP_DIGEST_HOUR: String(hour) },
  })
  return { service, hour }
}

async function eventsOf(service: Service, key: string): Promise<EventList["events"]> {
  const response = await service.request("/api/v1/events", { key })
  assert.equal(response.status, 200)
  return ((await response.json()) as EventList).events
}

test("every kind of event is made, and fits its schema", async () => {
  const first = await startService({ dataDirectory: data })
  const all = ["--plan", "enterprise", "--scopes", "all"]
  const key = await createKey(first, "--tenant", "one", ...all)
  const poor = await createKey(first, "--tenant", "poor", "--plan", "free")
  const reading = ["--service", "--scopes", "events:admin", "--expires", "1d"]
  const ofService = await createKey(first, ...reading)
  await first.stop()
  // A month that is used up before the service starts.
  const records = await openRecordsOf(data)
  const poorId = (await records.tenantByName("poor"))?.id ?? 0
  const [poorKey] = await records.keys({ tenantId: poorId })
  const day = new Date().toISOString().slice(0, 10)
  await records.addUsage([{ keyId: poorKey?.id ?? "", day, operation: "email", count: 1_000 }])
  await records.close()
  const file = combolist(join(temporary, "leak.txt"), 50)

  let { service, hour } = await startInHour()
  const phone = "+61491570111"
  const watching = await service.request("/api/v1/watchlist", {
    key,
    json: { emails: [emailAt(1)], phone_numbers: [phone] },
  })
  assert.equal(watching.status, 200, await watching.text())
  for (;;) {
    const list = await service.request("/api/v1/watchlist", { key })
    const { items } = (await list.json()) as { items: { risk: unknown }[] }
    if (items.every(({ risk }) => risk !== null)) break
    await delay(100)
  }
  await command("corpus", "import", file, "--source", "forum", "--kind", "breach")
  const empty = join(temporary, "empty-zqxjkv.txt")
  writeFileSync(empty, "nothing that could be read\n")
  const failing = await assay(["corpus", "import", empty, "--source", "other"], env)
  assert.notEqual(failing.code, 0)
  const hourAgo = new Date(Date.now() - HOUR_MS).toISOString()
  const sent = await service.request("/api/v1/evidence", {
    key,
    json: [{ phone_number: phone, kind: "sim_change", source: "carrier", observed_at: hourAgo }],
  })
  assert.match(await sent.text(), /"status":"stored"/)
  const blocked = await service.request("/api/v1/risk/score", {
    key,
    json: { email: "sofia.rossi@mail.example" },
  })
  assert.equal(blocked.status, 200)
  for (let n = 0; n < 3; n++) {
    const refused = await service.request("/api/v1/risk/score", {
      key: poor,
      json: { email: emailAt(n) },
      headers: { connection: "close" },
    })
    assert.equal(refused.status, 429)
  }
  const extra = await withRecords(service, async (open) => await open.keys({ tenantId: poorId }))
  assert.equal(extra.length, 1)
  await command("keys", "rotate", extra[0]?.id ?? "", "--overlap", "1h")
  await command("keys", "revoke", extra[0]?.id ?? "")

  const wanted = EVENT_KINDS.filter((kind) => SHOWN_IN[kind] === undefined)
  let told: EventList["events"] = []
  for (let n = 0; ; n++) {
    told = [...(await eventsOf(service, key)), ...(await eventsOf(service, ofService))]
    const ofPoor = await withRecords(service, (open) =>
      open.eventsAfter({ tenantId: poorId, after: 0, limit: 100 }),
    )
    told.push(
      ...ofPoor.map(({ id, kind, at, data: said }) => ({
        ...{ id, type: kind, timestamp: new Date(at).toISOString() },
        data: said as Record<string, unknown>,
      })),
    )
    const missing = wanted.filter((kind) => !told.some(({ type }) => type === kind))
    if (missing.length === 0) break
    if (missing.includes("drop.digest") && hourOf(Date.now()) !== hour) {
      await service.stop()
      ;({ service, hour } = await startInHour())
    }
    assert.ok(n < 300, `never told: ${missing.join(", ")}`)
    await delay(100)
  }
  for (const { type, data: said } of told)
    assert.ok(Value.Check(closed(EVENTS[type as EventKind].data), said), JSON.stringify(said))
  const of = (kind: EventKind): EventList["events"] => told.filter(({ type }) => type === kind)
  // Two workers refused it thrice.
  assert.equal(of("key.quota_reached").length, 1)
  assert.deepEqual(of("key.quota_reached")[0]?.data["lookups_per_month"], 1_000)
  const [finished, ...more] = of("import.finished")
  assert.deepEqual(more, [])
  assert.equal(finished?.data["source"], "forum")
  assert.equal((finished.data["report"] as { imported: number }).imported, 50)
  assert.deepEqual(of("import.failed")[0]?.data["code"], "input")
  assert.ok(!JSON.stringify(told).includes("zqxjkv"), "an event names a file or an identity")
  const [digest] = of("drop.digest")
  assert.deepEqual(digest?.data, { new_messages: "none", went_unread: "000000" })
  assert.match(digest.timestamp, /T\d\d:00:00\.000Z$/)
  await service.stop()
})

test("kinds that are shown elsewhere are named there", () => {
  for (const [kind, file] of Object.entries(SHOWN_IN))
    assert.ok(readFileSync(join(import.meta.dirname, file), "utf8").includes(kind), kind)
})

async function withRecords<T>(
  { dataDirectory }: Service,
  read: (records: Awaited<ReturnType<typeof openRecordsOf>>) => Promise<T>,
): Promise<T> {
  const records = await openRecordsOf(dataDirectory)
  return await read(records).finally(() => records.close())
}
