import assert from "node:assert/strict"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer as createHttpServer } from "node:http"
import { type AddressInfo, createServer } from "node:net"
import { join } from "node:path"
import { test } from "node:test"
import { text } from "node:stream/consumers"
import { setTimeout as delay } from "node:timers/promises"
import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from "jose"
import type { NewWebhook, SinkList, SinkTestResult } from "@assay/core/contract"
import { startElastic, startSplunk } from "../../packages/server/testing/sinks/vendors.ts"
import { startReceiver } from "../../packages/server/testing/webhooks/receiver.ts"
import { joins, printedToken } from "./signed-in.ts"
import { startService } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"

const temporary = temporaryDirectory()
const CANARY = "zqxjkv.sink@mail.example"

async function eventually<T>(read: () => T | Promise<T>, isSo: (value: T) => boolean): Promise<T> {
  for (let n = 0; ; n++) {
    const value = await read()
    if (isSo(value)) return value
    assert.ok(n < 600, JSON.stringify(value))
    await delay(100)
  }
}

function settingsFile(name: string, settings: object): string {
  const folder = join(temporary, name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "token"), "a-token\n")
  const file = join(folder, "sinks.json")
  writeFileSync(file, JSON.stringify(settings))
  return file
}

const linesOf = (file: string): { id: string; data: Record<string, unknown> }[] =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as { id: string; data: Record<string, unknown> })
    : []

