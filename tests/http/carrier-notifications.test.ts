import assert from "node:assert/strict"
import { randomUUID } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, test } from "node:test"
import type { CarrierNotification, SubjectExport } from "@assay/core/contract"
import { Ajv } from "ajv"
import addFormats from "ajv-formats"
import fc from "fast-check"
import { parse } from "yaml"
import { openTrialCarrier } from "../../packages/carrier/src/open-trial-carrier.ts"
import { callApi, tokenFor } from "../../packages/carrier/testing/test-trial-session.ts"
import { makeTrialClient } from "../../packages/carrier/src/trial-client.ts"
import { HOUR_MS } from "../../packages/runtime/src/time.ts"
import { assay, createKey } from "../cli/assay.ts"
import { combolist } from "../cli/corpus.ts"
import { ofOneNode } from "./about-one-node.ts"
import { severalNodes } from "./shared-stores.ts"
import { type Service, startService } from "./service.ts"
import { filesBelow } from "./search.ts"
import { temporaryDirectory } from "./temporary.ts"

const temporary = temporaryDirectory()
const PATH = "/api/v1/carrier/notifications"
const ONE = "token-of-carrier-one-7f31c2"
const TWO = "token-of-carrier-two-90be55"
const SWAPPED = "org.camaraproject.sim-swap-subscriptions.v0.swapped"
const ENDED = "org.camaraproject.sim-swap-subscriptions.v0.subscription-ended"
const definitions = process.env["ASSAY_CAMARA_SPECS"]
const data = join(temporary, "data")
const providers = join(temporary, "providers.json")
const env = { ASSAY_PROVIDERS: providers }

const { privateKeyPem } = await makeTrialClient("assay")
writeFileSync(join(temporary, "key.pem"), privateKeyPem)
writeFileSync(join(temporary, "one.token"), `${ONE}\n`)
writeFileSync(join(temporary, "two.token"), TWO)
const carrierOf = (name: string, ranges: string[], file?: string): object => ({
  name,
  ranges,
  base_url: "https://carrier.example",
  token_url: "https://carrier.example/token",
  client_id: "assay",
  private_key_file: "key.pem",
  apis: { sim_swap: { price: 0, answers: "date" } },
  ...(file !== undefined && { notification_token_file: file }),
})
writeFileSync(
  providers,
  JSON.stringify({
    daily_cap: 0,
    tenant_daily_cap: 0,
    camara: [
      carrierOf("one", ["+4474"], "one.token"),
      carrierOf("two", ["+49", "+447499"], "two.token"),
      carrierOf("three", ["+4917"]),
    ],
  }),
)

let service: Service
let acme: string
let other: string
let admin: string
before(async () => {
  service = await serve()
  acme = await newKey("--tenant", "acme", "--plan", "enterprise", "--scopes", "all")
  other = await newKey("--tenant", "other-co", "--plan", "free", "--scopes", "score")
  admin = await newKey("--service", "--scopes", "subjects:admin")
})
after(() => service.stop())

function serve(): Promise<Service> {
  return startService({ dataDirectory: data, env, args: ["--workers", "2"] })
}

async function command(args: readonly string[], input?: string): Promise<string> {
  const { out, err, code } = await assay(args, { ASSAY_DATA: data, ...env }, input)
  assert.equal(code, 0, err)
  return out
}

function newKey(...args: string[]): Promise<string> {
  return createKey({ dataDirectory: data, env }, ...args)
}

/** A number of the first carrier's that no other test uses. */
let numbers = 100_000
const newNumber = (range = "+4474"): string =>
  `${range}${range === "+4474" ? "00" : ""}${++numbers}`

const hoursAgo = (hours: number): string => new Date(Date.now() - hours * HOUR_MS).toISOString()

