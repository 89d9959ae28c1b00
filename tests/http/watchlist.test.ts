import assert from "node:assert/strict"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import {
  type EmailRiskResult,
  type EventData,
  type ProblemDetails,
  WATCH_LINES_MAX,
  WATCH_LIST_MAX,
  type WatchList,
  type WatchListAdded,
  type WatchListLineResult,
  type WatchListRemoved,
} from "@assay/core/contract"
import { bandOf } from "@assay/core/score"
import { DAY_MS } from "../../packages/runtime/src/time.ts"
import type { StoredEvent } from "../../packages/stores/src/records-events.ts"
import { createKey } from "../cli/assay.ts"
import { combolist, emailAt, filesWithCanary, startImport } from "../cli/corpus.ts"
import { openRecordsOf } from "./records-of.ts"
import { type Service, startService } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"

const temporary = temporaryDirectory()
const PATH = "/api/v1/watchlist"
const NDJSON = "application/x-ndjson"

let service: Service
let one: string
let other: string
before(async () => {
  service = await startService({
    dataDirectory: join(temporary, "data"),
    args: ["--workers", "2"],
    env: { ASSAY_LOG_LEVEL: "debug" },
  })
  one = await createKey(service, "--tenant", "one", "--plan", "enterprise", "--scopes", "all")
  other = await createKey(service, "--tenant", "other", "--plan", "enterprise", "--scopes", "all")
})
after(() => service.stop())

interface Answer<T> {
  readonly status: number
  readonly body: T
}

async function call<T = unknown>(
  method: "POST" | "DELETE" | "GET",
  json?: object,
  { key = one, query = "" } = {},
): Promise<Answer<T>> {
  const response = await service.request(PATH + query, {
    method,
    key,
    ...(json === undefined ? {} : { json }),
  })
  return { status: response.status, body: (await response.json()) as T }
}

const add = (json: object, key = one) => call<WatchListAdded>("POST", json, { key })
const remove = (json: object, key = one) => call<WatchListRemoved>("DELETE", json, { key })
const list = async (query = "", key = one): Promise<WatchList> =>
  (await call<WatchList>("GET", undefined, { key, query })).body

/** Waits until something is so; the last answer is for the message. */
async function eventually<T>(read: () => Promise<T>, isSo: (value: T) => boolean): Promise<T> {
  for (let n = 0; ; n++) {
    const value = await read()
    if (isSo(value)) return value
    assert.ok(n < 600, JSON.stringify(value).slice(0, 10_000))
    await delay(100)
  }
}

const scored = (key = one): Promise<WatchList> =>
  eventually(
    () => list("", key),
    ({ items }) => items.every(({ risk }) => risk !== null),
  )

async function tenantId(name: string): Promise<number> {
  const records = await openRecordsOf(service.dataDirectory)
  const tenant = await records.tenantByName(name)
  await records.close()
  return tenant?.id ?? assert.fail(name)
}

async function eventsOf(name: string): Promise<StoredEvent[]> {
  const id = await tenantId(name)
  const records = await openRecordsOf(service.dataDirectory)
  const events: StoredEvent[] = []
  for (let after = 0; ;) {
    const page = await records.eventsAfter({ tenantId: id, after, limit: 10_000 })
    events.push(...page)
    const last = page.at(-1)
    if (last === undefined) break
    after = last.seq
  }
  await records.close()
  return events.filter(({ kind }) => !kind.startsWith("key."))
}

async function score(email: string, key = one): Promise<EmailRiskResult> {
  const response = await service.request("/api/v1/risk/score", { key, json: { email } })
  assert.equal(response.status, 200)
  return (await response.json()) as EmailRiskResult
}

async function importCombolist(args: readonly string[], rows: number): Promise<void> {
  const file = combolist(join(temporary, `${args.join("-")}.txt`), rows)
  const running = startImport([file, ...args], { ASSAY_DATA: service.dataDirectory })
  assert.equal(await running.ended, 0, running.output())
}

