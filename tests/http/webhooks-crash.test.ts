// Events go through a receiver that fails in every way, while the service is killed again and
// again: each arrives at least once, in order for its identity, and nothing is left in the outbox.
import assert from "node:assert/strict"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { test, type TestContext } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import type { EventList, NewWebhook, WebhookReplayed } from "@assay/core/contract"
import {
  type Answer,
  isGenuine,
  type Received,
  startReceiver,
} from "../../packages/server/testing/webhooks/receiver.ts"
import { openSecrets } from "../../packages/runtime/src/secrets.ts"
import { eventId } from "../../packages/stores/src/event-id.ts"
import { openPostgresRecords } from "../../packages/stores/src/postgres/records.ts"
import type { Records } from "../../packages/stores/src/records.ts"
import type { NewEvent } from "../../packages/stores/src/records-events.ts"
import { testServerOrSkip } from "../../packages/stores/testing/postgres/test-server.ts"
import { openRecordsOf } from "./records-of.ts"
import { type Service, startService } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"

const soak = process.env["ASSAY_SOAK"] !== undefined
const [EVENTS, KILLS] = soak ? [10_000, 20] : [240, 2]
const IDENTITIES = 40
const PATH = "/api/v1/webhooks"
const TIMEOUT_SECONDS = 1
const LATE_MS = 3_000 * TIMEOUT_SECONDS
const KINDS = ["exposure.added", "risk.email.changed"]
const ALL_MS = soak ? 3_600_000 : 300_000

const temporary = temporaryDirectory()
const COUNTS = `${EVENTS} events survive ${KILLS} kills and a receiver that fails in every way`

test(`sqlite: ${COUNTS}`, { timeout: ALL_MS }, async (context) => {
  const dataDirectory = join(temporary, "sqlite")
  await survive(context, {
    start: () => startService({ dataDirectory, env: settings }),
    services: 1,
    openRecords: () => openRecordsOf(dataDirectory),
  })
})

test(`postgres, two services: ${COUNTS}`, { timeout: ALL_MS }, async (context) => {
  const postgres = await testServerOrSkip(context)
  if (postgres === null) return
  const url = await postgres.createDatabase()
  const secretFile = join(temporary, "secret")
  writeFileSync(secretFile, "5e".repeat(32), { mode: 0o600 })
  const env = { ...settings, DATABASE_URL: url, ASSAY_SECRET_FILE: secretFile }
  const directories = ["one", "other"].map((name) => join(temporary, `postgres-${name}`))
  await survive(context, {
    start(place) {
      const dataDirectory = directories[place] ?? assert.fail("there is no such service")
      return startService({ dataDirectory, env })
    },
    services: directories.length,
    openRecords: async () => {
      const { audit: auditKey } = openSecrets(secretFile, false).subkeys
      return await openPostgresRecords({ url, poolMax: 2, auditKey })
    },
  })
})

const settings = {
  ASSAY_WEBHOOK_RETRY_SECONDS: Array.from({ length: 20 }, () => "1").join(),
  ASSAY_WEBHOOK_TIMEOUT_SECONDS: String(TIMEOUT_SECONDS),
}

/** Answers of a receiver that is broken, one after the other. */
const busy = { "retry-after": "1" }
const FAILURES: readonly Answer[] = [
  500,
  "cut",
  { status: 429, headers: busy },
  "hang",
  { status: 503, headers: busy },
  302,
  // Slow, and so slow that the sender has given up, although the receiver took it.
  { status: 200, afterMs: 300 },
  { status: 200, afterMs: LATE_MS },
]

interface Given {
  /** Starts one of the services on these records. */
  readonly start: (place: number) => Promise<Service>
  readonly services: number
  readonly openRecords: () => Promise<Records>
}