function swapped(phoneNumber: string, changes: object = {}): CarrierNotification {
  return {
    specversion: "1.0",
    id: randomUUID(),
    source: "https://notifications.carrier.example",
    type: SWAPPED,
    time: hoursAgo(5),
    datacontenttype: "application/json",
    data: { phoneNumber, subscriptionId: "qs15-h556-rt89-1298" } as object,
    ...changes,
  }
}

async function send(
  body: unknown,
  token: string | null = ONE,
  type = "application/cloudevents+json",
): Promise<Response> {
  return await service.request(PATH, {
    method: "POST",
    key: token,
    body: typeof body === "string" ? body : JSON.stringify(body),
    // A connection of its own, so that either worker may answer.
    headers: { "content-type": type, connection: "close" },
  })
}

async function sent(...args: Parameters<typeof send>): Promise<void> {
  const response = await send(...args)
  assert.equal(response.status, 204, await response.clone().text())
  assert.equal(await response.text(), "")
}

interface Problem {
  readonly status: number
  readonly code: string
  readonly errors?: readonly { readonly pointer: string }[]
}

async function refused(...args: Parameters<typeof send>): Promise<string> {
  const response = await send(...args)
  assert.match(response.headers.get("content-type") ?? "", /^application\/problem\+json/)
  const { status, code, errors } = (await response.json()) as Problem
  assert.equal(status, response.status)
  return [status, code, ...(errors ?? []).map(({ pointer }) => pointer)].join(" ")
}

interface PhoneAnswer {
  readonly sim_change_detected: boolean
  readonly sim_swap_risk: string
  readonly sim_change_window: string | null
}

async function score(phone_number: string, key = acme): Promise<PhoneAnswer> {
  const response = await service.request("/api/v1/phone-risk", {
    key,
    json: { phone_number },
    headers: { connection: "close" },
  })
  assert.equal(response.status, 200)
  return (await response.json()) as PhoneAnswer
}

async function assertChanged(phone: string, window: RegExp, key?: string): Promise<void> {
  const { sim_change_detected, sim_swap_risk, sim_change_window } = await score(phone, key)
  assert.deepEqual([sim_change_detected, sim_swap_risk], [true, "high"])
  assert.match(sim_change_window ?? "", window)
}

async function assertUnchanged(phone: string, key?: string): Promise<void> {
  const { sim_change_detected, sim_swap_risk, sim_change_window } = await score(phone, key)
  assert.deepEqual([sim_change_detected, sim_swap_risk, sim_change_window], [false, "low", null])
}

/** The shared evidence of a number, as an export shows it. */
async function evidenceOf(phone_number: string): Promise<SubjectExport["evidence"]> {
  const response = await service.request("/api/v1/subjects/export", {
    key: admin,
    json: { phone_number, reason: "subject_request" },
  })
  assert.equal(response.status, 200)
  const { evidence } = (await response.json()) as SubjectExport
  return evidence.filter(({ owner }) => owner === "shared")
}

async function taken(carrier: string, outcome: string): Promise<number> {
  const text = await (await service.request("/metrics", { key: null })).text()
  const labels = `operator="${carrier}",outcome="${outcome}"`
  const line = text.split("\n").find((each) => each.includes(`notifications_total{${labels}}`))
  return Number(line?.split(" ").at(-1) ?? 0)
}

test("a SIM change that a carrier reports is in the next score of every tenant, in either media type", async () => {
  for (const type of ["application/cloudevents+json", "application/json; charset=utf-8"]) {
    const phone = newNumber()
    for (const key of [acme, other]) await assertUnchanged(phone, key)
    await sent(swapped(phone), ONE, type)
    for (const key of [acme, other]) await assertChanged(phone, /^[56]h$/, key)
    await assertUnchanged(newNumber())
  }
  const german = `+4915123${++numbers}`
  await sent(swapped(german, { time: hoursAgo(1).replace("Z", "+00:00") }), TWO)
  await assertChanged(german, /^[12]h$/)
  assert.equal(await taken("two", "stored"), 1)
})