test("identities are added once, listed by ref and never by themselves, and removed by either", async () => {
  const emails = ["ana.silva@mail.example", { value: "bo@mail.example", ref: "customer-4711" }]
  const phones = [{ value: "+61491570156", ref: "customer-4711", deliver_identity: true }]
  const first = await add({ emails, phone_numbers: phones })
  assert.equal(first.status, 200)
  const [made = ""] = first.body.refs.emails
  assert.match(made, /^ref_[0-9a-f]{16}$/)
  assert.deepEqual(first.body, {
    added: 3,
    already_existed: 0,
    refs: { emails: [made, "customer-4711"], phone_numbers: ["customer-4711"] },
    domains: [],
  })
  // Another spelling of the same mailbox is the same identity, and the first ref stays.
  const again = await add({
    emails: ["ANA.SILVA@mail.example", { value: "new@mail.example", ref: "new" }],
    phone_numbers: [{ value: "+61491570156", ref: "another" }],
  })
  assert.deepEqual(again.body, {
    added: 1,
    already_existed: 2,
    refs: { emails: [made, "new"], phone_numbers: ["customer-4711"] },
    domains: [],
  })
  const { items, total, next } = await scored()
  assert.deepEqual([total, next], [4, null])
  for (const { next_change_at: nextAt } of items) {
    const inDays = (Date.parse(nextAt ?? "") - Date.now()) / DAY_MS
    assert.ok(inDays > 0 && inDays <= 30, String(nextAt))
  }
  assert.deepEqual(
    items.map(({ type, ref, deliver_identity }) => [type, ref, deliver_identity]),
    [
      ["email", "new", false],
      ["phone", "customer-4711", true],
      ["email", "customer-4711", false],
      ["email", made, false],
    ],
  )
  const now = await score("ana.silva@mail.example")
  assert.deepEqual(items[3]?.risk, {
    risk_score: now.risk_score,
    threat_stage: now.threat_stage,
    band: bandOf(now.risk_score),
    recommended_action: now.recommended_action,
    model_version: now.model_version,
  })
  assert.ok(!JSON.stringify(items).includes("@"))
  assert.equal((await list("", other)).total, 0)
  const page = await list("?limit=3")
  assert.equal(page.items.length, 3)
  const rest = await list(`?limit=3&before=${page.next}`)
  assert.deepEqual([rest.items.length, rest.next, rest.total], [1, null, 4])
  assert.equal((await list("?ref=customer-4711")).items.length, 2)

  const foreign = await remove({ emails: ["bo@mail.example"], refs: ["customer-4711"] }, other)
  assert.deepEqual(foreign.body, { deleted: 0, not_found: 2 })
  const gone = await remove({
    emails: ["ana.silva@mail.example", { value: "nobody@mail.example" }],
    refs: ["customer-4711", "nobody"],
  })
  assert.deepEqual([gone.status, gone.body], [200, { deleted: 3, not_found: 2 }])
  assert.deepEqual((await remove({ refs: ["new"] })).body, { deleted: 1, not_found: 0 })
  assert.equal((await list()).total, 0)
})

test("what cannot be watched is refused by its place, all of it, and never quoted", async () => {
  const refused = async (json: object, pointer: string, status = 400): Promise<void> => {
    const answer = await call<ProblemDetails>("POST", json)
    assert.equal(answer.status, status, JSON.stringify(answer.body))
    assert.equal(answer.body.errors?.[0]?.pointer, pointer)
    assert.ok(!JSON.stringify(answer.body).includes("zqxjkv"))
  }
  const good = "ana.silva@mail.example"
  await refused({ emails: [good, "zqxjkv no address"] }, "#/emails/1", 422)
  await refused({ phone_numbers: ["+61491570156", "0491570156"] }, "#/phone_numbers/1", 422)
  await refused({ emails: [{ value: good, ref: "zqxjkv@mail.example" }] }, "#/emails/0/ref")
  await refused({ emails: [{ value: good, ref: "call +61 491 570 156" }] }, "#/emails/0/ref")
  await refused({}, "#")
  await refused({ emails: [] }, "#")
  const half = Array.from({ length: WATCH_LIST_MAX }, (_, n) => `a${n}@mail.example`)
  await refused({ emails: half, phone_numbers: ["+61491570156"] }, "#")
  for (const json of [
    { emails: [{ value: good, zqxjkv: 1 }] },
    { emails: [{ value: good, ref: "" }] },
    { emails: [{ value: good, ref: "a\nb" }] },
    { emails: [7] },
  ])
    assert.equal((await call("POST", json)).status, 400, JSON.stringify(json))
  assert.equal((await list()).total, 0)
  const removal = await call<ProblemDetails>("DELETE", { emails: [good, "zqxjkv"] })
  assert.equal(removal.status, 422)
  assert.equal((await call("DELETE", {})).status, 400)
})

