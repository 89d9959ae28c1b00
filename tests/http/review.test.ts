import assert from "node:assert/strict"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import type {
  DecisionDetails,
  OutcomeReport,
  ProblemDetails,
  Review,
  ReviewBulkResult,
  ReviewList,
  ReviewView,
  SubjectExport,
} from "@assay/core/contract"
import { assay, createKey } from "../cli/assay.ts"
import { listedEverywhere } from "./listed-everywhere.ts"
import { filesWith, needlesOf } from "./search.ts"
import { openRecordsOf } from "./records-of.ts"
import { explainedText, type Service, startService } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"

const temporary = temporaryDirectory()
const PATH = "/api/v1/review"
/** Attacked, so that the model blocks it. */
const BLOCKED = "sofia.rossi@mail.example"

let service: Service
let tenants = 0
before(async () => {
  service = await startService({ args: ["--workers", "2"] })
})
after(() => service.stop())

/** Something was answered that lists of several nodes may not have yet. */
let isUnlisted = false
async function everythingListed(key: string, of = service): Promise<void> {
  if (isUnlisted) await listedEverywhere(of, key)
  isUnlisted = false
}

/** A key of a tenant that nobody else in this file uses. */
async function newTenantKey(of = service): Promise<string> {
  const name = `tenant ${++tenants}`
  return await createKey(of, "--tenant", name, "--plan", "enterprise", "--scopes", "all")
}

async function scored(key: string, ref?: string, of = service): Promise<string> {
  const context = ref === undefined ? {} : { context: { ref } }
  const json = { email: BLOCKED, ...context }
  const response = await of.request("/api/v1/risk/score", { key, json })
  const body = (await response.json()) as { recommended_action: string }
  assert.equal(body.recommended_action, "block", JSON.stringify(body))
  isUnlisted = true
  return response.headers.get("x-decision-id") ?? ""
}

interface Answer<T> {
  readonly status: number
  readonly body: T & ProblemDetails
}

async function call<T>(
  key: string,
  path: string,
  init: { json?: unknown; method?: string } = {},
  of = service,
): Promise<Answer<T>> {
  // A connection of its own, so that either worker may answer.
  const headers = { connection: "close" }
  const response = await of.request(`${PATH}${path}`, { key, headers, ...init })
  const text = await response.text()
  return { status: response.status, body: (text === "" ? null : JSON.parse(text)) as never }
}

async function listed(key: string, query = "", of = service): Promise<readonly Review[]> {
  await everythingListed(key, of)
  const { status, body } = await call<ReviewList>(key, query, {}, of)
  assert.equal(status, 200, JSON.stringify(body))
  return body.reviews
}

const decide = (key: string, id: string, json: object): Promise<Answer<Review>> =>
  call(key, `/${id}/decide`, { json })
const undo = (key: string, id: string): Promise<Answer<Review>> =>
  call(key, `/${id}/undo`, { method: "POST" })

test("a blocked decision waits, its outcome acts on the next score, and undoing it takes that back", async () => {
  const key = await newTenantKey()
  const id = await scored(key, "order 4711")
  const [review, ...others] = await listed(key)
  assert.deepEqual(others, [])
  assert.ok(review)
  assert.equal(review.id, id)
  assert.deepEqual(
    [review.ref, review.state, review.recommended_action, review.subject, review.threat_stage],
    ["order 4711", "waiting", "block", "email", "ATTACKED"],
  )
  assert.ok(review.reasons.length > 0 && review.reasons.every((code) => /^[A-Z_]+$/.test(code)))
  assert.ok(!JSON.stringify(review).includes("sofia"))
  assert.deepEqual((await call(key, `/${id}`)).body, review)

  const before = await explainedText(service, BLOCKED, key)
  const decided = await decide(key, id, { outcome: "confirmed_fraud", note: "Chargeback." })
  assert.equal(decided.status, 200, JSON.stringify(decided.body))
  assert.deepEqual([decided.body.state, decided.body.outcome], ["decided", "confirmed_fraud"])
  assert.match(decided.body.reviewed_by ?? "", /^key:/)
  const confirmed = await explainedText(service, BLOCKED, key)
  assert.notEqual(confirmed, before)
  assert.ok(confirmed.includes("FRAUD_CONFIRMED") && !before.includes("FRAUD_CONFIRMED"))
  // Feedback like any other, so it is no other tenant's.
  const otherKey = await newTenantKey()
  await scored(otherKey)
  assert.ok(!(await explainedText(service, BLOCKED, otherKey)).includes("FRAUD_CONFIRMED"))

  const undone = await undo(key, id)
  assert.deepEqual([undone.status, undone.body.state, undone.body.note], [200, "waiting", null])
  assert.equal(await explainedText(service, BLOCKED, key), before)
  const genuine = await decide(key, id, { outcome: "genuine" })
  assert.equal(genuine.status, 200)
  assert.notEqual(await explainedText(service, BLOCKED, key), before)
  const ofFeedback = `/api/v1/feedback/${genuine.body.feedback_id ?? ""}`
  assert.equal((await service.request(ofFeedback, { key, method: "DELETE" })).status, 204)
  assert.equal(await explainedText(service, BLOCKED, key), before)
})