test("a later change takes the place of an earlier one, in whichever order they arrive", async () => {
  const phone = newNumber()
  await sent(swapped(phone, { time: hoursAgo(1) }))
  await sent(swapped(phone, { time: hoursAgo(200) }))
  await assertChanged(phone, /^[12]h$/)
  assert.equal((await evidenceOf(phone)).length, 2)
})

test("without the carrier's own token everything is refused", async () => {
  const phone = newNumber()
  for (const token of [null, "wrong-token-of-a-carrier", ONE.toUpperCase(), acme, admin])
    for (const body of [swapped(phone), "rubbish"]) {
      const response = await send(body, token)
      assert.equal(response.status, 401)
      assert.match(response.headers.get("www-authenticate") ?? "", /^Bearer realm="assay-carrier"/)
      assert.equal(((await response.json()) as Problem).code, "unauthenticated")
    }
  await assertUnchanged(phone)
  // And the token opens nothing else.
  const elsewhere = { key: ONE, json: { phone_number: phone } }
  assert.equal((await service.request("/api/v1/phone-risk", elsewhere)).status, 401)
  assert.equal((await service.request(PATH, { key: ONE })).status, 405)
})

test("a carrier speaks for the numbers of its own ranges and for no other's", async () => {
  const own = newNumber()
  assert.equal(await refused(swapped(own), TWO), "422 number-not-yours")
  for (const [phone, token] of [
    ["+4915123456789", ONE],
    ["+447499123456", ONE],
    ["+4917123456789", TWO],
    ["+33612345678", TWO],
  ] as const) {
    assert.equal(await refused(swapped(phone), token), "422 number-not-yours")
    await assertUnchanged(phone)
  }
  await assertUnchanged(own)
  await sent(swapped("+447499123456"), TWO)
  await assertChanged("+447499123456", /h$/)
})

test("a notification that arrives again changes nothing, by its name or by what it says", async () => {
  const phone = newNumber()
  const known = await taken("one", "known")
  const first = swapped(phone)
  for (let n = 0; n < 3; n++) await sent(first)
  await sent({ ...first, id: randomUUID() })
  await sent({ ...first, time: hoursAgo(50) })
  const evidence = await evidenceOf(phone)
  assert.deepEqual(
    evidence.map(({ kind, source, title }) => [kind, source, title]),
    [["sim_change", "camara:one", "SIM changes reported by one"]],
  )
  assert.equal((await taken("one", "known")) - known, 4)
  // The name belongs to one sender: another may use it too.
  const elsewhere = { ...first, source: "https://2.carrier.example", time: hoursAgo(50) }
  await sent(elsewhere)
  assert.equal((await evidenceOf(phone)).length, 2)
})

test("what says nothing of a SIM is taken, counted and not kept", async () => {
  const phone = newNumber()
  await sent(swapped(phone, { type: ENDED }))
  await sent(swapped(phone, { type: "org.camaraproject.roaming.v0.on", data: { a: 1 } }))
  const { data: _, ...bare } = swapped(phone, { type: "com.example.ping" })
  await sent(bare)
  assert.deepEqual([await taken("one", "ended"), await taken("one", "other")], [1, 2])
  assert.deepEqual(await evidenceOf(phone), [])
  await assertUnchanged(phone)
})

