import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { join } from "node:path"
import { after, before, test } from "node:test"
import {
  EMAIL_SENT_KINDS,
  EVIDENCE_LINES_MAX,
  EVIDENCE_SOURCES_MAX,
  type EvidenceItem,
  type EvidenceLine,
  PHONE_SENT_KINDS,
} from "@assay/core/contract"
import { assessEmail, type EmailInput, type PhoneInput } from "@assay/core/score"
import fc from "fast-check"
import { currentModels } from "../../packages/server/src/score/models.ts"
import { DAY_MS, HOUR_MS } from "../../packages/runtime/src/time.ts"
import { createKey } from "../cli/assay.ts"
import { openStream } from "./ndjson.ts"
import { explainedText, type Service, startService } from "./service.ts"
import { filesBelow } from "./search.ts"
import { temporaryDirectory } from "./temporary.ts"

const temporary = temporaryDirectory()
const SEQUENCES = process.env["ASSAY_SOAK"] === undefined ? 6 : 300
/** Some 32 entries about each of four people: of more than 64 the index would cut some. */
const SEQUENCES_A_TENANT = 20
const KILLS = process.env["ASSAY_SOAK"] === undefined ? 1 : 20
const PATH = "/api/v1/evidence"

interface Body {
  readonly risk_score: number
  readonly threat_stage: string
  readonly exposure_count: number
  readonly explanation: {
    readonly input: EmailInput
    readonly matched: string | null
    readonly entries_cut?: number
  }
}

type Line = Partial<EvidenceLine> | object

let service: Service
let one: string
let other: string
before(async () => {
  service = await startService({ args: ["--workers", "2"] })
  one = await createKey(service, "--tenant", "one", "--plan", "enterprise", "--scopes", "all")
  other = await createKey(service, "--tenant", "other", "--plan", "enterprise", "--scopes", "all")
})
after(() => service.stop())

interface SendOptions {
  readonly key?: string
  readonly idempotency?: string
  readonly to?: Service
}

async function send(lines: readonly Line[] | object, options: SendOptions = {}): Promise<Response> {
  return await post(JSON.stringify(lines), "application/json", options)
}

async function post(
  body: string | Uint8Array,
  type: string,
  { key = one, idempotency, to = service }: SendOptions = {},
): Promise<Response> {
  return await to.request(PATH, {
    method: "POST",
    key,
    body: body as NonNullable<RequestInit["body"]>,
    headers: {
      "content-type": type,
      ...(idempotency !== undefined && { "idempotency-key": idempotency }),
      // A connection of its own, so that either worker may answer.
      connection: "close",
    },
  })
}

async function results(...args: Parameters<typeof send>): Promise<readonly EvidenceItem[]> {
  const response = await send(...args)
  const body = (await response.json()) as { results: EvidenceItem[] }
  assert.equal(response.status, 200, JSON.stringify(body))
  assert.deepEqual(Object.keys(body), ["results"])
  assert.deepEqual(
    body.results.map(({ index }) => index),
    body.results.map((_, n) => n),
  )
  return body.results
}

/** What became of each line: its status, or its problem's code and first pointer. */
const became = (items: readonly EvidenceItem[]): string[] =>
  items.map(({ status, problem }) =>
    status === undefined ? `${problem.code} ${problem.errors?.[0]?.pointer ?? ""}`.trim() : status,
  )

async function sent(...args: Parameters<typeof send>): Promise<string[]> {
  return became(await results(...args))
}

async function sentAsLines(body: string | Uint8Array, options?: SendOptions): Promise<unknown> {
  const response = await post(body, "application/x-ndjson", options)
  const text = await response.text()
  assert.equal(response.status, 200, text)
  assert.match(response.headers.get("content-type") ?? "", /^application\/x-ndjson/)
  assert.ok(text.endsWith("\n"))
  return became(
    text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as EvidenceItem),
  )
}

function text(email: string, key = one, from = service): Promise<string> {
  return explainedText(from, email, key)
}

/** The explained answer. Scoring its explained input gives the same answer. */
async function score(email: string, key = one, from = service): Promise<Body> {
  const body = JSON.parse(await text(email, key, from)) as Body
  const { risk_score, threat_stage } = assessEmail(body.explanation.input, currentModels.email)
  assert.deepEqual([body.risk_score, body.threat_stage], [risk_score, threat_stage])
  return body
}