test("a name of the case changes no score and is refused where it names a person", async () => {
  const key = await newTenantKey()
  const text = async (path: string, json: object): Promise<string> => {
    const response = await service.request(path, { key, json })
    const body = (await response.json()) as { explanation: Record<string, unknown> }
    const { decision_id: _, ...explanation } = body.explanation
    const text = JSON.stringify({ ...body, explanation })
    return text.replace(/"as_of":"[^"]*"/, "")
  }
  const email = { email: BLOCKED }
  const emailPath = "/api/v1/risk/score?explain=true"
  await text(emailPath, email)
  assert.equal(
    await text(emailPath, { ...email, context: { ref: "Fall 7 – März" } }),
    await text(emailPath, email),
  )
  const phone = { phone_number: "+447400123456" }
  const phonePath = "/api/v1/phone-risk?explain=true"
  await text(phonePath, phone)
  assert.equal(
    await text(phonePath, { ...phone, context: { ref: "case-7", event: null } }),
    await text(phonePath, phone),
  )
  const refused = [
    "ana@mail.example",
    "case ana@mail.example",
    "+447400123456",
    "tel +44 7400 123456",
  ]
  const malformed = ["", " x", "x\n", "a\u0007b", "x".repeat(65), 7]
  for (const ref of [...refused, ...malformed])
    for (const [path, body] of [
      ["/api/v1/risk/score", email],
      ["/api/v1/phone-risk", phone],
    ] as const) {
      const response = await service.request(path, { key, json: { ...body, context: { ref } } })
      const problem = (await response.json()) as ProblemDetails
      assert.deepEqual([response.status, problem.code], [400, "invalid-request"], String(ref))
      assert.equal(problem.errors?.[0]?.pointer, "#/context/ref")
      assert.ok(!JSON.stringify(problem).includes("mail.example"))
    }
  const longest = "x".repeat(64)
  const id = await scored(key, longest)
  assert.equal((await listed(key))[0]?.ref, longest)
  const response = await service.request(`/api/v1/decisions/${id}`, { key })
  const past = (await response.json()) as DecisionDetails
  assert.deepEqual([past.reproduced, past.input["ref"]], [true, longest])
})

test("another tenant's review is not there", async () => {
  const [key, otherKey] = [await newTenantKey(), await newTenantKey()]
  const id = await scored(key)
  assert.equal((await listed(key)).length, 1)
  assert.deepEqual(await listed(otherKey, "?state=all"), [])
  const all = { filter: { state: "all" }, assign: { assignee: "me" } }
  assert.equal((await call<ReviewBulkResult>(otherKey, "/bulk", { json: all })).body.changed, 0)
  const unknown = `dec_0${"0".repeat(25)}`
  for (const [by, one] of [
    [otherKey, id],
    [key, unknown],
    [key, "nonsense"],
  ] as const)
    for (const [path, init] of [
      [`/${one}`, {}],
      [`/${one}/assign`, { json: { assignee: "me" } }],
      [`/${one}/decide`, { json: { outcome: "genuine" } }],
      [`/${one}/undo`, { method: "POST" }],
    ] as const) {
      const { status, body } = await call(by, path, init)
      assert.deepEqual([status, body.code], [404, "review-not-found"], path)
    }
  const [left] = await listed(key)
  assert.deepEqual([left?.state, left?.assignee], ["waiting", null])
})

