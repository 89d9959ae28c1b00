import assert from "node:assert/strict"
import { createPublicKey, verify } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import type { EventKind } from "@assay/core/contract"
import { openGuardedPosts } from "@assay/runtime/outbound/guarded-post"
import { readAddressRange } from "@assay/runtime/outbound/address-guard"
import { deriveSecrets } from "@assay/runtime/secrets"
import { eventId } from "@assay/stores/event-id"
import type { Records } from "@assay/stores/records"
import type { NewEvent } from "@assay/stores/records-events"
import { openSqliteRecords } from "@assay/stores/sqlite/records"
import { auditKey } from "@assay/stores/testing/audit-key"
import { recordsDatabases } from "@assay/stores/testing/postgres/records-databases"
import { startTestServer } from "@assay/stores/testing/postgres/test-server"
import type { TestDatabase } from "@assay/stores/testing/records-suite"
import { isGenuine, type Received, startReceiver } from "../../testing/webhooks/receiver.ts"
import { openSealedIdentities } from "../accounts/sealed-identity.ts"
import { type Deliverer, openDeliverer } from "./deliverer.ts"
import { openWebhooksWriter, type WebhookKeeper } from "./webhooks.ts"

const KINDS: EventKind[] = ["exposure.added", "risk.email.changed"]
const { subkeys } = deriveSecrets(new Uint8Array(32).fill(7))
const allowed = [readAddressRange("127.0.0.1")].flatMap((range) => range ?? [])
const by = { actor: "test", requestId: "r1" }

interface Given {
  readonly records: Records
  readonly keeper: WebhookKeeper
  readonly tenantId: number
  readonly open: () => Promise<Records>
  /** One more of them, over an opening of its own. */
  readonly start: (retryMs?: readonly number[]) => Promise<Deliverer>
}

const folder = mkdtempSync(join(tmpdir(), "assay-deliverer-"))
after(() => rmSync(folder, { recursive: true }))
const server = await startTestServer().catch((error: unknown) => {
  if (process.env["CI"] === "true") throw error
  return null
})
if (server === null) test("postgres", { skip: "no PostgreSQL on this machine" }, () => {})

const databases = server && recordsDatabases(server)
let files = 0
const engines: Record<string, () => Promise<Pick<TestDatabase, "open" | "over">>> = {
  sqlite: async () => {
    const file = join(folder, `records-${++files}.db`)
    return { open: () => openSqliteRecords({ file, auditKey }) }
  },
  ...(databases && { postgres: () => databases.next() }),
}
after(async () => {
  await databases?.end()
  await server?.stop()
})

function onEngines(name: string, body: (given: Given) => Promise<void>): void {
  for (const [engine, newDatabase] of Object.entries(engines))
    test(`${engine}: ${name}`, async () => {
      const database = await newDatabase()
      const opened: Records[] = []
      const deliverers: Deliverer[] = []
      const openOne = async (): Promise<Records> => {
        const records = await database.open()
        opened.push(records)
        return records
      }
      const start = async (retryMs: readonly number[] = [50, 50, 50]): Promise<Deliverer> => {
        const deliverer = openDeliverer({
          outbox: await openOne(),
          posts: openGuardedPosts({ allowed, timeoutMs: 2_000, bodyBytesMax: 100 }),
          ...{ subkeys, retryMs, timeoutMs: 2_000, version: "0", now: Date.now },
          countAttempt: () => undefined,
          failed: (error) => assert.fail(String(error)),
        })
        deliverers.push(deliverer)
        return deliverer
      }
      try {
        const records = await openOne()
        await records.migrate()
        const tenant = { name: "Acme", plan: "enterprise", at: Date.now(), actor: "test" }
        const { id: tenantId } = await records.createTenant(tenant)
        const first = await start()
        const secrets = { subkeys }
        const deliveries = { ...first, begin: async () => undefined }
        const keeper = await openWebhooksWriter({ records, deliveries, secrets, now: Date.now })
        await body({ records, keeper, tenantId, open: openOne, start })
      } finally {
        await Promise.all(deliverers.map((each) => each.stop()))
        await Promise.all(opened.map((each) => each.close()))
      }
      database.over?.()
    })
}