async function survive(
  context: TestContext,
  { start, services: count, openRecords }: Given,
): Promise<void> {
  const gone: { event: string | null; isHeard: boolean } = { event: null, isHeard: false }
  const checked = { secret: "", forged: 0 }
  const receiver = await startReceiver((attempt, n) => {
    // As they come: a signature is good for five minutes.
    if (!isGenuine(attempt, checked.secret)) checked.forged++
    // Once it says that it is gone, and is enabled again below. Whoever asked may be killed before
    // that is noted, and then asks again: of a kind that no newer event replaces.
    if (n >= Math.floor(EVENTS / 4) && attempt.body.type === "exposure.added")
      gone.event ??= attempt.id
    if (attempt.id === gone.event && !gone.isHeard) return 410
    const failure = FAILURES[Math.floor(n / 9) % FAILURES.length] ?? 500
    return n % 9 === 4 ? failure : 200
  })
  // A test that failed would otherwise keep its process running.
  context.after(() => receiver.close())
  const services: Service[] = []
  // One after the other: the first makes the secret and the tables.
  for (let place = 0; place < count; place++) services.push(await start(place))
  const request: Service["request"] = async (...args) =>
    await (services[0] ?? assert.fail("no service runs")).request(...args)
  const made = await request(PATH, { json: { url: receiver.url, events: KINDS } })
  const { webhook, secret } = (await made.json()) as NewWebhook
  checked.secret = secret

  const records = await openRecords()
  context.after(() => records.close())
  const tenantId = (await records.tenantByName("demo"))?.id ?? assert.fail("no tenant")
  const pendingCount = async (): Promise<number> => (await records.pendingDeliveries()).count
  const begunAt = Date.now()
  const added = new Map<string, Step>()
  const add = async (from: number, to: number): Promise<void> => {
    const events = Array.from({ length: to - from }, (_, i) => event(tenantId, from + i))
    for (const each of events) added.set(each.id, each.data as unknown as Step)
    assert.equal(await records.addEvents(events), events.length)
  }
  const portion = Math.floor(EVENTS / (KILLS + 1))
  for (let kill = 0; kill < KILLS; kill++) {
    await add(kill * portion, (kill + 1) * portion)
    // At a random moment of the sending. Each second time the receiver dies as well.
    await delay(Math.random() * 1_000)
    const crash = kill % 2 === 0 ? receiver.crash(Math.random() * 2_000) : null
    const place = kill % count
    await services[place]?.kill()
    services[place] = await start(place)
    await crash
  }
  await add(KILLS * portion, EVENTS)

  const missing = async (): Promise<number> => {
    const arrived = new Set(receiver.received.filter(isTaken).map(({ id }) => id))
    for (const id of await replacedEvents(records, tenantId, webhook.id)) arrived.add(id)
    return [...added.keys()].filter((id) => !arrived.has(id)).length
  }
  const deadline = Date.now() + ALL_MS
  let replayed = 0
  for (;;) {
    assert.ok(Date.now() < deadline, "not all events arrived")
    const { disabled } =
      (await records.webhook({ tenantId, id: webhook.id })) ?? assert.fail("no webhook")
    if (disabled !== null) {
      gone.isHeard = true
      assert.deepEqual([disabled.reason, disabled.status], ["gone", 410])
      // What was sent before it was disabled may still be on its way.
      assert.equal(await pendingCount(), 0)
      assert.ok((await missing()) > 0, "what happened meanwhile waits for a replay")
      const enabled = { method: "PATCH", json: { enabled: true } }
      assert.equal((await request(`${PATH}/${webhook.id}`, enabled)).status, 200)
      const since = new Date(begunAt - 1_000).toISOString()
      const replay = { json: { since, per_second: 1_000 } }
      const answer = await request(`${PATH}/${webhook.id}/replay`, replay)
      assert.equal(answer.status, 202, `${await answer.clone().text()}\n${services[0]?.stderr()}`)
      replayed += ((await answer.json()) as WebhookReplayed).queued
    } else if ((await pendingCount()) === 0 && gone.isHeard) break
    await delay(250)
  }
  assert.equal(await missing(), 0, "events never arrived, and none replaced them")
  assert.ok(replayed > 0)
  assert.equal(checked.forged, 0)
  assertOneBodyEach(receiver.received, added)
  assertInOrder(receiver.received, added)

  // Its owner can read that and why it was disabled.
  const page = await request("/api/v1/events?limit=100&types=webhook.disabled")
  assert.equal(page.status, 200, await page.clone().text())
  const { events: notices } = (await page.json()) as EventList
  assert.deepEqual(
    notices.map(({ type, data }) => [type, (data as { reason: string }).reason]),
    [["webhook.disabled", "gone"]],
  )
  // All of them are settled: nothing is sent after a restart either.
  const count200 = receiver.received.length
  for (const [place, service] of services.entries()) {
    assert.equal(await service.stop(), 0)
    services[place] = await start(place)
  }
  await delay(1_000)
  assert.equal(receiver.received.length, count200, "a restart repeated something")
  assert.equal(await pendingCount(), 0)
  for (const service of services) assert.equal(await service.stop(), 0)
}

interface Step {
  readonly identity: number
  readonly step: number
}

const isTaken = ({ answered }: { readonly answered: number }): boolean => answered === 200

/**
 * Every identity in turn: exposures, and between them changes of risk, which replace each other.
 */
function event(tenantId: number, n: number): NewEvent {
  const identity = n % IDENTITIES
  const step = Math.floor(n / IDENTITIES)
  return {
    id: eventId(),
    tenantId,
    kind: step % 2 === 0 ? "exposure.added" : "risk.email.changed",
    at: Date.now(),
    ref: `r${identity}`,
    identityKey: new Uint8Array(16).fill(identity + 1),
    sealed: null,
    data: { identity, step },
  }
}

/** What arrives more than once is the same, under the same id. */
function assertOneBodyEach(
  received: readonly Received[],
  added: ReadonlyMap<string, unknown>,
): void {
  const texts = new Map<string, string>()
  let repeated = 0
  for (const { id, text } of received) {
    assert.ok(added.has(id), "an event arrived that nobody added")
    const before = texts.get(id)
    if (before !== undefined) repeated++
    assert.equal(before ?? text, text)
    texts.set(id, text)
  }
  assert.ok(repeated > 0, "failures are sent again")
}

/** The first arrival of each event comes after those before it, for every identity. */
function assertInOrder(received: readonly Received[], added: ReadonlyMap<string, Step>): void {
  const seen = new Map<number, number>()
  const first = new Set<string>()
  for (const { id, answered } of received) {
    const of = added.get(id)
    if (of === undefined || first.has(id) || !isTaken({ answered })) continue
    first.add(id)
    assert.ok((seen.get(of.identity) ?? -1) < of.step, "an older event came after a newer one")
    seen.set(of.identity, of.step)
  }
}

/** The ids of events that gave way to newer ones. */
async function replacedEvents(
  records: Records,
  tenantId: number,
  webhookId: string,
): Promise<string[]> {
  const found: string[] = []
  for (let before: number | undefined; ;) {
    const page = await records.deliveries({
      ...{ tenantId, webhookId, status: "replaced", limit: 1_000 },
      ...(before !== undefined && { before }),
    })
    found.push(...page.map(({ event: { id } }) => id))
    before = page.at(-1)?.event.seq
    if (page.length < 1_000) return found
  }
}