test("of two who decide at once one wins, and repeating one's own changes nothing", async () => {
  const key = await newTenantKey()
  const second = await createKey(
    service,
    ...["--tenant", `tenant ${tenants}`, "--scopes", "review:write"],
  )
  const id = await scored(key)
  const [one, other] = await Promise.all([
    decide(key, id, { outcome: "confirmed_fraud" }),
    decide(second, id, { outcome: "genuine" }),
  ])
  assert.deepEqual([one.status, other.status].sort(), [200, 409])
  const [won, lost] = one.status === 200 ? [one, other] : [other, one]
  assert.equal(lost.body.code, "review-decided")
  const [winner, outcome] = won === one ? [key, "confirmed_fraud"] : [second, "genuine"]
  const again = await decide(winner, id, { outcome })
  assert.equal(again.status, 200)
  assert.deepEqual(again.body, won.body)
  assert.equal((await decide(winner, id, { outcome: "cannot_tell" })).status, 409)
  assert.equal((await decide(winner, id, { outcome, note: "x" })).status, 409)
  assert.deepEqual((await call(key, `/${id}`)).body, again.body)
  const undone = await undo(key, id)
  assert.deepEqual((await undo(key, id)).body, undone.body)
  const cannotTell = await decide(key, id, { outcome: "cannot_tell" })
  assert.deepEqual([cannotTell.status, cannotTell.body.feedback_id], [200, null])
})

test("reviews are listed by page and filter, and assigned", async () => {
  const key = await newTenantKey()
  const ids: string[] = []
  for (let n = 0; n < 5; n++) ids.push(await scored(key, `case ${n}`))
  const newestFirst = ids.toReversed()
  const of = async (query: string): Promise<string[]> =>
    (await listed(key, query)).map(({ id }) => id)
  assert.deepEqual(await of("?limit=2"), newestFirst.slice(0, 2))
  assert.deepEqual(await of(`?limit=2&before=${newestFirst[1] ?? ""}`), newestFirst.slice(2, 4))
  const [first] = await listed(key)
  const reason = first?.reasons[0] ?? ""
  for (const query of [
    `?reason=${reason}&action=block&stage=ATTACKED&band=${first?.band ?? ""}&subject=email`,
    "?assignee=nobody&newer_than_hours=1",
    "?older_than_hours=0",
  ])
    assert.deepEqual(await of(query), newestFirst, query)
  for (const query of [
    "?reason=NO_SUCH_CODE",
    "?action=review",
    "?stage=LEAKED",
    "?band=low",
    "?subject=phone",
    "?older_than_hours=1",
    "?state=decided",
    "?assignee=me",
    "?outcome=genuine",
  ])
    assert.deepEqual(await of(query), [], query)
  const [oldest = ""] = ids
  const { body } = await call<Review>(key, `/${oldest}/assign`, { json: { assignee: "me" } })
  assert.match(body.assignee ?? "", /^key:/)
  assert.deepEqual(await of("?assignee=me"), [oldest])
  assert.deepEqual(await of(`?assignee=${body.assignee ?? ""}`), [oldest])
  assert.equal((await of("?assignee=nobody")).length, 4)
  await call(key, `/${oldest}/assign`, { json: { assignee: null } })
  assert.equal((await of("?assignee=nobody")).length, 5)
  for (const query of ["?limit=0", "?band=none", "?reason=a%25", "?assignee=ana@mail.example"])
    assert.equal((await call(key, query)).status, 400, query)
})

test("a change over a filter says how many it changed, and repeating it changes none", async () => {
  const key = await newTenantKey()
  const ids: string[] = []
  for (let n = 0; n < 230; n++) ids.push(await scored(key, n % 2 === 0 ? "even" : undefined))
  const bulk = async (json: object): Promise<Answer<ReviewBulkResult>> =>
    await call(key, "/bulk", { json })
  const filter = { action: "block" }
  assert.deepEqual((await bulk({ filter, assign: { assignee: "me" } })).body, {
    changed: 230,
    more: false,
  })
  assert.equal((await bulk({ filter, assign: { assignee: "me" } })).body.changed, 0)
  const some = { filter, up_to: ids[104], decide: { outcome: "confirmed_fraud" } }
  assert.deepEqual((await bulk(some)).body, { changed: 105, more: false })
  assert.deepEqual((await bulk(some)).body, { changed: 0, more: false })
  assert.equal((await listed(key, "?state=waiting&limit=100")).length, 100)
  assert.equal((await call<Review>(key, `/${ids[104] ?? ""}`)).body.state, "decided")
  assert.equal((await call<Review>(key, `/${ids[105] ?? ""}`)).body.state, "waiting")
  assert.deepEqual((await bulk({ filter: {}, undo: true })).body, { changed: 105, more: false })
  const refusals: [object, string][] = [
    [{ filter }, "#"],
    [{ filter, undo: true, decide: { outcome: "genuine" } }, "#"],
    [{ filter: { state: "decided" }, decide: { outcome: "genuine" } }, "#/filter/state"],
    [{ filter: { state: "waiting" }, undo: true }, "#/filter/state"],
    [{ filter, decide: { outcome: "genuine", note: "a@b.example" } }, "#/decide/note"],
  ]
  for (const [json, pointer] of refusals) {
    const { status, body } = await bulk(json)
    assert.deepEqual([status, body.errors?.[0]?.pointer], [400, pointer], JSON.stringify(json))
  }
  assert.deepEqual(await listed(key, "?state=decided"), [])
})

