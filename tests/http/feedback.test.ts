import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { FEEDBACK_OUTCOMES, type FeedbackRequest, type FeedbackOutcome } from "@assay/core/contract"
import { IDENTITY_TAGS, identityKey, parseEmail } from "@assay/core/identity"
import { assessEmail, type EmailInput, type EmailRemedy } from "@assay/core/score"
import fc from "fast-check"
import { effectiveEvidence } from "../../packages/server/src/intake/effective-evidence.ts"
import { currentModels } from "../../packages/server/src/score/models.ts"
import { openSecrets, sha256 } from "../../packages/runtime/src/secrets.ts"
import { openLmdbIndex } from "../../packages/stores/src/lmdb/exposure-index.ts"
import { DAY_MS } from "../../packages/runtime/src/time.ts"
import { createKey } from "../cli/assay.ts"
import { ofOneNode } from "./about-one-node.ts"
import { severalNodes } from "./shared-stores.ts"
import { openRecordsOf } from "./records-of.ts"
import { explainedText, type Service, startService } from "./service.ts"
import { filesBelow } from "./search.ts"
import { temporaryDirectory } from "./temporary.ts"

const temporary = temporaryDirectory()
const SEQUENCES = process.env["ASSAY_SOAK"] === undefined ? 8 : 300
const PATH = "/api/v1/feedback"

interface Body {
  readonly risk_score: number
  readonly threat_stage: string
  readonly recommended_action: string
  readonly explanation: {
    readonly input: EmailInput
    readonly matched: string | null
    readonly remedies: readonly EmailRemedy[]
  }
}

let service: Service
let one: string
let other: string
before(async () => {
  service = await startService({ args: ["--workers", "2"] })
  one = await createKey(service, "--tenant", "one", "--plan", "enterprise", "--scopes", "all")
  other = await createKey(service, "--tenant", "other", "--plan", "enterprise", "--scopes", "all")
})
after(() => service.stop())

async function send(
  json: Partial<FeedbackRequest> | object,
  {
    key = one,
    idempotency,
    to = service,
  }: { key?: string; idempotency?: string; to?: Service } = {},
): Promise<Response> {
  const headers = idempotency === undefined ? {} : { "idempotency-key": idempotency }
  // A connection of its own, so that either worker may answer.
  return await to.request(PATH, { key, json, headers: { ...headers, connection: "close" } })
}

async function stored(...args: Parameters<typeof send>): Promise<string> {
  const response = await send(...args)
  const body = (await response.json()) as { id: string }
  assert.equal(response.status, 202, JSON.stringify(body))
  assert.deepEqual(Object.keys(body), ["id"])
  return body.id
}

async function undo(id: string, key = one): Promise<Response> {
  return await service.request(`${PATH}/${id}`, { method: "DELETE", key })
}

function text(email: string, key = one, from = service): Promise<string> {
  return explainedText(from, email, key)
}

/** The explained answer. Scoring its explained input gives the same answer. */
async function score(email: string, key = one, from = service): Promise<Body> {
  const body = JSON.parse(await text(email, key, from)) as Body
  const { risk_score, threat_stage, recommended_action } = assessEmail(
    body.explanation.input,
    currentModels.email,
  )
  assert.deepEqual(
    [body.risk_score, body.threat_stage, body.recommended_action],
    [risk_score, threat_stage, recommended_action],
  )
  return body
}

async function phoneText(phone_number: string, key = one): Promise<string> {
  const response = await service.request("/api/v1/phone-risk?explain=true", {
    key,
    json: { phone_number },
  })
  assert.equal(response.status, 200)
  // A number's answer names the moment it was given.
  return (await response.text())
    .replace(/"as_of":"[^"]+"/, '"as_of":""')
    .replace(/"decision_id":"[^"]+"/, '"decision_id":null')
    .replaceAll(/\d+\.\d+/g, "0")
}

const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString()
let people = 0
/** An address nothing is known about. */
const stranger = (): string => `maria.lopez${++people}@mail.example`

async function problemOf(response: Response): Promise<{ code: string; errors?: unknown }> {
  assert.match(response.headers.get("content-type") ?? "", /^application\/problem\+json/)
  return (await response.json()) as { code: string }
}