function event(tenantId: number, changes: Partial<NewEvent> = {}): NewEvent {
  return {
    ...{ id: eventId(), tenantId, kind: "exposure.added", at: Date.now(), ref: "r1" },
    ...{ identityKey: null, sealed: null, data: { ref: "r1" }, ...changes },
  }
}

async function made(
  { keeper, tenantId }: Given,
  url: string,
  changes: { kinds?: EventKind[]; withKeyPair?: boolean } = {},
): Promise<{ id: string; secret: string; publicKey: string | null }> {
  const asked = { url, description: "", kinds: KINDS, withKeyPair: false, ...changes }
  const created = await keeper.create({ ...by, tenantId, ...asked })
  assert.ok(typeof created === "object")
  return { id: created.webhook.id, secret: created.secret, publicKey: created.publicKey }
}

/** Waits until a webhook's deliveries have these states, the oldest first. */
async function settled({ records, tenantId }: Given, webhookId: string, due: string[]) {
  const deadline = Date.now() + 30_000
  for (;;) {
    const page = await records.deliveries({ tenantId, webhookId, limit: 1_000 })
    const states = page.map(({ status }) => status).toReversed()
    if (states.join() === due.join()) return page.toReversed()
    assert.ok(Date.now() < deadline, `${states.join()} instead of ${due.join()}`)
    await delay(20)
  }
}

onEngines("an event arrives as the stock library wants it, signed by v1 and v1a", async (given) => {
  const receiver = await startReceiver()
  const { records, tenantId } = given
  const { id, secret, publicKey } = await made(given, `${receiver.url}/a?b=c`, {
    withKeyPair: true,
  })
  const identity = "+61491570156"
  const sealed = openSealedIdentities(subkeys["sealed-identity"]).seal(identity, tenantId)
  const told = event(tenantId, { sealed })
  await records.addEvents([told])
  const [attempt] = await receiver.until(1)
  assert.ok(attempt !== undefined)
  assert.equal(attempt.path, "/a?b=c")
  assert.equal(attempt.id, told.id)
  assert.deepEqual(attempt.body, {
    type: "exposure.added",
    timestamp: new Date(told.at).toISOString(),
    data: { ref: "r1", identity },
  })
  assert.ok(isGenuine(attempt, secret))
  assert.ok(!isGenuine({ ...attempt, text: `${attempt.text} ` }, secret))
  assert.ok(!isGenuine(attempt, `whsec_${Buffer.alloc(32).toString("base64")}`))
  // By the key set that anybody can read.
  const [key] = await records.webhookKeys(Date.now())
  assert.equal(publicKey, `whpk_${Buffer.from(key?.publicKey ?? []).toString("base64")}`)
  const x = Buffer.from(key?.publicKey ?? []).toString("base64url")
  const jwk = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" })
  const timestamp = String(attempt.headers["webhook-timestamp"])
  const content = Buffer.from(`${attempt.id}.${timestamp}.${attempt.text}`)
  const signature = /v1a,(\S+)/.exec(String(attempt.headers["webhook-signature"]))?.[1] ?? ""
  assert.ok(verify(null, content, jwk, Buffer.from(signature, "base64")))
  assert.ok(!verify(null, Buffer.concat([content, content]), jwk, Buffer.from(signature, "base64")))
  const [delivery] = await settled(given, id, ["delivered"])
  assert.equal(delivery?.attempt, 0)
  const [logged] = await records.attempts({ deliveryId: delivery.id, limit: 10 })
  assert.deepEqual([logged?.status, logged?.error, logged?.cause], [204, null, "schedule"])
  await receiver.close()
})

