import assert from "node:assert/strict"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { after, beforeEach, test } from "node:test"
import { HOUR_MS } from "@assay/runtime/time"
import { openTrialCarrier } from "./open-trial-carrier.ts"
import { NO_DEFINITIONS, openDefinitions } from "../testing/test-definitions.ts"
import { callApi, type RawAnswer, tokenFor } from "../testing/test-trial-session.ts"
import { makeTrialClient } from "./trial-client.ts"

const NUMBER = "+61491570006"
const SUBSCRIPTIONS = "/sim-swap-subscriptions/v0.3/subscriptions"
const SCOPES =
  "sim-swap-subscriptions:org.camaraproject.sim-swap-subscriptions.v0.swapped:create sim-swap-subscriptions:read sim-swap-subscriptions:delete"

interface Notification {
  readonly authorization: string | undefined
  readonly contentType: string | undefined
  readonly event: {
    readonly id: string
    readonly type: string
    readonly time: string
    readonly data: Readonly<Record<string, string>>
  }
}

const received: Notification[] = []
/** What the sink answers to the next requests; 204 when there is nothing left. */
const statuses: number[] = []
const sink = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on("data", (part: Buffer) => parts.push(part))
  request.on("end", () => {
    const { authorization, "content-type": contentType } = request.headers
    const event = JSON.parse(Buffer.concat(parts).toString()) as Notification["event"]
    received.push({ authorization, contentType, event })
    const status = statuses.shift() ?? 204
    if (status === 0) request.socket.destroy()
    else response.writeHead(status).end()
  })
})
await new Promise<void>((resolve) => void sink.listen(0, "127.0.0.1", resolve))
const sinkUrl = `http://127.0.0.1:${(sink.address() as AddressInfo).port}/notifications`

const [bank, shop] = [await makeTrialClient("bank"), await makeTrialClient("shop")]
const clock = { aheadMs: 0 }
const now = (): number => Date.now() + clock.aheadMs
const carrier = await openTrialCarrier({
  clients: [bank.client, shop.client],
  now,
  retryWaitsMs: [1, 1],
})
const token = await tokenFor(carrier, bank, SCOPES)
after(async () => {
  await carrier.close()
  sink.close()
  sink.closeAllConnections()
})

const inHours = (hours: number): string => new Date(now() + hours * HOUR_MS).toISOString()
const swap = (hoursAgo: number): void =>
  carrier.script(NUMBER, { sim: { changed_at: inHours(-hoursAgo) } })

async function subscribe(config: object = {}, credential: object = {}): Promise<RawAnswer> {
  return await callApi(carrier, "POST", SUBSCRIPTIONS, token, {
    protocol: "HTTP",
    sink: sinkUrl,
    sinkCredential: {
      credentialType: "ACCESSTOKEN",
      accessToken: "sink-token",
      accessTokenExpiresUtc: inHours(24),
      accessTokenType: "bearer",
      ...credential,
    },
    types: ["org.camaraproject.sim-swap-subscriptions.v0.swapped"],
    config: { subscriptionDetail: { phoneNumber: NUMBER }, ...config },
  })
}

const idOf = ({ body }: RawAnswer): string => (body as { id: string }).id
const words = (): (string | undefined)[] =>
  received.map(({ event }) => event.data["terminationReason"] ?? event.type.split(".").at(-1))

beforeEach(async () => {
  clock.aheadMs = 0
  const { body } = await callApi(carrier, "GET", SUBSCRIPTIONS, token)
  for (const { id } of body as { id: string }[])
    await callApi(carrier, "DELETE", `${SUBSCRIPTIONS}/${id}`, token)
  carrier.script(NUMBER, {})
  await carrier.notified()
  received.length = 0
  statuses.length = 0
})

test("a SIM that changes by script is told to the sink, with its token and the time of the change", async () => {
  const subscriptionId = idOf(await subscribe())
  swap(2)
  await carrier.notified()
  const [notice, ...more] = received
  assert.deepEqual(more, [])
  assert.equal(notice?.authorization, "Bearer sink-token")
  assert.equal(notice.contentType, "application/cloudevents+json")
  assert.deepEqual(notice.event.data, { phoneNumber: NUMBER, subscriptionId })
  assert.ok(Math.abs(Date.parse(notice.event.time) - (now() - 2 * HOUR_MS)) < 60_000)
  // A swap before the last one is no news, and neither is another number's.
  swap(3)
  carrier.script("+61491570156", { sim: { changed_at: inHours(0) } })
  await carrier.notified()
  assert.equal(received.length, 1)
  swap(1)
  await carrier.notified()
  assert.equal(received.length, 2)
  assert.notEqual(received[1]?.event.id, notice.event.id)
})