async function phone(phone_number: string, key = one): Promise<Record<string, unknown>> {
  const response = await service.request("/api/v1/phone-risk?explain=true", {
    key,
    json: { phone_number },
    headers: { connection: "close" },
  })
  assert.equal(response.status, 200)
  return (await response.json()) as Record<string, unknown>
}

const phoneInput = async (...args: Parameters<typeof phone>): Promise<PhoneInput> =>
  ((await phone(...args))["explanation"] as { input: PhoneInput }).input

/** A number's answer without what the moment of the request moves. */
async function phoneText(...args: Parameters<typeof phone>): Promise<string> {
  return JSON.stringify(await phone(...args))
    .replace(/"as_of":"[^"]+"/, '"as_of":""')
    .replace(/"decision_id":"[^"]+"/, '"decision_id":null')
    .replaceAll(/\d+\.\d+/g, "0")
}

const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString()
const hoursAgo = (hours: number): string => new Date(Date.now() - hours * HOUR_MS).toISOString()
let people = 0
/** An address nothing is known about. */
const stranger = (): string => `maria.lopez${++people}@mail.example`
const breach = (email: string, changes: Line = {}): Line => ({
  email,
  kind: "breach",
  source: "soc",
  observed_at: daysAgo(10),
  ...changes,
})

async function problemOf(response: Response): Promise<{ code: string; detail?: string }> {
  assert.match(response.headers.get("content-type") ?? "", /^application\/problem\+json/)
  return (await response.json()) as { code: string }
}

test("a line is in the next score of every worker, as it was sent and once", async () => {
  const email = stranger()
  const clean = await score(email)
  const line = breach(email, {
    item: "login.shop.example",
    secret: "plaintext",
    confidence: 0.9,
    classes: ["payment", "dob", "payment"],
  })
  assert.deepEqual(await sent([line, line]), ["stored", "known"])
  for (let request = 0; request < 4; request++) {
    const scored = await score(email)
    assert.deepEqual(scored.explanation.input, {
      ...clean.explanation.input,
      exposures: [
        {
          kind: "breach",
          source: "soc",
          item: "login.shop.example",
          age: 10,
          conf: 0.9,
          secret: "plaintext",
          classes: ["dob", "payment"],
        },
      ],
    })
    assert.equal(scored.threat_stage, "LEAKED")
    assert.equal(scored.exposure_count, 1)
    assert.equal(scored.explanation.matched, "exact")
    assert.ok(scored.risk_score > clean.risk_score)
  }
  assert.deepEqual(await sent([line]), ["known"])
  // Other content is another line: the classes in another order are not.
  const reordered = { ...line, classes: ["dob", "payment"] }
  assert.deepEqual(await sent([reordered, { ...line, confidence: 0.5 }]), ["known", "stored"])
})

test("a good line beside a bad one is stored, and each gets its own outcome", async () => {
  const email = stranger()
  const phone_number = "+61491570110"
  const fits = breach(email)
  const scored = await sent([
    fits,
    "breach",
    { ...fits, kind: undefined },
    { ...fits, kind: "sim_change" },
    { phone_number, kind: "breach", source: "soc", observed_at: hoursAgo(2) },
    { ...fits, email: "nobody" },
    { ...fits, email: undefined, phone_number: "123", kind: "port" },
    { ...fits, observed_at: "1989-12-31" },
    { ...fits, observed_at: daysAgo(-1.1) },
    { ...fits, password: "hunter2" },
    { ...fits, source: "feedback" },
    { ...fits, kind: "delivered" },
  ])
  assert.deepEqual(scored, [
    "stored",
    "invalid-request #",
    "invalid-request #/kind",
    "invalid-request #/kind",
    "invalid-request #/kind",
    "not-an-email",
    "not-a-phone-number",
    "invalid-request #/observed_at",
    "invalid-request #/observed_at",
    "password-refused",
    "invalid-request #/source",
    "stored",
  ])
  const { input } = (await score(email)).explanation
  assert.equal(input.exposures?.length, 1)
  assert.equal(input.trust?.deliverable, true)
})

test("old evidence from elsewhere is no history of the tenant's own with the identity", async () => {
  const email = stranger()
  const { coverage } = (await score(email)).explanation.input
  await sent([breach(email, { observed_at: "2012-06-05" })])
  const scored = (await score(email)).explanation.input
  assert.deepEqual(scored.coverage, coverage)
  assert.ok((scored.trust?.emailAge ?? 0) > 4000, "an old breach still proves an old mailbox")
})