onEngines(
  "failures are retried with the same id, signed anew by all live secrets",
  async (given) => {
    const answers = [500, "cut", 429] as const
    const receiver = await startReceiver((_, n) => answers[n] ?? 200)
    const { records, tenantId, keeper } = given
    const { id, secret: old } = await made(given, receiver.url)
    await records.addEvents([event(tenantId)])
    await receiver.until(1)
    const rotated = await keeper.rotate({ ...by, tenantId, id, overlapMs: 3_600_000 })
    assert.ok(typeof rotated === "object")
    const attempts = await receiver.until(4)
    await settled(given, id, ["delivered"])
    assert.equal(new Set(attempts.map((each) => each.id)).size, 1)
    const last = attempts[3] as Received
    assert.ok(isGenuine(last, old) && isGenuine(last, rotated.secret))
    // Without an overlap the old one is over at once.
    const again = await keeper.rotate({ ...by, tenantId, id, overlapMs: 0 })
    assert.ok(typeof again === "object")
    await records.addEvents([event(tenantId)])
    const newest = (await receiver.until(5))[4] as Received
    assert.ok(isGenuine(newest, again.secret))
    assert.ok(!isGenuine(newest, old) && !isGenuine(newest, rotated.secret))
    assert.deepEqual([rotated.publicKey, again.publicKey], [null, null])
    // A key pair comes with a rotation, and with every one after it.
    const paired = await keeper.rotate({ ...by, tenantId, id, overlapMs: 0, withKeyPair: true })
    const later = await keeper.rotate({ ...by, tenantId, id, overlapMs: 0 })
    assert.ok(typeof paired === "object" && typeof later === "object")
    assert.match(paired.publicKey ?? "", /^whpk_/)
    assert.match(later.publicKey ?? "", /^whpk_/)
    assert.deepEqual((await records.webhook({ tenantId, id }))?.schemes, ["v1", "v1a"])
    await records.addEvents([event(tenantId)])
    const both = (await receiver.until(6))[5] as Received
    assert.ok(isGenuine(both, later.secret))
    assert.match(String(both.headers["webhook-signature"]), /(?:^| )v1a,/)
    await receiver.close()
  },
)

onEngines("a receiver that is not there is retried", async (given) => {
  const gone = await startReceiver()
  await gone.close()
  const { records, tenantId } = given
  const { id } = await made(given, gone.url)
  await records.addEvents([event(tenantId)])
  const deadline = Date.now() + 30_000
  for (let tried = 0; tried < 1;) {
    const [delivery] = await records.deliveries({ tenantId, webhookId: id, limit: 1 })
    tried = delivery?.attempt ?? 0
    assert.ok(Date.now() < deadline)
    await delay(20)
  }
  const back = await startReceiver(() => 200, Number(new URL(gone.url).port))
  await settled(given, id, ["delivered"])
  const [delivery] = await records.deliveries({ tenantId, webhookId: id, limit: 1 })
  const attempts = await records.attempts({ deliveryId: delivery?.id ?? "", limit: 10 })
  assert.equal(attempts.at(-1)?.error, "not-reached")
  await back.close()
})

onEngines("a name that is not found is retried like the rest", async (given) => {
  const { records, tenantId } = given
  const { id } = await made(given, "https://no-such-name.invalid/")
  await records.addEvents([event(tenantId)])
  const [dead] = await settled(given, id, ["dead"])
  const attempts = await records.attempts({ deliveryId: dead?.id ?? "", limit: 10 })
  assert.deepEqual(
    attempts.map(({ error }) => error),
    Array.from({ length: 4 }, () => "name-not-found"),
  )
})