test("confirmed fraud is the owner's: the score rises and fades by its age, the stage stays", async () => {
  const email = stranger()
  const clean = await score(email)
  await stored({ email, outcome: "fraud_confirmed", occurred_at: daysAgo(10) })
  const scored = await score(email)
  assert.equal(scored.explanation.input.trust?.confirmedFraudAge, 10)
  assert.equal(scored.threat_stage, "CLEAN")
  assert.ok(scored.risk_score > clean.risk_score + 20)
  const older = stranger()
  await stored({ email: older, outcome: "fraud_confirmed", occurred_at: daysAgo(1000) })
  const faded = (await score(older)).risk_score
  assert.ok(clean.risk_score <= faded && faded < scored.risk_score)
})

test("a confirmed takeover is an attack of confidence 0.95, with a loss turned into money", async () => {
  const email = stranger()
  const { input } = (await score(email)).explanation
  await stored({ email, outcome: "takeover_confirmed" })
  const attack = { type: "attack", source: "feedback", age: 0, conf: 0.95 }
  const attacked = await score(email)
  assert.equal(attacked.threat_stage, "ATTACKED")
  assert.equal(attacked.recommended_action, "block")
  assert.equal(attacked.explanation.matched, "exact")
  assert.deepEqual(attacked.explanation.input, { ...input, signals: [attack] })
  await stored({ email, outcome: "takeover_confirmed", loss: 120.5 })
  const sold = await score(email)
  assert.equal(sold.threat_stage, "MONETIZED")
  assert.deepEqual(sold.explanation.input.signals, [attack, { ...attack, type: "monetized" }])
})

test("a rotated credential lowers what was exposed before it", async () => {
  const email = "ivan.petrov@mail.example"
  const exposed = await score(email)
  assert.ok(exposed.risk_score > 25, "the demo's identity is exposed")
  const { remedies } = exposed.explanation
  const promised = remedies.find(({ remedy }) => remedy === "password_change")
  await stored({ email, outcome: "credential_rotated" })
  const rotated = await score(email)
  assert.equal(rotated.risk_score, promised?.risk_score)
  assert.equal(rotated.threat_stage, promised?.threat_stage)
  assert.ok(rotated.explanation.remedies.every(({ remedy }) => remedy !== "password_change"))
  assert.equal(rotated.explanation.input.rotatedAge, 0)
  assert.ok(rotated.risk_score < exposed.risk_score)
})

test("verified ownership lowers the score; for coverage it counts a year", async () => {
  const email = stranger()
  const { input } = (await score(email)).explanation
  assert.equal(input.coverage?.trust, 0.4)
  await stored({ email, outcome: "ownership_verified" })
  const owned = (await score(email)).explanation.input
  assert.deepEqual(owned, {
    ...input,
    coverage: { ...input.coverage, trust: 0.6 },
    trust: { ...input.trust, ownershipVerified: true },
  })
  const long = stranger()
  await stored({ email: long, outcome: "ownership_verified", occurred_at: daysAgo(400) })
  const old = (await score(long)).explanation.input
  assert.equal(old.trust?.ownershipVerified, true)
  assert.equal(old.coverage?.trust, 0.4)
})

test("not_fraud takes back this tenant's labels and begins good history; clear takes back all", async () => {
  const email = stranger()
  const clean = await text(email)
  await stored({ email, outcome: "fraud_confirmed" })
  await stored({ email, outcome: "takeover_confirmed", loss: 5 })
  await stored({ email, outcome: "not_fraud", occurred_at: daysAgo(200) })
  const good = await score(email)
  assert.equal(good.threat_stage, "CLEAN")
  assert.deepEqual(good.explanation.input.signals, [])
  assert.equal(good.explanation.input.trust?.confirmedFraudAge, undefined)
  assert.equal(good.explanation.input.trust?.goodHistoryDays, 200)
  await stored({ email, outcome: "clear" })
  assert.equal(await text(email), clean)
})