test("telecom evidence is in the tenant's next phone answer and in no other's", async () => {
  const phone_number = "+61491570111"
  const clean = await phoneText(phone_number, other)
  const of = (kind: string, changes: Line = {}): Line => ({
    phone_number,
    kind,
    source: "carrier",
    observed_at: hoursAgo(5),
    ...changes,
  })
  assert.deepEqual(await sent([of("sim_change")]), ["stored"])
  const changed = await phone(phone_number)
  assert.equal(changed["sim_change_detected"], true)
  assert.equal(changed["sim_swap_risk"], "high")
  const values: Readonly<Record<string, unknown>> = {
    line_status: "inactive",
    call_forwarding: true,
    tenure: 20,
    subscription: "prepaid",
    sim_unchanged: 3,
  }
  const kinds = PHONE_SENT_KINDS.filter((kind) => kind !== "sim_change")
  const lines = kinds.map((kind) => of(kind, kind in values ? { value: values[kind] } : {}))
  assert.deepEqual(
    await sent(lines),
    kinds.map(() => "stored"),
  )
  const input = await phoneInput(phone_number)
  assert.deepEqual(
    [input.active, input.callForwarding, input.line, input.routeChanges90d],
    [false, true, "mobile_prepaid", 1],
  )
  assert.equal(Math.floor(input.tenureDays ?? 0), 20)
  assert.deepEqual(
    [input.recycledSinceVerified, input.otpFailureBurst, input.blocklisted],
    [true, true, true],
  )
  assert.equal(input.deviceChangedWithSim, true)
  // The SIM change lies within the days for which evidence denies one.
  assert.equal(input.noSimChangeDays, undefined)
  assert.ok((input.portAge ?? 0) >= 5 / 24 && (input.portAge ?? 0) < 7 / 24, "dated by the hour")
  assert.equal(await phoneText(phone_number, other), clean)
})

test("lines are taken as a stream of JSON too, and hostile ones spoil no other", async () => {
  const email = stranger()
  const line = JSON.stringify(breach(email))
  const long = JSON.stringify(breach(email, { padding: "x".repeat(5000) }))
  const body = Buffer.concat([
    Buffer.from(`\ufeff${line}\r\n\r\n  \n{"email":\n`),
    Buffer.from([0xff, 0xfe, 0x0a]),
    Buffer.from(`${long}\n${"[".repeat(2000)}\n{"__proto__":${line}}\nnull\n7\n[]\n`),
    Buffer.from(`{"password":"x"}\n\u0000\n{"email":{"toString":1},"kind":["breach"]}\n${line}`),
  ])
  assert.deepEqual(await sentAsLines(body), [
    "stored",
    "malformed-json",
    "malformed-json",
    "body-too-large",
    "malformed-json",
    "invalid-request #/email",
    "invalid-request #",
    "invalid-request #",
    "invalid-request #",
    "password-refused",
    "malformed-json",
    "invalid-request #/email",
    "known",
  ])
  assert.equal((await score(email)).explanation.input.exposures?.length, 1)
})

test("a request has 1 to 10,000 lines and 8 MiB, and past that nothing is stored", async () => {
  const email = stranger()
  const clean = await text(email)
  const line = JSON.stringify(breach(email))
  const many = Array<string>(EVIDENCE_LINES_MAX + 1).fill(line)
  for (const [body, type] of [
    [`[${many.join(",")}]`, "application/json"],
    [many.join("\n"), "application/x-ndjson"],
  ] as const) {
    const response = await post(body, type)
    assert.equal(response.status, 413, type)
    assert.equal((await problemOf(response)).code, "body-too-large")
  }
  // Refused by its length alone, before any byte is sent.
  const headers = { "content-length": String(8 * 1024 * 1024 + 1) }
  const large = openStream(service, { path: PATH, key: one, headers })
  assert.equal((await large.response).statusCode, 413)
  large.request.destroy()
  for (const [body, type, status, code] of [
    ["[]", "application/json", 400, "invalid-request"],
    ["{}", "application/json", 400, "invalid-request"],
    ["[", "application/json", 400, "malformed-json"],
    ["\n \n", "application/x-ndjson", 400, "invalid-request"],
    ["", "application/x-ndjson", 400, "invalid-request"],
    [line, "text/plain", 415, "unsupported-media-type"],
  ] as const) {
    const response = await post(body, type)
    assert.equal(response.status, status, body)
    assert.equal((await problemOf(response)).code, code, body)
  }
  assert.equal(await text(email), clean)
  // Exactly 8 MiB are taken.
  const full = line + "\n".repeat(8 * 1024 * 1024 - line.length)
  assert.deepEqual(await sentAsLines(full), ["stored"])
})