test("what does not fit is refused with what is wrong and kept nowhere", async () => {
  const phone = newNumber()
  const without = (member: string): object =>
    Object.fromEntries(Object.entries(swapped(phone)).filter(([name]) => name !== member))
  const wrong: [string, unknown][] = [
    ["400 malformed-json", "{"],
    ["400 malformed-json", ""],
    ["400 invalid-request #", "[]"],
    ["400 invalid-request #", "null"],
    ...["specversion", "id", "source", "type", "time"].map((member): [string, unknown] => [
      `400 invalid-request #/${member}`,
      without(member),
    ]),
    ["400 invalid-request #/specversion", swapped(phone, { specversion: "0.3" })],
    ["400 invalid-request #/id", swapped(phone, { id: 7 })],
    ["400 invalid-request #/id", swapped(phone, { id: "" })],
    ["400 invalid-request #/source", swapped(phone, { source: "x".repeat(2049) })],
    ["400 invalid-request #/datacontenttype", swapped(phone, { datacontenttype: "text/xml" })],
    ["400 invalid-request #/time", swapped(phone, { time: "today" })],
    ["400 invalid-request #/time", swapped(phone, { time: hoursAgo(-2) })],
    ["400 invalid-request #/time", swapped(phone, { time: "1900-01-01T00:00:00Z" })],
    ["400 invalid-request #/data", swapped(phone, { data: phone })],
    ["400 invalid-request #/data/phoneNumber", swapped(phone, { data: { phoneNumber: 4474 } })],
    ["400 invalid-request #/data/phoneNumber", without("data")],
    ["400 invalid-request #/data/phoneNumber", swapped(phone, { data: { subscriptionId: "1" } })],
    ["422 not-a-phone-number", swapped(phone.slice(1))],
    ["422 not-a-phone-number", swapped("+44 7400 123456")],
    ["413 body-too-large", swapped(phone, { more: "x".repeat(17_000) })],
  ]
  for (const [expected, body] of wrong) assert.equal(await refused(body), expected)
  for (const type of ["text/plain", "application/cloudevents-batch+json", "application/x-ndjson"])
    assert.equal(await refused(swapped(phone), ONE, type), "415 unsupported-media-type")
  assert.deepEqual(await evidenceOf(phone), [])
  await assertUnchanged(phone)
})

test("rubbish is refused and never a fault of the service", async () => {
  const member = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom(SWAPPED, "1.0", hoursAgo(1), "+447400999999", { phoneNumber: "+4474" }),
  )
  const document = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.record(
      {
        specversion: member,
        id: member,
        source: member,
        type: member,
        time: member,
        data: member,
      },
      { requiredKeys: [] },
    ),
  )
  await fc.assert(
    fc.asyncProperty(document, async (body) => {
      const { status } = await send(JSON.stringify(body))
      assert.ok([204, 400, 422].includes(status), String(status))
    }),
    { seed: 20261115, numRuns: 60 },
  )
})

test("each carrier is a source that callers and operators of the service see", async () => {
  await sent(swapped(newNumber()))
  const response = await service.request("/api/v1/sources", { key: acme })
  const { sources } = (await response.json()) as { sources: Record<string, unknown>[] }
  const own = sources.find(({ name }) => name === "camara:one")
  const { kind, rows, identities, title } = own ?? {}
  assert.deepEqual(
    { kind, rows, identities, title },
    {
      kind: "sim_change",
      rows: null,
      identities: null,
      title: "SIM changes reported by one",
    },
  )
  assert.match(await command(["corpus", "sources"]), /^camara:one +sim_change .* not counted /m)
  const shown = await command(["corpus", "show", "camara:one"])
  assert.match(shown, /^rows +not counted$/m)
})

const inFiles = ofOneNode("commands make an index in a data directory anew, and copy it")
test(
  "what was acknowledged survives the death of the service, and an index made anew from what is left",
  { skip: inFiles },
  async () => {
    const phones = Array.from({ length: 20 }, () => newNumber())
    const outcomes = await Promise.all(phones.map((phone) => send(swapped(phone))))
    assert.ok(outcomes.every(({ status }) => status === 204))
    await service.kill()
    // So that there is a catalogue of segments, without which an index is not made anew.
    const list = combolist(join(temporary, "list.txt"), 50)
    await command(["corpus", "import", list, "--source", "list", "--date", "2024-01-01"])
    const verified = await command(["corpus", "verify"])
    assert.match(verified, /arrives one by one and is in the records too/)
    assert.match(verified, /^ok /m)

    service = await serve()
    for (const phone of phones) await assertChanged(phone, /^[56]h$/)
    assert.match(await command(["corpus", "rebuild"]), /, evidence on [2-9]\d identities/)
    for (const phone of phones) await assertChanged(phone, /^[56]h$/)
    assert.equal(await service.stop(), 0)

    assert.match(
      await command(["corpus", "rebuild", "--lost-index"]),
      /, evidence on [2-9]\d identities/,
    )
    assert.match(await command(["corpus", "verify"]), /^ok /m)
    service = await serve()
    for (const phone of phones) await assertChanged(phone, /^[56]h$/)
    await sent(swapped(phones[0] ?? "", { time: hoursAgo(1) }))
    await assertChanged(phones[0] ?? "", /^[12]h$/)
  },
)