test("views are saved for oneself or for all of the tenant", async () => {
  const key = await newTenantKey()
  const colleague = await createKey(
    service,
    ...["--tenant", `tenant ${tenants}`, "--scopes", "review:read,review:write"],
  )
  const filter = { action: "block", older_than_hours: "24" }
  const save = (by: string, json: object): Promise<Answer<ReviewView>> =>
    call(by, "/views", { json })
  const own = await save(key, { name: "Old blocks", filter })
  assert.deepEqual([own.status, own.body.shared, own.body.filter], [200, false, filter])
  const shared = await save(key, { name: "All", shared: true, filter: {} })
  const names = async (by: string): Promise<string[]> =>
    (await call<{ views: ReviewView[] }>(by, "/views")).body.views.map(({ name }) => name)
  assert.deepEqual(await names(key), ["All", "Old blocks"])
  assert.deepEqual(await names(colleague), ["All"])
  const stranger = await newTenantKey()
  assert.deepEqual(await names(stranger), [])
  const remove = (by: string, id: string): Promise<Answer<unknown>> =>
    call(by, `/views/${id}`, { method: "DELETE" })
  assert.equal((await remove(colleague, own.body.id)).status, 404)
  assert.equal((await remove(stranger, shared.body.id)).status, 404)
  assert.equal((await remove(colleague, shared.body.id)).status, 204)
  assert.deepEqual(await names(key), ["Old blocks"])
  for (const json of [
    { name: "of ana@mail.example", filter: {} },
    { name: "odd", filter: { action: "allow" } },
    { name: "odd", filter: { unknown: true } },
  ])
    assert.equal((await save(key, json)).status, 400)
})