test("undoing is as if it had never been sent, once or twice, and for its own tenant alone", async () => {
  const email = stranger()
  const clean = await text(email)
  const label = await stored({ email, outcome: "takeover_confirmed" })
  const attacked = await text(email)
  const cancelled = await stored({ email, outcome: "not_fraud" })
  assert.equal((await problemOf(await undo(cancelled, other))).code, "feedback-not-found")
  assert.notEqual(await text(email), attacked)
  assert.equal((await undo(cancelled)).status, 204)
  assert.equal(await text(email), attacked)
  for (let twice = 0; twice < 2; twice++) assert.equal((await undo(label)).status, 204)
  assert.equal(await text(email), clean)
  // A balancer refuses by itself what is no path.
  const none = severalNodes ? [] : ["%00"]
  for (const id of [`fb_${"0".repeat(28)}`, "fb_1", ...none, `${label}0`]) {
    const response = await undo(id)
    assert.equal(response.status, 404)
    assert.equal((await problemOf(response)).code, "feedback-not-found")
  }
})

test("feedback with an end acts until then, and what it took back returns", async () => {
  const email = stranger()
  await stored({ email, outcome: "takeover_confirmed" })
  const attacked = await text(email)
  // Long enough to be seen in force on a busy machine; the end is waited for, however long it
  // takes.
  const expires_at = new Date(Date.now() + 3000).toISOString()
  await stored({ email, outcome: "clear", expires_at })
  const cleared = await text(email)
  if (Date.now() < Date.parse(expires_at)) assert.notEqual(cleared, attacked)
  for (let n = 0; n < 300 && (await text(email)) !== attacked; n++) await delay(100)
  assert.equal(await text(email), attacked)
  assert.ok(Date.now() >= Date.parse(expires_at))
})

test("of a phone number fraud is reported and taken back, and ownership proved", async () => {
  const phone_number = "+61491570110"
  const clean = await phoneText(phone_number)
  await stored({ phone_number, outcome: "fraud_confirmed" })
  assert.match(await phoneText(phone_number), /"blocklisted":true/)
  await stored({ phone_number, outcome: "not_fraud" })
  assert.equal(await phoneText(phone_number), clean)
  await stored({ phone_number, outcome: "ownership_verified" })
  assert.match(await phoneText(phone_number), /"verifiedAge":/)
  await stored({ phone_number, outcome: "clear" })
  assert.equal(await phoneText(phone_number), clean)
})

test("an alias speaks for its mailbox, and the answer says which was meant", async () => {
  const email = stranger()
  await stored({ email: email.replace("@", "+shop@"), outcome: "takeover_confirmed" })
  const mailbox = await score(email)
  assert.equal(mailbox.threat_stage, "ATTACKED")
  assert.equal(mailbox.explanation.matched, "mailbox")
  assert.equal((await score(email.replace("@", "+shop@"))).explanation.matched, "exact")
})

test("a request that does not fit is refused by pointer, and nothing is stored", async () => {
  const email = stranger()
  const clean = await text(email)
  const refusals: [object, string][] = [
    [{ email, outcome: "fraud" }, "#/outcome"],
    [{ email }, "#/outcome"],
    [{ outcome: "clear" }, "#/email"],
    [{ email, phone_number: "+61491570110", outcome: "clear" }, "#/email"],
    [{ email: 7, outcome: "clear" }, "#/email"],
    [{ email, outcome: "takeover_confirmed", loss: -1 }, "#/loss"],
    [{ email, outcome: "takeover_confirmed", loss: "5" }, "#/loss"],
    [{ email, outcome: "ownership_verified", loss: 5 }, "#/loss"],
    [{ email, outcome: "fraud_confirmed", occurred_at: daysAgo(-1) }, "#/occurred_at"],
    [{ email, outcome: "fraud_confirmed", occurred_at: "1989-01-01T00:00:00Z" }, "#/occurred_at"],
    [{ email, outcome: "fraud_confirmed", expires_at: daysAgo(1) }, "#/expires_at"],
    [{ email, outcome: "fraud_confirmed", reference: "x".repeat(129) }, "#/reference"],
    [{ email, outcome: "fraud_confirmed", reference: email }, "#/reference"],
  ]
  for (const [json, pointer] of refusals) {
    const response = await send(json)
    assert.equal(response.status, 400, pointer)
    const problem = await problemOf(response)
    assert.equal(problem.code, "invalid-request")
    assert.equal((problem.errors as { pointer: string }[])[0]?.pointer, pointer)
  }
  const rotated = await send({ phone_number: "+61491570110", outcome: "credential_rotated" })
  assert.equal(rotated.status, 422)
  assert.equal((await problemOf(rotated)).code, "outcome-not-applicable")
  assert.equal((await send({ email: "nobody", outcome: "clear" })).status, 422)
  assert.equal((await send({ phone_number: "123", outcome: "clear" })).status, 422)
  for (const idempotency of ["a b", "x".repeat(256), "\u00e9"]) {
    const response = await send({ email, outcome: "fraud_confirmed" }, { idempotency })
    assert.equal(response.status, 400, idempotency)
  }
  assert.equal(await text(email), clean)
})