test(
  "a backup holds what carriers reported, and its restore answers by it",
  { skip: inFiles },
  async () => {
    const phone = newNumber()
    await sent(swapped(phone))
    const folder = join(temporary, "backup")
    await command(["backup", folder])
    const restored = join(temporary, "restored")
    const secret = join(data, "secret")
    const place = { ASSAY_DATA: restored, ASSAY_SECRET_FILE: secret, ...env }
    const { code, err } = await assay(["restore", folder, "--without-tombstones"], place)
    assert.equal(code, 0, err)
    const stopped = service
    try {
      service = await startService({
        dataDirectory: restored,
        env: { ASSAY_SECRET_FILE: secret, ...env },
      })
      await assertChanged(phone, /^[56]h$/)
      await service.stop()
    } finally {
      service = stopped
    }
  },
)

test("an erased subject stays erased, whatever carriers report later", async () => {
  const phone = newNumber()
  const first = swapped(phone)
  await sent(first)
  await assertChanged(phone, /h$/)
  const response = await service.request("/api/v1/subjects/erase", {
    key: admin,
    json: { phone_number: phone, reason: "subject_request" },
  })
  assert.equal(response.status, 200)
  assert.equal(((await response.json()) as { reports: number }).reports, 1)
  await assertUnchanged(phone)
  await sent(first)
  await sent(swapped(phone, { time: hoursAgo(1) }))
  assert.equal(await taken("one", "erased"), 2)
  await assertUnchanged(phone)
  assert.deepEqual(await evidenceOf(phone), [])
  // An index in a cluster is not made anew under its name.
  if (!severalNodes) await command(["corpus", "rebuild"])
  await assertUnchanged(phone)
})

test("the carrier for trials notifies the service when a SIM changes", async () => {
  const keys = await makeTrialClient("assay")
  const carrier = await openTrialCarrier({ clients: [keys.client] })
  try {
    const phone = newNumber()
    const scope = `sim-swap-subscriptions:${SWAPPED}:create`
    const token = await tokenFor(carrier, keys, scope)
    const made = await callApi(
      carrier,
      "POST",
      "/sim-swap-subscriptions/v0.3/subscriptions",
      token,
      {
        protocol: "HTTP",
        sink: `${service.baseUrl}${PATH}`,
        sinkCredential: {
          credentialType: "ACCESSTOKEN",
          accessToken: ONE,
          accessTokenExpiresUtc: hoursAgo(-24),
          accessTokenType: "bearer",
        },
        types: [SWAPPED],
        config: { subscriptionDetail: { phoneNumber: phone }, subscriptionMaxEvents: 1 },
      },
    )
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const ended = await taken("one", "ended")
    await assertUnchanged(phone)
    carrier.script(phone, { sim: { changed_at: hoursAgo(3) } })
    await carrier.notified()
    await assertChanged(phone, /^[34]h$/)
    assert.equal((await taken("one", "ended")) - ended, 1)
  } finally {
    await carrier.close()
  }
})