test("lines are taken one by one, and one that does not fit spoils no other", async () => {
  const send = async (body: string): Promise<Response> =>
    await service.request(PATH, {
      method: "POST",
      key: one,
      body,
      headers: { "content-type": NDJSON },
    })
  const lines = [
    JSON.stringify({ email: "ana.silva@mail.example", ref: "a" }),
    JSON.stringify({ phone_number: "+61491570156" }),
    "{ zqxjkv",
    JSON.stringify({ email: "zqxjkv" }),
    JSON.stringify({ email: "b@mail.example", phone_number: "+61491570156" }),
    JSON.stringify({ email: "b@mail.example", ref: "zqxjkv@mail.example" }),
    JSON.stringify({ email: "ana.silva@mail.example" }),
  ]
  const response = await send(`${lines.join("\n")}\n`)
  assert.match(response.headers.get("content-type") ?? "", /^application\/x-ndjson/)
  const text = await response.text()
  assert.ok(!text.includes("zqxjkv"))
  const results = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as WatchListLineResult)
  assert.deepEqual(
    results.map((each) => each.status ?? each.problem.code),
    [
      "added",
      "added",
      "malformed-json",
      "not-an-email",
      "invalid-request",
      "invalid-request",
      "already_existed",
    ],
  )
  assert.deepEqual(
    results.map(({ index }) => index),
    lines.map((_, n) => n),
  )
  assert.equal((await send("\n\n")).status, 400)
  const many = `${JSON.stringify({ email: "a@b.example" })}\n`.repeat(WATCH_LINES_MAX + 1)
  assert.equal((await send(many)).status, 413)
  assert.equal((await list()).total, 2)
  await remove({ emails: ["ana.silva@mail.example"], phone_numbers: ["+61491570156"] })
})

test("imports that move a watched address are told once, as a look-up answers, and to those who watch", async () => {
  const watched = emailAt(7)
  await add({ emails: [{ value: watched, ref: "customer-7", deliver_identity: true }] })
  await add({ emails: [{ value: emailAt(5_000), ref: "not in it" }] })
  await scored()
  await importCombolist(["--source", "first", "--kind", "breach", "--date", "2026-11-01"], 2_000)
  const leaked = await eventually(
    () => eventsOf("one"),
    (events) => events.length >= 2,
  )
  assert.deepEqual(leaked.map(({ kind }) => kind).sort(), ["exposure.added", "risk.email.changed"])
  const added = leaked.find(({ kind }) => kind === "exposure.added")
  assert.deepEqual(added?.data, {
    ref: "customer-7",
    watched: "email",
    source: "first",
    kind: "breach",
    last_seen: "2026-11-01",
    password: true,
  })
  const first = leaked.find(({ kind }) => kind === "risk.email.changed")
  const { previous, current, cause } = (first?.data ??
    assert.fail("no change was told")) as EventData<"risk.email.changed">
  const moved = [previous.threat_stage, current.threat_stage, cause]
  assert.deepEqual(moved, ["CLEAN", "LEAKED", "import"])
  await importCombolist(["--source", "market", "--kind", "sale", "--date", "2026-11-10"], 1_000)
  const traded = await eventually(
    () => eventsOf("one"),
    (events) => events.length >= 3,
  )
  const last = traded.at(-1)?.data as EventData<"risk.email.changed">
  assert.equal(last.current.threat_stage, "TRADED")
  assert.equal(last.previous.threat_stage, "LEAKED")
  const { risk_score, threat_stage, recommended_action, risk_reasons, model_version } =
    await score(watched)
  const { band: _band, ...told } = last.current
  assert.deepEqual(told, {
    risk_score,
    threat_stage,
    recommended_action,
    model_version,
    risk_reasons,
  })
  await delay(2_500)
  assert.equal((await eventsOf("one")).length, 3)
  assert.deepEqual(await eventsOf("other"), [])
  assert.ok(traded.every(({ sealed }) => sealed !== null))
  // Sealed or hashed: no file and no line of the log has the address.
  assert.deepEqual(filesWithCanary(service.dataDirectory), [])
  assert.doesNotMatch(service.stderr(), /zqxjkv/)
})