test("a change of a watched identity arrives as webhook, as signed token and at every sink, and they agree", async () => {
  const [splunk, elastic] = [
    await startSplunk("a-token"),
    await startElastic("a-token", "logs-assay.event-default"),
  ]
  const cef: string[] = []
  const syslog = createServer((socket) => void text(socket).then((batch) => cef.push(batch)))
  await new Promise<void>((resolve) => syslog.listen(0, "127.0.0.1", resolve))
  const { port } = syslog.address() as AddressInfo
  const sinks = settingsFile("agree", {
    splunk: [{ name: "soc", url: splunk.url, token_file: "token" }],
    elastic: [{ name: "search", url: elastic.url, api_key_file: "token", identities: true }],
    syslog: [{ name: "collector", host: "127.0.0.1", port, tls: false }],
    file: [{ name: "lake", path: "lake.ndjson", format: "events" }],
    stdout: [{ name: "container" }],
  })
  const webhook = await startReceiver(() => 200)
  const sets: string[] = []
  const receiver = createHttpServer((request, response) => {
    void text(request).then((token) => {
      sets.push(token)
      response.writeHead(202).end()
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
  const { port: receives } = receiver.address() as AddressInfo
  const dataDirectory = join(temporary, "agree", "data")
  const env = { ASSAY_SINKS: sinks, ASSAY_SSF_ORIGIN: "http://localhost" }
  await using service = await startService({ dataDirectory, env })
  const administrator = await joins(service, printedToken(service), "ada@sinks.example")
  const begun = await eventually(
    async () => (await administrator.send<SinkList>("GET", "/api/v1/sinks")).body,
    (body) => body.sinks.every(({ last_taken_at }) => last_taken_at !== null),
  )
  assert.deepEqual(
    begun.sinks.map(({ name, kind, behind, fault }) => [name, kind, behind, fault]),
    [
      ["soc", "splunk", 0, null],
      ["search", "elastic", 0, null],
      ["collector", "syslog", 0, null],
      ["lake", "file", 0, null],
      ["container", "stdout", 0, null],
    ],
  )

  const made = await service.request("/api/v1/webhooks", {
    json: { url: webhook.url, events: ["risk.email.changed"] },
  })
  assert.equal(made.status, 201)
  assert.ok(((await made.json()) as NewWebhook).secret)
  const stream = await service.request("/api/v1/shared-signals/streams", {
    json: { method: "push", url: `http://127.0.0.1:${receives}/`, subject_format: "opaque" },
  })
  assert.equal(stream.status, 201, await stream.clone().text())
  const items = [{ value: CANARY, ref: "customer-9", deliver_identity: true }]
  assert.equal(
    (await service.request("/api/v1/watchlist", { json: { emails: items } })).status,
    200,
  )
  await eventually(
    async () => (await (await service.request("/api/v1/watchlist")).json()) as WatchedOnce,
    (list) => list.items.every(({ risk }) => risk !== null),
  )
  const evidence = [
    { email: CANARY, kind: "stealer", source: "soc", observed_at: new Date().toISOString() },
  ]
  const sent = await service.request("/api/v1/evidence", { json: evidence })
  assert.ok(sent.status < 300, await sent.text())

  const [received] = await webhook.until(1)
  const { id, body } = received ?? assert.fail()
  const inSplunk = await eventually(
    () => splunk.taken.find(({ event }) => event.id === id),
    (found) => found !== undefined,
  )
  const inElastic = await eventually(
    () => elastic.taken.find(({ _id }) => _id === id),
    (found) => found !== undefined,
  )
  const file = join(temporary, "agree", "lake.ndjson")
  const inFile = await eventually(
    () => linesOf(file).find((line) => line.id === id),
    (found) => found !== undefined,
  )
  await eventually(
    () => cef.join(),
    (all) => all.includes(`externalId=${id} `),
  )
  await eventually(
    () => service.stdout(),
    (printed) => printed.includes(id),
  )
  const keys = (await (await service.request("/ssf/jwks.json")).json()) as JSONWebKeySet
  const set = await eventually(
    () => sets.map((token) => decodeJwt(token)).find(({ jti }) => jti?.startsWith(id)),
    (found) => found !== undefined,
  )
  const token = sets.find((each) => decodeJwt(each).jti === set?.jti) ?? assert.fail()
  await jwtVerify(token, createLocalJWKSet(keys), { typ: "secevent+jwt" })
  const RISK = "https://schemas.openid.net/secevent/caep/event-type/risk-level-change"
  assert.ok(set)
  const { [RISK]: risk } = set["events"] as Record<string, { current_level: string }>
  const { current } = body.data as { current: { band: keyof typeof LEVELS } }
  assert.equal(risk?.current_level, LEVELS[current.band])
  assert.deepEqual(set["sub_id"], { format: "opaque", id: "customer-9" })
  const { identity, ...data } = body.data as Record<string, unknown>
  assert.equal(identity, CANARY)
  const { data: ofSplunk } = (inSplunk ?? assert.fail()).event as unknown as { data: unknown }
  assert.deepEqual(ofSplunk, data)
  const { assay, user } = (inElastic ?? assert.fail()).document as unknown as {
    assay: { data: unknown }
    user: { email?: string; id: string }
  }
  // Of the sinks only this one may have identities.
  assert.deepEqual([assay.data, user.email, user.id], [body.data, CANARY, "customer-9"])
  assert.deepEqual(inFile?.data, data)
  for (const each of [
    JSON.stringify(set),
    cef.join(),
    service.stdout(),
    JSON.stringify(splunk.taken),
    service.stderr(),
  ])
    assert.doesNotMatch(each, /zqxjkv/)
  assert.deepEqual([splunk.faults, elastic.faults], [[], []])

  const tested = await administrator.send<SinkTestResult>("POST", "/api/v1/sinks/soc/test")
  assert.deepEqual([tested.status, tested.body.fault], [200, null])
  assert.ok(splunk.taken.some(({ event }) => event.id === tested.body.event_id))
  const unknown = await administrator.send("POST", "/api/v1/sinks/nobody/test")
  assert.deepEqual([unknown.status, unknown.body.code], [404, "sink-not-found"])
  const refused = await service.request("/api/v1/sinks")
  assert.equal(refused.status, 403)
  const metrics = await (await service.request("/metrics")).text()
  assert.match(metrics, /assay_sink_behind\{sink="soc"\} 0/)
  assert.match(metrics, /assay_sink_lag_seconds\{sink="soc"\} 0/)
  assert.match(metrics, /assay_sink_events_total\{sink="lake"\} [1-9]/)

  splunk.trouble = () => ({ status: 503 })
  const failed = await administrator.send<SinkTestResult>("POST", "/api/v1/sinks/soc/test")
  assert.deepEqual([failed.status, failed.body.fault], [200, "answered-503"])
  const audit = await administrator.send<{ entries: { action: string; subject: string }[] }>(
    "GET",
    "/api/v1/audit",
  )
  assert.ok(
    audit.body.entries.some((entry) => `${entry.action} ${entry.subject}` === "sink.test sink:soc"),
  )
  for (const each of [splunk, elastic, webhook]) await each.close()
  syslog.close()
  receiver.close()
})

/** Levels of CAEP by our bands. */
const LEVELS = { low: "LOW", elevated: "MEDIUM", high: "HIGH", critical: "HIGH" } as const

interface WatchedOnce {
  readonly items: { readonly risk: unknown }[]
}

test("without settings there are no sinks, and with wrong ones no start", async () => {
  await using service = await startService({ dataDirectory: join(temporary, "none") })
  const administrator = await joins(service, printedToken(service), "ada@sinks.example")
  const none = await administrator.send<SinkList>("GET", "/api/v1/sinks")
  assert.deepEqual([none.status, none.body], [200, { sinks: [] }])
  const token = { token_file: "token" }
  for (const [settings, sentence] of [
    [{}, "at the top: takes at least one member"],
    [{ splunk: [] }, "at /splunk: takes"],
    [{ splunk: [{ name: "soc", ...token }] }, "at /splunk/0/url: is missing"],
    [
      { splunk: [{ name: "soc", url: "http://splunk.example", ...token }] },
      "at /splunk/0/url: takes an https",
    ],
    [
      { splunk: [{ name: "soc", url: "https://splunk.example", token_file: "gone" }] },
      "at /splunk/0/token_file: names a file that cannot be read",
    ],
    [{ kafka: [{ name: "soc" }] }, "at /kafka: is not a setting"],
    [{ stdout: [{ name: "a" }, { name: "a" }] }, "two sinks have the name a"],
  ] as const) {
    const start = startService({
      dataDirectory: join(temporary, "wrong"),
      env: { ASSAY_SINKS: settingsFile("wrong-settings", settings) },
    })
    await assert.rejects(start, (error: Error) => {
      assert.ok(
        error.message.includes("ASSAY_SINKS names settings that cannot be used"),
        error.message,
      )
      assert.ok(error.message.includes(sentence), error.message)
      return true
    })
  }
})