test("ten thousand lines are stored with one request, and sent again they are known", async () => {
  const emails = Array.from({ length: EVIDENCE_LINES_MAX }, (_, n) => `bulk${n}@mail.example`)
  const lines = emails.map((email) => breach(email, { observed_at: "2026-01-02" }))
  assert.deepEqual(new Set(await sent(lines)), new Set(["stored"]))
  for (const n of [0, 4_999, 9_999])
    assert.equal((await score(emails[n] ?? "")).threat_stage, "LEAKED")
  assert.deepEqual(new Set(await sent(lines)), new Set(["known"]))
})

test("of one identity 64 lines act, those that matter most, and the answer says how many were cut", async () => {
  const email = stranger()
  const lines = Array.from({ length: 70 }, (_, n) => breach(email, { item: `log ${n}` }))
  const attack = breach(email, { kind: "attack", observed_at: daysAgo(30) })
  await sent([...lines, attack])
  const { explanation, threat_stage } = await score(email)
  assert.equal(explanation.entries_cut, 7)
  assert.equal(threat_stage, "ATTACKED")
})

test("a tenant names a hundred sources and no more, and those it named go on", async () => {
  const key = await createKey(
    service,
    "--tenant",
    "many",
    "--plan",
    "enterprise",
    "--scopes",
    "all",
  )
  const email = stranger()
  const lines = Array.from({ length: EVIDENCE_SOURCES_MAX + 2 }, (_, n) =>
    breach(email, { source: `source-${n}` }),
  )
  const scored = await sent(lines, { key })
  assert.deepEqual(
    scored.filter((each) => each !== "stored"),
    ["invalid-request #/source", "invalid-request #/source"],
  )
  assert.deepEqual(await sent([breach(stranger(), { source: "source-7" })], { key }), ["stored"])
  assert.deepEqual(await sent([breach(email, { source: "one-more" })], { key }), [
    "invalid-request #/source",
  ])
  assert.deepEqual(await sent([breach(email, { source: "one-more" })]), ["stored"])
})

test("evidence takes a tenant's key with its scope", async () => {
  const lines = [breach(stranger())]
  const scoring = await createKey(service, "--tenant", "one", "--scopes", "score,feedback:write")
  const administration = await createKey(service, "--service", "--scopes", "subjects:admin")
  for (const key of [scoring, administration]) {
    const response = await send(lines, { key })
    assert.equal(response.status, 403)
    assert.match(response.headers.get("www-authenticate") ?? "", /scope="evidence:write"/)
  }
  assert.equal((await service.request(PATH, { key: null, json: lines })).status, 401)
})

test("under one Idempotency-Key a request is carried out once, whichever worker it reaches", async () => {
  const email = stranger()
  const lines = [breach(email), { ...breach(email), kind: "nonsense" }]
  const idempotency = "sent-often"
  const answers = await Promise.all(Array.from({ length: 12 }, () => send(lines, { idempotency })))
  const bodies = await Promise.all(
    answers.map(async (answer) => [answer.status, await answer.text()] as const),
  )
  const accepted = new Set(bodies.filter(([status]) => status === 200).map(([, body]) => body))
  assert.equal(accepted.size, 1)
  for (const [status] of bodies) assert.ok(status === 200 || status === 409, String(status))
  assert.deepEqual(await sent(lines, { idempotency }), ["stored", "invalid-request #/kind"])
  assert.deepEqual(await sent(lines), ["known", "invalid-request #/kind"])

  const changed = await send([breach(stranger())], { idempotency })
  assert.equal(changed.status, 422)
  assert.equal((await problemOf(changed)).code, "idempotency-mismatch")
  // As lines of bytes it is another body, and a name belongs to the key that used it.
  const asLines = lines.map((line) => JSON.stringify(line)).join("\n")
  const otherForm = await post(asLines, "application/x-ndjson", { idempotency })
  assert.equal((await problemOf(otherForm)).code, "idempotency-mismatch")
  assert.deepEqual(await sent(lines, { idempotency, key: other }), [
    "stored",
    "invalid-request #/kind",
  ])
  const named = { idempotency: "as-lines" }
  const again = breach(stranger())
  for (let twice = 0; twice < 2; twice++)
    assert.deepEqual(await sentAsLines(JSON.stringify(again), named), ["stored"])
  const spaced = await post(`${JSON.stringify(again)} `, "application/x-ndjson", named)
  assert.equal((await problemOf(spaced)).code, "idempotency-mismatch")
  // Feedback under the same name is another operation's.
  const feedback = await service.request("/api/v1/feedback", {
    key: one,
    json: { email, outcome: "clear" },
    headers: { "idempotency-key": idempotency },
  })
  assert.equal(feedback.status, 202)
})