test("feedback, evidence and erasure reach the watch list", async () => {
  const email = "eve@firm.example"
  await add({ emails: [{ value: email, ref: "eve" }] })
  await scored()
  const before = (await eventsOf("one")).length
  const tenDaysAgo = new Date(Date.now() - 10 * DAY_MS).toISOString()
  const evidence = [{ email, kind: "stealer", source: "soc", observed_at: tenDaysAgo }]
  const sent = await service.request("/api/v1/evidence", { key: one, json: evidence })
  assert.equal(sent.status, 200)
  const [told] = await eventually(
    async () => (await eventsOf("one")).slice(before),
    (events) => events.length === 1,
  )
  const data = told?.data as EventData<"risk.email.changed">
  assert.deepEqual([data.ref, data.cause], ["eve", "evidence"])
  const rotated = { email, outcome: "credential_rotated" }
  const reported = await service.request("/api/v1/feedback", { key: one, json: rotated })
  assert.ok(reported.ok, await reported.clone().text())
  const now = await eventually(
    async () => (await eventsOf("one")).slice(before),
    (events) => events.length === 2,
  )
  const label = now[1]?.data as EventData<"risk.email.changed">
  assert.equal(label.cause, "feedback")
  const { risk_score } = await score(email)
  assert.equal(label.current.risk_score, risk_score)
  const erased = await service.request("/api/v1/subjects/erase", {
    key: one,
    json: { email, reason: "subject_request" },
  })
  assert.equal(erased.status, 200)
  assert.equal((await list("?ref=eve")).items.length, 0)
  assert.deepEqual((await remove({ emails: [email] })).body, { deleted: 0, not_found: 1 })
})

test("a service that is killed while it looks through imports goes on, and tells each change once", async () => {
  const kills = process.env["ASSAY_SOAK"] === undefined ? 1 : 20
  // In no file that was imported before.
  const emailOf = (n: number): string => emailAt(2_000 + n)
  const emails = Array.from({ length: 900 }, (_, n) => ({ value: emailOf(n), ref: `k${n}` }))
  await add({ emails }, other)
  await scored(other)
  for (let n = 0; n < kills; n++) {
    const source = `killed-${n}`
    await importCombolist(["--source", source, "--kind", "stealer", "--date", "2026-11-12"], 3_000)
    await delay(200 * (n % 5))
    await service.kill()
    service = await startService({
      dataDirectory: join(temporary, "data"),
      args: ["--workers", "2"],
      env: { ASSAY_LOG_LEVEL: "debug" },
    })
  }
  const all = await eventually(
    () => eventsOf("other"),
    (events) => events.filter(({ kind }) => kind === "exposure.added").length >= kills * 900,
  )
  const exposures = all.filter(({ kind }) => kind === "exposure.added")
  const named = exposures.map(({ ref, data }) => `${ref} ${(data as { source: string }).source}`)
  assert.equal(named.length, kills * 900)
  assert.equal(new Set(named).size, kills * 900)
  const changes = async (): Promise<StoredEvent[]> =>
    (await eventsOf("other")).filter(({ kind }) => kind === "risk.email.changed")
  await eventually(changes, (events) => new Set(events.map(({ ref }) => ref)).size === 900)
  // The first change of each is told while later imports are still looked through.
  for (const n of [0, 7, 899]) {
    const now = await score(emailOf(n), other)
    await eventually(
      async () => (await changes()).findLast(({ ref }) => ref === `k${n}`),
      (event) => {
        const { current } = (event?.data ?? {}) as Partial<EventData<"risk.email.changed">>
        // A score that moves within its band is no change that is told.
        return current?.threat_stage === now.threat_stage && current.band === bandOf(now.risk_score)
      },
    )
  }
})