test("feedback takes a tenant's key with its scope", async () => {
  const json = { email: stranger(), outcome: "fraud_confirmed" } as const
  const scoring = await createKey(service, "--tenant", "one", "--scopes", "score")
  const administration = await createKey(service, "--service", "--scopes", "subjects:admin")
  for (const key of [scoring, administration]) {
    const response = await send(json, { key })
    assert.equal(response.status, 403)
    assert.match(response.headers.get("www-authenticate") ?? "", /scope="feedback:write"/)
    assert.equal((await undo(`fb_${"0".repeat(28)}`, key)).status, 403)
  }
  assert.equal((await service.request(PATH, { key: null, json })).status, 401)
  const free = await createKey(service, "--tenant", "free", "--scopes", "score,feedback:write")
  await stored(json, { key: free })
  assert.ok((await score(json.email, free)).risk_score > (await score(json.email)).risk_score)
})

test("under one Idempotency-Key a request is carried out once, whichever worker it reaches", async () => {
  const email = stranger()
  const json = { email, outcome: "fraud_confirmed", reference: "once" } as const
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => send(json, { idempotency: "sent-often" })),
  )
  const bodies = await Promise.all(
    answers.map(async (answer) => [answer.status, await answer.text()]),
  )
  const accepted = bodies.filter(([status]) => status === 202)
  assert.ok(accepted.length > 0)
  assert.equal(new Set(accepted.map(([, body]) => body)).size, 1)
  for (const [status] of bodies) assert.ok(status === 202 || status === 409, String(status))
  const id = await stored(json, { idempotency: "sent-often" })
  assert.equal(JSON.stringify({ id }), accepted[0]?.[1])
  assert.equal((await rowsAbout(service.dataDirectory, email)).length, 1)

  const changed = await send({ ...json, outcome: "clear" }, { idempotency: "sent-often" })
  assert.equal(changed.status, 422)
  assert.equal((await problemOf(changed)).code, "idempotency-mismatch")
  assert.notEqual(await stored(json, { idempotency: "another" }), id)
  // A name belongs to the key that used it.
  assert.notEqual(await stored(json, { idempotency: "sent-often", key: other }), id)
})

/** What the records hold about an address, for any tenant. */
async function rowsAbout(data: string, email: string): Promise<readonly { readonly id: string }[]> {
  const records = await openRecordsOf(data)
  const identity = keyOf(data, email)
  const rows = await Promise.all(
    (await records.tenants()).map(({ id }) =>
      records.feedbackOf({ tenantId: id, identityKey: identity }),
    ),
  )
  await records.close()
  return rows.flat()
}

function keyOf(data: string, email: string): Uint8Array {
  const parsed = parseEmail(email)
  if ("fault" in parsed) assert.fail(parsed.detail)
  const { subkeys } = openSecrets(join(data, "secret"), false)
  return identityKey(sha256, subkeys.identity, IDENTITY_TAGS.email, parsed.canonical)
}

interface Word {
  readonly person: number
  readonly outcome: FeedbackOutcome
  readonly days: number
  readonly loss: number
  /** Undone right after it was sent. */
  readonly undone: boolean
}