onEngines("what always fails is given up and disabled, and the owner is told", async (given) => {
  const failing = await startReceiver(() => ({ status: 500, body: "internal names" }))
  const notices = await startReceiver()
  const { records, tenantId, keeper } = given
  const { id } = await made(given, failing.url)
  await made(given, notices.url, { kinds: ["webhook.disabled"] })
  const lost = event(tenantId)
  await records.addEvents([lost])
  const [notice] = await notices.until(1)
  assert.equal(failing.received.length, 4)
  assert.deepEqual(notice?.body.data, {
    ...{ webhook_id: id, reason: "failing", event_id: lost.id, event_type: "exposure.added" },
    ...{ attempts: 4, last_status: 500, last_error: null },
  })
  const [dead] = await settled(given, id, ["dead"])
  assert.ok(dead !== undefined)
  // What an address of the operator's own network says is not shown.
  const [logged] = await records.attempts({ deliveryId: dead.id, limit: 1 })
  assert.equal(logged?.response, null)
  const events = await records.eventsAfter({ tenantId, after: 0, limit: 10 })
  assert.deepEqual(
    events.map(({ kind }) => kind),
    ["exposure.added", "webhook.disabled"],
  )

  // A single shot goes out all the same, once, and changes nothing.
  const place = { ...by, tenantId, id }
  const shot = await keeper.repeat({ ...place, deliveryId: dead.id })
  assert.deepEqual(typeof shot === "object" && [shot.status, shot.cause], [500, "replay"])
  const tested = await keeper.test(place)
  assert.deepEqual(typeof tested === "object" && [tested.status, tested.cause], [500, "test"])
  assert.equal(failing.received[4]?.id, lost.id)
  assert.equal(failing.received[5]?.body.type, "webhook.test")
  assert.equal((await records.webhook({ tenantId, id }))?.disabled?.eventId, lost.id)
  const replay = { ...place, since: 0, until: Date.now(), delivered: false, perSecond: 100 }
  assert.equal(await keeper.replay(replay), "disabled")

  // Enabled again, what it missed comes by a replay.
  await failing.close()
  const mended = await startReceiver(() => 200, Number(new URL(failing.url).port))
  const missed = event(tenantId)
  await records.addEvents([missed])
  await keeper.change({ ...place, enabled: true })
  assert.deepEqual(await keeper.replay({ ...replay, until: Date.now() }), { queued: 2 })
  // Events about nobody overtake each other.
  const arrived = await mended.until(2)
  assert.deepEqual(arrived.map((each) => each.id).sort(), [lost.id, missed.id].sort())
  await settled(given, id, ["delivered", "dead", "delivered"])
  await mended.close()
  await notices.close()
})

onEngines("410 disables at once, and is not retried", async (given) => {
  const receiver = await startReceiver(() => 410)
  const { records, tenantId } = given
  const { id } = await made(given, receiver.url)
  await records.addEvents([event(tenantId)])
  await settled(given, id, ["dead"])
  const webhook = await records.webhook({ tenantId, id })
  assert.deepEqual([webhook?.disabled?.reason, webhook?.disabled?.status], ["gone", 410])
  assert.equal(receiver.received.length, 1)
  await receiver.close()
})

onEngines("several senders share the work and keep the order of an identity", async (given) => {
  const { records, tenantId, start } = given
  const seen = new Map<string, number[]>()
  const failed = new Set<string>()
  const receiver = await startReceiver(({ body }, n) => {
    const { key, step } = body.data as { key: string; step: number }
    // Some fail, so that what is behind them has to wait; each once, or one may be given up.
    if (n % 7 === 3 && !failed.has(`${key} ${step}`)) {
      failed.add(`${key} ${step}`)
      return 500
    }
    seen.set(key, [...(seen.get(key) ?? []), step])
    return 200
  })
  const { id } = await made(given, receiver.url)
  await Promise.all([start(), start()])
  const events = Array.from({ length: 60 }, (_, n) => {
    const key = n % 6
    const identityKey = new Uint8Array(16).fill(key + 1)
    return event(tenantId, { identityKey, data: { key: String(key), step: Math.floor(n / 6) } })
  })
  await records.addEvents(events)
  await settled(
    given,
    id,
    events.map(() => "delivered"),
  )
  const steps = Array.from({ length: 10 }, (_, n) => n)
  for (const of of seen.values()) assert.deepEqual(of, steps)
  assert.equal(seen.size, 6)
  await receiver.close()
})

onEngines("a receiver that says when is not asked sooner", async (given) => {
  const receiver = await startReceiver((_, n) =>
    n === 0 ? { status: 429, headers: { "retry-after": "2" } } : 200,
  )
  const { records, tenantId } = given
  const { id } = await made(given, receiver.url)
  await records.addEvents([event(tenantId)])
  await receiver.until(1)
  await delay(100)
  await records.addEvents([event(tenantId)])
  const [first] = await records
    .deliveries({ tenantId, webhookId: id, limit: 2 })
    .then((page) => page.toReversed())
  assert.ok((first?.nextAt ?? 0) - (first?.lastAt ?? 0) >= 2_000)
  await settled(given, id, ["delivered", "delivered"])
  const [again] = await records.deliveries({ tenantId, webhookId: id, limit: 1 })
  assert.ok((again?.lastAt ?? 0) - (first?.lastAt ?? 0) >= 2_000, "nor for another event")
  await receiver.close()
})