test("outcomes count what is confirmed, and give no share of too few", async () => {
  const key = await newTenantKey()
  const report = async (): Promise<OutcomeReport> => {
    await everythingListed(key)
    const { status, body } = await call<OutcomeReport>(key, "/outcomes?days=30")
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
  const empty = await report()
  assert.deepEqual([empty.groups, empty.calibration, empty.drift], [[], [], []])
  assert.match(empty.proposal.lacks ?? "", /at least 200 bad outcomes/)
  for (let n = 0; n < 30; n++) await scored(key)
  const bulk = (decided: object): Promise<unknown> =>
    call(key, "/bulk", { json: { filter: {}, decide: decided } })
  const [newest] = await listed(key)
  await decide(key, newest?.id ?? "", { outcome: "cannot_tell" })
  const [next] = await listed(key)
  await decide(key, next?.id ?? "", { outcome: "genuine" })
  const few = await report()
  assert.deepEqual(
    few.groups.map(({ cases, bad, share, interval }) => [cases, bad, share, interval]),
    [[1, 0, null, null]],
  )
  await bulk({ outcome: "confirmed_fraud" })
  const { confirmed, groups, drift, calibration } = await report()
  assert.deepEqual(confirmed, {
    ...{ bad: 28, good: 1, cannot_tell: 1, by_analysts: 29, by_feedback: 0, cut: false },
  })
  const [group, ...otherGroups] = groups
  assert.deepEqual(otherGroups, [])
  assert.deepEqual(
    [group?.subject, group?.action, group?.cases, group?.bad],
    ["email", "block", 29, 28],
  )
  const [low = 1, high = 0] = group?.interval ?? []
  assert.ok(low < 28 / 29 && 28 / 29 < high)
  assert.equal(
    drift.reduce((sum, { cases }) => sum + cases, 0),
    29,
  )
  assert.equal(calibration[0]?.error, null)

  // Feedback is about the last decision before it, whatever its action was.
  const unknown = "quiet.person@mail.example"
  await service.request("/api/v1/risk/score", { key, json: { email: unknown } })
  isUnlisted = true
  const json = { email: unknown, outcome: "fraud_confirmed" }
  assert.equal((await service.request("/api/v1/feedback", { key, json })).status, 202)
  const after = await report()
  assert.equal(after.confirmed.by_feedback, 1)
  assert.equal(after.groups.filter(({ action }) => action !== "block").length, 1)
})

test("kill -9 in the middle of a change over a filter leaves whole reviews, and it can be repeated", async () => {
  const data = join(temporary, "killed")
  let running = await startService({ dataDirectory: data, args: ["--workers", "1"] })
  const key = await newTenantKey(running)
  const COUNT = 320
  for (let n = 0; n < COUNT; n++) await scored(key, undefined, running)
  assert.equal((await listed(key, "?limit=100", running)).length, 100)
  const json = { filter: {}, decide: { outcome: "confirmed_fraud", note: "mid-way" } }
  const sending = call(key, "/bulk", { json }, running).catch(() => null)
  // Until something is decided, which only this request does.
  while ((await listed(key, "?state=decided&limit=1", running)).length === 0) await delay(5)
  await running.kill()
  await sending
  running = await startService({ dataDirectory: data, args: ["--workers", "1"] })
  const repeated = await call<ReviewBulkResult>(key, "/bulk", { json }, running)
  assert.equal(repeated.status, 200)
  assert.equal(repeated.body.more, false)
  assert.deepEqual(await listed(key, "", running), [])
  await running.stop()
  const records = await openRecordsOf(data)
  const tenant = (await records.tenants()).find(({ name }) => name.startsWith("tenant"))
  const decided = await records.reviews({
    ...{ tenantId: tenant?.id ?? 0, filter: { state: "decided" }, limit: 999 },
  })
  assert.equal(decided.length, COUNT)
  const [one] = decided
  assert.ok(one)
  const reports = await records.feedbackOf(one)
  assert.deepEqual(
    decided.map(({ feedbackId }) => feedbackId).sort(),
    reports.map(({ id }) => id).sort(),
  )
  const noted = (await records.audit({ limit: 99 })).filter(
    ({ action }) => action === "review.decide",
  )
  const counts = noted.map(({ detail }) => Number(detail["count"]))
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    COUNT,
  )
  await records.close()
})

test("erasing a person takes their reviews, and nothing of a note or a case is left or logged", async () => {
  const data = join(temporary, "erased")
  const running = await startService({
    dataDirectory: data,
    args: ["--workers", "1"],
    env: { ASSAY_LOG_LEVEL: "debug" },
  })
  const key = await newTenantKey(running)
  const [ref, note] = ["canary-ref-5d1e", "canary note 9c27"]
  const id = await scored(key, ref, running)
  const decision = { outcome: "confirmed_fraud", note }
  const decided = await call<Review>(key, `/${id}/decide`, { json: decision }, running)
  assert.equal(decided.body.note, note)
  await scored(key, ref, running)
  assert.equal((await listed(key, "?state=all", running)).length, 2)
  const exported = await assay(
    ["subjects", "export", "--reason", "subject_request"],
    { ASSAY_DATA: data },
    `${BLOCKED}\n`,
  )
  const { reviews } = JSON.parse(exported.out) as SubjectExport
  assert.deepEqual(
    reviews.map((each) => [each.ref, each.note]),
    [
      [ref, null],
      [ref, note],
    ],
  )
  const { code, err } = await assay(
    ["subjects", "erase", "--reason", "subject_request"],
    { ASSAY_DATA: data },
    `${BLOCKED}\n`,
  )
  assert.equal(code, 0, err)
  assert.deepEqual(await listed(key, "?state=all", running), [])
  assert.equal((await call(key, `/${id}`, {}, running)).status, 404)
  const trail = await assay(["audit", "export"], { ASSAY_DATA: data })
  assert.ok(trail.out.includes(`decision:${id}`))
  await running.stop()
  for (const canary of [ref, note]) {
    assert.ok(!running.stderr().includes(canary) && !running.stdout().includes(canary))
    assert.ok(!trail.out.includes(canary))
  }
  assert.deepEqual(filesWith(data, needlesOf([ref, note])), [])
})