test("whatever one tenant reports, in any order: its own answers follow, no other's changes by a byte", async () => {
  const persons = [stranger(), stranger(), "sofia.rossi@mail.example", "mei.tanaka@mail.example"]
  const number = "+61491570156"
  const watched = [...persons, stranger(), "liam.walker@mail.example"]
  const anyWord = fc.record<Word>({
    person: fc.nat(persons.length - 1),
    outcome: fc.constantFrom(...FEEDBACK_OUTCOMES),
    days: fc.integer({ min: 0, max: 900 }),
    loss: fc.nat(1),
    undone: fc.boolean(),
  })
  const others = async (): Promise<string> =>
    JSON.stringify([
      ...(await Promise.all(watched.map((email) => text(email, other)))),
      ...(await Promise.all(watched.map((email) => text(email, service.key ?? "")))),
      await phoneText(number, other),
    ])
  const before = await others()
  const scored = new Map<number, Parameters<typeof effectiveEvidence>[0][number][]>()
  const seen = new Set<FeedbackOutcome>()
  const property = fc.asyncProperty(
    fc.array(anyWord, { minLength: 1, maxLength: 8 }),
    async (words) => {
      for (const { person, outcome, days, loss, undone } of words) {
        seen.add(outcome)
        const labels = outcome === "fraud_confirmed" || outcome === "takeover_confirmed"
        const occurredAt = Date.now() - days * DAY_MS
        const id = await stored({
          email: persons[person],
          outcome,
          occurred_at: new Date(occurredAt).toISOString(),
          ...(labels && { loss }),
        })
        if (outcome !== "credential_rotated")
          await stored({ phone_number: number, outcome, ...(labels && { loss }) })
        if (undone) assert.equal((await undo(id)).status, 204)
        const reports = scored.get(person) ?? []
        reports.push({
          identityType: "email",
          outcome,
          occurredAt,
          aliasTag: 0,
          loss,
          expiresAt: null,
          undoneAt: undone ? 1 : null,
        })
        scored.set(person, reports)
      }
      assert.equal(await others(), before)
      for (const [person, reports] of scored) await assertFollows(persons[person] ?? "", reports)
    },
  )
  // No shrinking: what was sent stays sent, so a smaller sequence would not start from nothing.
  await fc.assert(property, { seed: 20_261_114, numRuns: SEQUENCES, endOnFailure: true })
  assert.equal(seen.size, FEEDBACK_OUTCOMES.length)
})

/** Asserts that the answer follows from all reports. */
async function assertFollows(
  email: string,
  reports: Parameters<typeof effectiveEvidence>[0],
): Promise<void> {
  const { input } = (await score(email)).explanation
  const today = Math.floor(Date.parse(`${input.as_of}T00:00:00Z`) / DAY_MS)
  const ages = new Map<string, number[]>()
  for (const { kind, occurredAt } of effectiveEvidence(reports, Date.now())) {
    const age = today - Math.floor(occurredAt / DAY_MS)
    ages.set(kind, [...(ages.get(kind) ?? []), age])
  }
  const newest = (kind: string): number | undefined => ages.get(kind)?.toSorted((a, b) => a - b)[0]
  const own = (input.signals ?? []).filter(({ source }) => source === "feedback")
  for (const type of ["attack", "monetized"] as const) {
    const found = own.filter((signal) => signal.type === type).map(({ age }) => age)
    assert.deepEqual(found.toSorted(), (ages.get(type) ?? []).toSorted(), type)
  }
  assert.equal(input.trust?.confirmedFraudAge, newest("fraud_confirmed"))
  assert.equal(input.trust?.goodHistoryDays, newest("good_history"))
  assert.equal(input.trust?.ownershipVerified, ages.has("ownership_verified") ? true : undefined)
  assert.equal(input.rotatedAge, newest("credential_rotated"))
}