test(
  "what is told fits the definition",
  { skip: process.env["ASSAY_CAMARA_SPECS"] === undefined && NO_DEFINITIONS },
  async () => {
    const { notificationFaults } = openDefinitions(process.env["ASSAY_CAMARA_SPECS"] ?? "")
    await subscribe({ subscriptionMaxEvents: 1 })
    swap(2)
    await carrier.notified()
    assert.deepEqual(words().sort(), ["MAX_EVENTS_REACHED", "swapped"])
    for (const { event } of received) assert.deepEqual(notificationFaults(event), [])
  },
)

test("a sink that fails is tried again with the same event, and one that refuses is not", async () => {
  await subscribe()
  statuses.push(503, 0)
  swap(3)
  await carrier.notified()
  assert.equal(received.length, 3)
  assert.equal(new Set(received.map(({ event }) => event.id)).size, 1)
  statuses.push(500, 500, 500)
  swap(2)
  await carrier.notified()
  assert.equal(received.length, 6)
  statuses.push(401)
  swap(1)
  await carrier.notified()
  assert.equal(received.length, 7)
})

test("a subscription ends by its events, its time, its token's time or its removal, and says why", async () => {
  await subscribe({ subscriptionMaxEvents: 1 })
  swap(2)
  await carrier.notified()
  assert.deepEqual(words().sort(), ["MAX_EVENTS_REACHED", "swapped"])

  await subscribe({ subscriptionExpireTime: inHours(2) })
  clock.aheadMs = 3 * HOUR_MS
  swap(1)
  await carrier.notified()
  assert.equal(words().at(-1), "SUBSCRIPTION_EXPIRED")
  clock.aheadMs = 0

  await subscribe({}, { accessTokenExpiresUtc: inHours(2) })
  clock.aheadMs = 3 * HOUR_MS
  swap(0)
  await carrier.notified()
  assert.equal(words().at(-1), "ACCESS_TOKEN_EXPIRED")
  clock.aheadMs = 0

  const id = idOf(await subscribe())
  assert.equal((await callApi(carrier, "DELETE", `${SUBSCRIPTIONS}/${id}`, token)).status, 204)
  await carrier.notified()
  assert.equal(words().at(-1), "SUBSCRIPTION_DELETED")
  assert.equal(received.length, 5)
})

test("a client sees and removes its own subscriptions only", async () => {
  const id = idOf(await subscribe())
  const stranger = await tokenFor(carrier, shop, SCOPES)
  assert.deepEqual((await callApi(carrier, "GET", SUBSCRIPTIONS, stranger)).body, [])
  const path = `${SUBSCRIPTIONS}/${id}`
  assert.equal((await callApi(carrier, "GET", path, stranger)).status, 404)
  assert.equal((await callApi(carrier, "DELETE", path, stranger)).status, 404)
  assert.equal((await callApi(carrier, "GET", path, token)).status, 200)
})

test("a fault in telling that a subscription was removed has nothing to break, and it is removed", async () => {
  const path = `${SUBSCRIPTIONS}/${idOf(await subscribe())}`
  carrier.scriptAll({ faults: [{ api: "subscriptions", kind: "wrong_types", times: 1 }] })
  assert.equal((await callApi(carrier, "DELETE", path, token)).status, 204)
  assert.equal((await callApi(carrier, "GET", path, token)).status, 404)
  carrier.scriptAll({})
})

test("a subscription that is answered with an error was not made", async () => {
  carrier.script(NUMBER, {
    faults: [{ api: "subscriptions", kind: "error", status: 429, code: "QUOTA_EXCEEDED" }],
  })
  assert.equal((await subscribe()).status, 429)
  assert.deepEqual((await callApi(carrier, "GET", SUBSCRIPTIONS, token)).body, [])
})
