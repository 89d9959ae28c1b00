// Events go through a receiver that fails in every way, while the service is killed again and again:
// each arrives at least once, in order for its identity, and nothing is left in the outbox.
import assert from "node:assert/strict"
import { join } from "node:path"
import { test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import type { NewWebhook } from "@assay/core/contract"
import {
  type Answer,
  isGenuine,
  startReceiver,
} from "../../packages/server/testing/webhooks/receiver.ts"
import { eventId } from "../../packages/stores/src/event-id.ts"
import type { Records } from "../../packages/stores/src/records.ts"
import type { NewEvent } from "../../packages/stores/src/records-events.ts"
import { openRecordsOf } from "./records-of.ts"
import { type Service, startService } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"

const soak = process.env["ASSAY_SOAK"] !== undefined
const [EVENTS, KILLS] = soak ? [10_000, 20] : [240, 2]
const IDENTITIES = 40
const PATH = "/api/v1/webhooks"

interface Step {
  readonly identity: number
  readonly step: number
}

test(`${EVENTS} events survive ${KILLS} kills and a receiver that fails in every way`, async () => {
  const dataDirectory = join(temporaryDirectory(), "data")
  const env = {
    ASSAY_WEBHOOK_RETRY_SECONDS: Array.from({ length: 20 }, () => "1").join(),
    ASSAY_WEBHOOK_TIMEOUT_SECONDS: "1",
  }
  const start = (): Promise<Service> =>
    startService({ dataDirectory, env, args: ["--workers", "1"] })
  const failures: readonly Answer[] = [500, "cut", 429, "hang", 503, 302]
  let sawGone = false
  const receiver = await startReceiver((_, n) => {
    // Once in the middle it says that it is gone, and is enabled again below.
    if (n === Math.floor(EVENTS / 2)) {
      sawGone = true
      return 410
    }
    return n % 9 === 4 ? (failures[((n / 9) % failures.length) | 0] ?? 500) : 200
  })
  let service = await start()
  const json = { url: receiver.url, events: ["exposure.added", "risk.email.changed"] }
  const made = await service.request(PATH, { json })
  const { webhook, secret } = (await made.json()) as NewWebhook

  const records = await openRecordsOf(dataDirectory)
  const [tenant] = await records.tenants()
  const tenantId = tenant?.id ?? 0
  const begunAt = Date.now()
  const ids = new Map<string, Step>()
  const add = async (from: number, to: number): Promise<void> => {
    const events = Array.from({ length: to - from }, (_, i) => event(tenantId, from + i))
    for (const each of events) ids.set(each.id, each.data as unknown as Step)
    await records.addEvents(events)
  }
  const portion = Math.ceil(EVENTS / (KILLS + 1))
  for (let kill = 0; kill < KILLS; kill++) {
    await add(kill * portion, (kill + 1) * portion)
    // At a random moment of the sending.
    await delay(Math.random() * 1_000)
    await service.kill()
    service = await start()
  }
  await add(KILLS * portion, EVENTS)

  const missing = async (): Promise<string[]> => {
    const taken = new Set(receiver.received.filter(isTaken).map(({ id }) => id))
    const replaced = await statesOf(records, tenantId, webhook.id, "replaced")
    return [...ids.keys()].filter((id) => !taken.has(id) && !replaced.has(id))
  }
  const deadline = Date.now() + (soak ? 1_800_000 : 240_000)
  while ((await missing()).length > 0 || (await records.pendingDeliveries()).count > 0) {
    assert.ok(Date.now() < deadline, `${(await missing()).length} events never arrived`)
    const { disabled = null } = (await records.webhook({ tenantId, id: webhook.id })) ?? {}
    if (disabled !== null) {
      assert.ok(["gone", "failing"].includes(disabled.reason))
      await service.request(`${PATH}/${webhook.id}`, { method: "PATCH", json: { enabled: true } })
    }
    // Whatever it missed while it was disabled, and whatever was given up.
    const { count } = await records.pendingDeliveries()
    if (count === 0) {
      const since = new Date(begunAt - 1_000).toISOString()
      const replay = { json: { since, per_second: 1_000 } }
      const queued = await service.request(`${PATH}/${webhook.id}/replay`, replay)
      assert.ok([202, 409].includes(queued.status))
    }
    await delay(250)
  }
  assert.ok(sawGone, "the receiver said 410")
  assert.ok(receiver.received.every((each) => isGenuine(each, secret)))
  assert.ok(receiver.received.every(({ id }) => ids.has(id)))

  // The first arrival of each event comes after those before it, for every identity.
  const seen = new Map<number, number>()
  const first = new Set<string>()
  for (const { id, answered } of receiver.received) {
    const of = ids.get(id)
    if (of === undefined || first.has(id) || !isTaken({ answered })) continue
    first.add(id)
    assert.ok((seen.get(of.identity) ?? -1) < of.step, "an older event came after a newer one")
    seen.set(of.identity, of.step)
  }
  assert.equal((await records.pendingDeliveries()).count, 0)
  await records.close()
  await service.stop()
  await receiver.close()
})

const isTaken = ({ answered }: { readonly answered: number }): boolean => answered === 200

/** Every identity in turn: exposures, and between them changes of risk, which replace each other. */
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

async function statesOf(
  records: Records,
  tenantId: number,
  webhookId: string,
  status: "replaced",
): Promise<Set<string>> {
  const found = new Set<string>()
  for (let before: number | undefined; ;) {
    const page = await records.deliveries({
      ...{ tenantId, webhookId, status, limit: 1_000 },
      ...(before !== undefined && { before }),
    })
    for (const { event: of } of page) found.add(of.id)
    before = page.at(-1)?.event.seq
    if (page.length < 1_000) return found
  }
}
