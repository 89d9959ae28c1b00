import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { after, before, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import type {
  DeliveryAttempt,
  DeliveryDetails,
  DeliveryList,
  NewWebhook,
  ProblemDetails,
  WebhookKeys,
  WebhookList,
} from "@assay/core/contract"
import { privateSpellings } from "../../packages/runtime/testing/private-spellings.ts"
import { isGenuine, startReceiver } from "../../packages/server/testing/webhooks/receiver.ts"
import { eventId } from "../../packages/stores/src/event-id.ts"
import { assayProgram } from "../../scripts/program.ts"
import { bareEnvironment } from "./bare-environment.ts"
import { openRecordsOf } from "./records-of.ts"
import { type Service, startService } from "./service.ts"

const PATH = "/api/v1/webhooks"
const kinds = ["exposure.added"]

let service: Service
before(async () => {
  service = await startService({ args: ["--workers", "1"] })
})
after(() => service.stop())

async function made(json: object, to = service): Promise<NewWebhook> {
  const response = await to.request(PATH, { json })
  const text = await response.text()
  assert.equal(response.status, 201, text)
  return JSON.parse(text) as NewWebhook
}

async function read<T>(path: string): Promise<T> {
  const response = await service.request(path)
  assert.equal(response.status, 200)
  return (await response.json()) as T
}

/** An event of the demo's tenant, as another process would add it. */
async function happened(): Promise<string> {
  const records = await openRecordsOf(service.dataDirectory)
  const [tenant] = await records.tenants()
  const id = eventId()
  const about = { ref: "r1", identityKey: null, sealed: null, data: { ref: "r1" } }
  const kind = "exposure.added"
  await records.addEvents([{ id, tenantId: tenant?.id ?? 0, kind, at: Date.now(), ...about }])
  await records.close()
  return id
}

test("a webhook is made, tested, told of events, and its log can be read", async () => {
  const receiver = await startReceiver()
  const url = `${receiver.url}/hook`
  const signatures = ["v1", "v1a"]
  const { webhook, secret, public_key } = await made({ url, events: kinds, signatures })
  assert.match(secret, /^whsec_[\w+/]{43}=$/)
  assert.deepEqual(
    [webhook.url, webhook.events, webhook.signatures, webhook.enabled, webhook.disabled],
    [url, kinds, signatures, true, null],
  )
  const listed = await service.request(PATH)
  const text = await listed.text()
  assert.deepEqual((JSON.parse(text) as WebhookList).webhooks, [webhook])
  assert.ok(!text.includes(secret))

  // Anybody can read the public keys, and what they say is what the owner was told.
  const keySet = await service.request("/.well-known/jwks.json", { key: null })
  const { keys } = (await keySet.json()) as WebhookKeys
  assert.equal(`whpk_${Buffer.from(keys[0]?.x ?? "", "base64url").toString("base64")}`, public_key)

  const tested = await service.request(`${PATH}/${webhook.id}/test`, { method: "POST" })
  const attempt = (await tested.json()) as DeliveryAttempt
  assert.deepEqual([attempt.status, attempt.cause, attempt.error], [204, "test", null])
  const id = await happened()
  const received = await receiver.until(2)
  assert.deepEqual(
    received.map((each) => [each.body.type, isGenuine(each, secret)]),
    [
      ["webhook.test", true],
      ["exposure.added", true],
    ],
  )
  assert.equal(received[1]?.id, id)
  const deadline = Date.now() + 30_000
  for (;;) {
    const { deliveries, next } = await read<DeliveryList>(`${PATH}/${webhook.id}/deliveries`)
    assert.equal(next, null)
    const [newest] = deliveries
    assert.equal(newest?.event_id, id)
    if (newest.status === "delivered") {
      const of = `${PATH}/${webhook.id}/deliveries/${newest.id}`
      const details = await read<DeliveryDetails>(of)
      assert.deepEqual(details.delivery, newest)
      assert.deepEqual(
        details.attempts.map(({ status, cause }) => [status, cause]),
        [[204, "schedule"]],
      )
      const again = await service.request(`${of}/replay`, { method: "POST" })
      assert.equal(((await again.json()) as DeliveryAttempt).cause, "replay")
      assert.equal((await receiver.until(3))[2]?.id, id)
      break
    }
    assert.ok(Date.now() < deadline)
  }
  const log = `${PATH}/${webhook.id}/deliveries`
  const first = await read<DeliveryList>(`${log}?limit=1`)
  const second = await read<DeliveryList>(`${log}?limit=1&before=${first.next}`)
  assert.deepEqual(
    [first, second].map((page) => page.deliveries.map((each) => each.event_type)),
    [["exposure.added"], ["webhook.test"]],
  )
  assert.equal(second.next, null)
  // Events of all are numbered together: a number would tell how much others do.
  assert.match(first.next ?? "", /^cur_/)
  const unknown = await service.request(`${log}?before=cur_${"A".repeat(22)}`)
  assert.equal(((await unknown.json()) as ProblemDetails).code, "cursor-unknown")
  assert.deepEqual((await read<DeliveryList>(`${log}?status=dead`)).deliveries, [])
  for (const bad of ["limit=0", "limit=201", "before=x", "status=lost"])
    assert.equal((await service.request(`${log}?${bad}`)).status, 400, bad)
  const gone = await service.request(`${PATH}/${webhook.id}`, { method: "DELETE" })
  assert.equal(gone.status, 204)
  assert.equal((await service.request(`${PATH}/${webhook.id}`)).status, 404)
  assert.ok(!service.stderr().includes(receiver.url), "no log names a receiver")
  await receiver.close()
})

test("a thread that calls webhooks runs from the first webhook on, whoever made it", async () => {
  const own = await startService({ args: ["--workers", "2"] })
  const isRunning = async (): Promise<boolean> => {
    const metrics = await (await own.request("/metrics", { key: null })).text()
    assert.match(metrics, /^assay_/m)
    return metrics.includes("assay_webhook_pending")
  }
  assert.equal(await isRunning(), false)
  // As another service on the same database would make it: this one is not asked.
  const records = await openRecordsOf(own.dataDirectory)
  await records.createWebhook({
    ...{ id: "whk_elsewhere", tenantId: null, url: "http://127.0.0.1:9/", description: "" },
    ...{ kinds: ["import.finished"], secrets: [], at: Date.now(), actor: "test" },
  })
  const deadline = Date.now() + 30_000
  while (!(await isRunning())) {
    assert.ok(Date.now() < deadline, "no thread was started")
    await delay(100)
  }
  await records.close()
  assert.equal(await own.stop(), 0)
})

test("what does not fit is refused, and says so", async () => {
  const url = "https://hooks.example/"
  for (const [json, status, code] of [
    [{ url }, 400, "invalid-request"],
    [{ url, events: [] }, 400, "invalid-request"],
    [{ url, events: ["no.such"] }, 400, "invalid-request"],
    [{ url, events: kinds, signatures: ["v1a"] }, 400, "invalid-request"],
    [{ url, events: kinds, description: "ask ada@mail.example" }, 400, "invalid-request"],
    [{ url: "https://user@hooks.example/", events: kinds }, 422, "webhook-refused"],
    [{ url: "ftp://hooks.example/", events: kinds }, 422, "webhook-refused"],
  ] as const) {
    const response = await service.request(PATH, { json })
    const problem = (await response.json()) as ProblemDetails
    assert.deepEqual([response.status, problem.code], [status, code], JSON.stringify(json))
  }
  const unknown = await service.request(`${PATH}/whk_0/replay`, {
    json: { since: "2026-01-01T00:00:00Z" },
  })
  assert.equal(((await unknown.json()) as ProblemDetails).code, "webhook-not-found")
})

test("no private address is taken where the operator allowed none", async () => {
  await using strict = await startService({
    args: ["--workers", "1"],
    env: { ASSAY_WEBHOOK_ALLOW: "10.255.255.254" },
  })
  const receiver = await startReceiver()
  // Every spelling is tried on the guard itself; over HTTP a part of them, of all kinds.
  const urls = privateSpellings(Number(new URL(receiver.url).port)).filter(
    (url, n) => n % 10 === 0 && !url.includes("10.255.255.254"),
  )
  assert.ok(urls.length > 40)
  for (const url of urls) {
    const response = await strict.request(PATH, { json: { url, events: kinds } })
    assert.equal(response.status, 422, url)
    assert.ok(!(await response.text()).includes(url), "the answer does not repeat it")
  }
  assert.deepEqual(receiver.received, [])
  await receiver.close()
})

test("`assay dev receiver` prints what arrives, checked, and leaves nothing behind", async () => {
  const args = [...assayProgram(), "dev", "receiver", "--port", "0", "--url", service.baseUrl]
  const command = spawn(process.execPath, args, {
    env: { ...bareEnvironment(), ASSAY_API_KEY: service.key ?? "" },
    stdio: ["ignore", "pipe", "inherit"],
  })
  const lines = createInterface(command.stdout)[Symbol.asyncIterator]()
  const line = async (): Promise<string> => String((await lines.next()).value)
  assert.match(await line(), /arrive at http:\/\/127\.0\.0\.1:\d+\//)
  assert.match(await line(), /webhook\.test {2}evt_/)
  const id = await happened()
  assert.match(await line(), new RegExp(`exposure\\.added {2}${id}`))
  command.kill("SIGTERM")
  const [code] = (await once(command, "exit")) as [number]
  assert.equal(code, 0)
  const { webhooks } = await read<WebhookList>(PATH)
  assert.deepEqual(webhooks, [])
})