const skip = definitions === undefined && "ASSAY_CAMARA_SPECS names no folder of definitions"
test(
  "the events of the published definition are taken as they stand, and ours are such events",
  { skip },
  async () => {
    const file = join(definitions ?? "", "sim-swap-subscriptions.yaml")
    const { components } = parse(readFileSync(file, "utf8")) as {
      components: {
        schemas: Record<string, unknown>
        examples: Record<string, { value: CarrierNotification }>
      }
    }
    const ajv = new Ajv({ strict: false })
    addFormats.default(ajv)
    ajv.addSchema({ $id: "camara", components })
    const check = ajv.getSchema("camara#/components/schemas/EventSimSwap")
    assert.ok(check?.(swapped(newNumber())), JSON.stringify(check?.errors))
    assert.ok(!check?.({ ...swapped(newNumber()), specversion: "2.0" }))

    const { SWAPPED: example, SUBSCRIPTION_ENDS: end } = components.examples
    assert.ok(check?.(example?.value) && end !== undefined)
    const ended = await taken("one", "ended")
    await sent(end.value)
    assert.equal((await taken("one", "ended")) - ended, 1)
    // Its number is in nobody's ranges; with one of ours it is accepted.
    assert.equal(await refused(example?.value), "422 number-not-yours")
    const phone = newNumber()
    await sent({ ...example?.value, data: { ...example?.value.data, phoneNumber: phone } })
    assert.equal((await evidenceOf(phone)).length, 1)
  },
)

test(
  "a source that is removed stays away when the index is made anew, until it speaks again",
  { skip: inFiles },
  async () => {
    const phone = newNumber()
    await sent(swapped(phone))
    const asked = await assay(["corpus", "remove", "camara:one"], { ASSAY_DATA: data, ...env })
    assert.equal(asked.code, 1)
    assert.match(asked.err, /camara:one has evidence that arrives one by one, which is not counted/)
    const removed = await command(["corpus", "remove", "camara:one", "--yes"])
    assert.match(removed, /^\d+ notifications deleted\.\ncamara:one is removed: /)
    await assertUnchanged(phone)
    await command(["corpus", "rebuild"])
    await assertUnchanged(phone)
    await sent(swapped(phone, { time: hoursAgo(2) }))
    await assertChanged(phone, /^[23]h$/)
  },
)

test("numbers, tokens and what else a carrier sends are in no answer, log or file", async () => {
  const phone = newNumber()
  const canaries = [phone, phone.slice(1), "zqxjkv-canary", ONE, TWO]
  const held = (bytes: string): string[] => canaries.filter((canary) => bytes.includes(canary))
  const event = swapped(phone, { id: `zqxjkv-canary ${phone}`, source: `zqxjkv-canary/${phone}` })
  const answers: string[] = []
  for (const [body, token, type] of [
    [event, ONE],
    [{ ...event, time: "zqxjkv-canary" }, ONE],
    [{ ...event, specversion: "zqxjkv-canary" }, ONE],
    [{ ...event, data: { phoneNumber: `${phone} zqxjkv-canary` } }, ONE],
    [event, TWO],
    [event, `${ONE}x`],
    [`{"zqxjkv-canary":"${phone}"`, ONE],
    [phone, ONE, "text/plain"],
    [{ ...event, type: "zqxjkv-canary" }, ONE],
  ] as const) {
    const response = await send(body, token, type)
    answers.push(
      `${response.status} ${JSON.stringify([...response.headers])}${await response.text()}`,
    )
  }
  const expected = ["204", "400", "400", "422", "422", "401", "400", "415", "204"]
  assert.deepEqual(
    answers.map((answer) => answer.slice(0, 3)),
    expected,
  )
  answers.push(await (await service.request("/metrics", { key: null })).text())
  await service.kill()
  for (const each of [...answers, service.stderr(), service.stdout()])
    assert.deepEqual(held(each), [])
  for (const { path, bytes } of filesBelow(data))
    assert.deepEqual(held(bytes.toString("latin1")), [], path)
  service = await serve()
  await assertChanged(phone, /h$/)
})