const skip = ofOneNode("it writes to the index of a data directory")
test("mail that comes back ends verified ownership: the mailbox died", { skip }, async () => {
  const data = join(temporary, "bounce")
  const email = "maria.lopez@mail.example"
  const first = await startService({ dataDirectory: data })
  const key = first.key ?? ""
  await stored(
    { email, outcome: "ownership_verified", occurred_at: daysAgo(20) },
    { key, to: first },
  )
  assert.equal((await score(email, key, first)).explanation.input.trust?.ownershipVerified, true)
  await first.stop()

  const index = await openLmdbIndex({ path: join(data, "index") })
  const { id } = await index.openBatch(
    {
      name: "mail",
      title: "Mail reports",
      kind: "bounced",
      confidence: 0.9,
      classes: [],
      flags: { spamList: false, fabricated: false, sensitive: false, verified: true },
      eventDate: null,
      circulates: false,
    },
    "mail",
    Date.now(),
  )
  const bounced = {
    kind: "bounced" as const,
    secret: "none" as const,
    hours: (Math.floor(Date.now() / DAY_MS) - 3) * 24,
    fingerprint: null,
    aliasTag: 0,
    batchId: id,
    item: null,
    confidence: null,
    classes: [],
    value: null,
  }
  await index.merge(id, [{ key: keyOf(data, email), entries: [bounced] }])
  await index.goLive(id, { rows: 1, identities: 1 }, Date.now())
  await index.close()

  const again = await startService({ dataDirectory: data })
  const { trust } = (await score(email, key, again)).explanation.input
  assert.deepEqual(
    [trust?.ownershipVerified, trust?.deliverable, trust?.mailboxDied],
    [undefined, false, true],
  )
  await stored({ email, outcome: "ownership_verified" }, { key, to: again })
  const proved = (await score(email, key, again)).explanation.input.trust
  assert.equal(proved?.ownershipVerified, true)
  await again.stop()
})

test("feedback that was acknowledged is there after kill -9 at once, and is not carried out again", async () => {
  const data = join(temporary, "killed")
  for (let round = 0; round < 3; round++) {
    const email = `killed${round}@mail.example`
    const json = { email, outcome: "takeover_confirmed" } as const
    const first = await startService({ dataDirectory: data, args: ["--workers", "2"] })
    const key = first.key ?? ""
    const id = await stored(json, { key, idempotency: email.replace("@", "."), to: first })
    await first.kill()
    const again = await startService({ dataDirectory: data })
    assert.equal((await score(email, key, again)).threat_stage, "ATTACKED")
    assert.equal(await stored(json, { key, idempotency: email.replace("@", "."), to: again }), id)
    assert.equal((await rowsAbout(data, email)).length, 1)
    await again.kill()
  }
})

test("neither an address nor a number nor an Idempotency-Key of feedback is in any file, log line or answer", async () => {
  const data = join(temporary, "canary")
  const email = "canary.qzvwx+tag@canary-domain-qzvwx.example"
  const phone_number = "+61491570737"
  const canaries = [
    "canary.qzvwx",
    "canary-domain-qzvwx",
    phone_number.slice(1),
    createHash("sha256").update("canary.qzvwx@canary-domain-qzvwx.example").digest("latin1"),
  ]
  const first = await startService({ dataDirectory: data, env: { ASSAY_LOG_LEVEL: "debug" } })
  const key = first.key ?? ""
  const answers: string[] = []
  for (const json of [
    { email, outcome: "takeover_confirmed", loss: 5, reference: "case 7" },
    { email, outcome: email },
    { email, outcome: "clear", reference: `about ${email}` },
    { email, outcome: "clear", occurred_at: email, expires_at: phone_number },
    { phone_number, outcome: "fraud_confirmed" },
    { email: phone_number, phone_number: email, outcome: "clear" },
    { email: phone_number, outcome: "clear" },
  ]) {
    const response = await send(json, { key, idempotency: email, to: first })
    answers.push(JSON.stringify([...response.headers]) + (await response.text()))
  }
  const undone = await first.request(`${PATH}/${encodeURIComponent(email)}`, { method: "DELETE" })
  answers.push(await undone.text())
  await first.kill()
  const held = (bytes: string): string[] =>
    canaries.filter((canary) => bytes.toLowerCase().includes(canary.toLowerCase()))
  for (const each of [...answers, first.stderr(), first.stdout()]) assert.deepEqual(held(each), [])
  for (const { path, bytes } of filesBelow(data))
    assert.deepEqual(held(bytes.toString("latin1")), [], path)
})