interface Word {
  readonly person: number
  readonly kind: (typeof EMAIL_SENT_KINDS)[number]
  readonly days: number
  readonly source: string
  readonly secret: string
}

test("whatever one tenant sends: its own answers follow, no other's changes by a byte", async () => {
  const persons = [stranger(), stranger(), "sofia.rossi@mail.example", "mei.tanaka@mail.example"]
  const number = "+61491570156"
  const watched = [...persons, stranger(), "liam.walker@mail.example"]
  const anyWord = fc.record<Word>({
    person: fc.nat(persons.length - 1),
    kind: fc.constantFrom(...EMAIL_SENT_KINDS),
    days: fc.integer({ min: 0, max: 900 }),
    source: fc.constantFrom("soc", "mail", "breaches.example"),
    secret: fc.constantFrom("none", "weak_hash", "plaintext"),
  })
  const others = async (): Promise<string> =>
    JSON.stringify([
      ...(await Promise.all(watched.map((email) => text(email, other)))),
      ...(await Promise.all(watched.map((email) => text(email, service.key ?? "")))),
      await phoneText(number, other),
    ])
  const before = await others()
  for (let done = 0; done < SEQUENCES; done += SEQUENCES_A_TENANT) {
    const named = ["--tenant", `sends-${done}`, "--plan", "enterprise", "--scopes", "all"]
    const key = await createKey(service, ...named)
    const inputs = await Promise.all(
      persons.map(async (email) => (await score(email, key)).explanation.input),
    )
    const scored = new Map<string, Word>()
    const property = fc.asyncProperty(
      fc.array(anyWord, { minLength: 1, maxLength: 12 }),
      async (words) => {
        const lines = words.map(({ person, kind, days, source, secret }) =>
          breach(persons[person] ?? "", {
            kind,
            source,
            observed_at: daysAgo(days).slice(0, 10),
            ...(isExposure(kind) && { secret }),
            ...(kind === "catch_all" && { value: true }),
          }),
        )
        const ports = words.map(({ days }) => ({
          phone_number: number,
          kind: "port",
          source: "soc",
          observed_at: daysAgo(days),
        }))
        const statuses = await sent([...lines, ...ports], { key })
        assert.deepEqual(
          statuses.filter((status) => status !== "stored" && status !== "known"),
          [],
        )
        for (const word of words) scored.set(contentOf(word), word)
        assert.equal(await others(), before)
        for (const [person, email] of persons.entries()) {
          const own = [...scored.values()].filter((word) => word.person === person)
          await assertFollows(email, key, own, inputs[person] ?? {})
        }
      },
    )
    // No shrinking: what was sent stays sent, so a smaller sequence would not start from nothing.
    const numRuns = Math.min(SEQUENCES - done, SEQUENCES_A_TENANT)
    await fc.assert(property, { seed: 20_261_115 + done, numRuns, endOnFailure: true })
  }
})

const isExposure = (kind: string): boolean =>
  ["breach", "paste", "combolist", "stealer", "phish"].includes(kind)

function contentOf({ person, kind, days, source, secret }: Word): string {
  return JSON.stringify([person, kind, days, source, isExposure(kind) ? secret : ""])
}

/** Asserts that the answer rests on what was sent about the address and what was there before. */
async function assertFollows(
  email: string,
  key: string,
  words: readonly Word[],
  before: Pick<EmailInput, "exposures" | "signals">,
): Promise<void> {
  const { input, entries_cut } = (await score(email, key)).explanation
  assert.equal(entries_cut, 0)
  const mine = ({ source }: { source: string }): boolean =>
    ["soc", "mail", "breaches.example"].includes(source)
  const exposures = words.filter(({ kind }) => isExposure(kind))
  assert.equal(input.exposures?.filter(mine).length, exposures.length)
  assert.equal(input.exposures.length, exposures.length + (before.exposures?.length ?? 0))
  const state = new Set(["blocklisted", "bounced", "delivered", "catch_all"])
  const signals = words.filter(({ kind }) => !isExposure(kind) && !state.has(kind))
  assert.deepEqual(
    input.signals
      ?.filter(mine)
      .map(({ type, age }) => `${type} ${age}`)
      .sort(),
    signals.map(({ kind, days }) => `${kind} ${days}`).sort(),
  )
  const listed = words.filter(({ kind }) => kind === "blocklisted").length
  assert.equal(input.trust?.blocklist?.length ?? 0, listed)
}

test("evidence that was acknowledged is there after kill -9 at once; what was under way is whole or sent again", async () => {
  const data = join(temporary, "killed")
  for (let round = 0; round < KILLS; round++) {
    const first = await startService({ dataDirectory: data, args: ["--workers", "2"] })
    const key = first.key ?? ""
    const email = `killed${round}@mail.example`
    const idempotency = `round-${round}`
    const lines = [breach(email, { observed_at: "2026-01-02", secret: "plaintext" })]
    assert.deepEqual(await sent(lines, { key, idempotency, to: first }), ["stored"])
    const crowd = Array.from({ length: 3_000 }, (_, n) =>
      breach(`crowd${round}.${n}@mail.example`, { observed_at: "2026-01-02" }),
    )
    const underWay = send(crowd, { key, idempotency: `${idempotency}-crowd`, to: first })
    underWay.catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, 60 * (round + 1)))
    await first.kill()
    const again = await startService({ dataDirectory: data })
    assert.equal((await score(email, key, again)).threat_stage, "LEAKED")
    assert.deepEqual(await sent(lines, { key, idempotency, to: again }), ["stored"])
    assert.deepEqual(await sent(lines, { key, to: again }), ["known"])
    // Nothing of the crowd was acknowledged, so either all or nothing was stored.
    const statuses = await sent(crowd, { key, to: again })
    assert.equal(new Set(statuses).size, 1)
    for (const n of [0, 1_500, 2_999]) {
      const found = await score(`crowd${round}.${n}@mail.example`, key, again)
      assert.equal(found.threat_stage, "LEAKED")
    }
    await again.kill()
  }
})

test("no address, number, password or Idempotency-Key of evidence is in any file, log line or answer", async () => {
  const data = join(temporary, "canary")
  const email = "canary.qzvwx+tag@canary-domain-qzvwx.example"
  const phone_number = "+61491570737"
  const password = "Canary-Pass-qzvwx"
  const canaries = [
    "canary.qzvwx",
    "canary-domain-qzvwx",
    phone_number.slice(1),
    password,
    createHash("sha256").update("canary.qzvwx@canary-domain-qzvwx.example").digest("latin1"),
    createHash("sha256").update(password).digest("latin1"),
  ]
  const first = await startService({ dataDirectory: data, env: { ASSAY_LOG_LEVEL: "debug" } })
  const key = first.key ?? ""
  const line = breach(email)
  const lines = [
    line,
    { ...line, password },
    { ...line, secret: password },
    { ...line, item: email },
    { ...line, item: `call ${phone_number}` },
    { ...line, source: email },
    { ...line, kind: password, observed_at: email, confidence: phone_number, classes: [password] },
    { ...line, [password]: password, value: password },
    { phone_number, kind: "sim_change", source: "soc", observed_at: hoursAgo(1), note: password },
    { email: phone_number, phone_number: email },
    password,
  ]
  const answers: string[] = []
  const asLines = [...lines.map((each) => JSON.stringify(each)), `{"email":"${email}`, password]
  const form = { key, idempotency: email, to: first }
  for (const response of [
    await send(lines, form),
    await post(asLines.join("\n"), "application/x-ndjson", { key, to: first }),
    await post(`[{"password":"${password}"`, "application/json", { key, to: first }),
    await post(password, "text/plain", { key, to: first }),
  ])
    answers.push(JSON.stringify([...response.headers]) + (await response.text()))
  await first.kill()
  const held = (bytes: string): string[] =>
    canaries.filter((canary) => bytes.toLowerCase().includes(canary.toLowerCase()))
  assert.match(answers[0] ?? "", /"status":"stored"/)
  for (const each of [...answers, first.stderr(), first.stdout()]) assert.deepEqual(held(each), [])
  for (const { path, bytes } of filesBelow(data))
    assert.deepEqual(held(bytes.toString("latin1")), [], path)
})
