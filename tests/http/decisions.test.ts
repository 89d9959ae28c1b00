import assert from "node:assert/strict"
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, suite, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import {
  DECISION_SETTLED_SECONDS,
  type DecisionDetails,
  type DecisionList,
} from "@assay/core/contract"
import { assessEmail, bandOf, type EmailInput, emailModels } from "@assay/core/score"
import { newDecisionId } from "../../packages/stores/src/decision-id.ts"
import { openLmdbIndex } from "../../packages/stores/src/lmdb/exposure-index.ts"
import {
  openSqliteDecisions,
  readSqliteDecisions,
} from "../../packages/stores/src/sqlite/decisions.ts"
import type { Decision } from "../../packages/stores/src/decisions.ts"
import { newDecision } from "../../packages/stores/testing/decisions-suite.ts"
import { DAY_MS } from "../../packages/runtime/src/time.ts"
import { createKey } from "../cli/assay.ts"
import { type Service, startService } from "./service.ts"
import { filesBelow } from "./search.ts"
import { temporaryDirectory } from "./temporary.ts"

const temporary = temporaryDirectory()
const EMAIL = "mei.tanaka@mail.example"
const PHONE = "+61491570156"
const ID = /^dec_[0-7][0-9a-hjkmnp-tv-z]{25}$/

// One for the tests that need neither a restart nor settings of their own.
let service: Service
before(async () => {
  service = await startService({ args: ["--workers", "2"] })
})
after(() => service.stop())

interface Scored {
  readonly id: string
  readonly body: Record<string, unknown>
}

async function score(service: Service, email = EMAIL, key = service.key): Promise<Scored> {
  const answer = await service.request("/api/v1/risk/score", { key, json: { email } })
  assert.equal(answer.status, 200)
  const body = (await answer.json()) as Record<string, unknown>
  return { id: answer.headers.get("x-decision-id") ?? "", body }
}

async function scorePhone(service: Service): Promise<Scored> {
  const answer = await service.request("/api/v1/phone-risk", { json: { phone_number: PHONE } })
  assert.equal(answer.status, 200)
  const body = (await answer.json()) as Record<string, unknown>
  return { id: answer.headers.get("x-decision-id") ?? "", body }
}

async function decisionOf(service: Service, id: string, query = ""): Promise<DecisionDetails> {
  const answer = await service.request(`/api/v1/decisions/${id}${query}`)
  assert.equal(answer.status, 200, await answer.clone().text())
  return (await answer.json()) as DecisionDetails
}

async function codeOf(answer: Response): Promise<string> {
  return ((await answer.json()) as { code: string }).code
}

async function keyFor(
  service: Service,
  tenant: string,
  scopes: string,
  plan = "enterprise",
): Promise<string> {
  return await createKey(service, "--tenant", tenant, "--plan", plan, "--scopes", scopes)
}

test("every scored answer names its decision, which any worker can repeat at once", async () => {
  for (let n = 0; n < 12; n++) {
    const { id, body } = await score(service, n % 2 === 0 ? EMAIL : "sofia.rossi@mail.example")
    assert.match(id, ID)
    // A connection of its own each time, so that either worker is asked.
    const answer = await service.request(`/api/v1/decisions/${id}`, {
      headers: { connection: "close" },
    })
    const decision = (await answer.json()) as DecisionDetails
    const { email: _, ...assessment } = body
    assert.equal(decision.id, id)
    assert.equal(decision.subject, "email")
    assert.deepEqual(decision.assessment, assessment)
    assert.equal(decision.reproduced, true)
    assert.deepEqual(decision.recorded, {
      risk_score: body["risk_score"],
      threat_stage: body["threat_stage"],
      confidence: body["confidence"],
      recommended_action: body["recommended_action"],
    })
    assert.ok(Math.abs(Date.parse(decision.decided_at) - Date.now()) < 60_000)
    const again = assessEmail(decision.input as unknown as EmailInput, emailModels["1.1"])
    assert.deepEqual(again, assessment)
  }
  const { id, body } = await scorePhone(service)
  const phone = await decisionOf(service, id)
  const { phone_number: _, ...assessment } = body
  assert.equal(phone.subject, "phone")
  assert.deepEqual(phone.assessment, assessment)
  assert.equal(phone.reproduced, true)
  assert.deepEqual(phone.recorded, {
    risk_score: body["risk_score"],
    recommended_action: body["recommendation"],
  })
})

test("an explanation of a past decision is the one its answer had", async () => {
  const answer = await service.request("/api/v1/risk/score?explain=true", {
    json: { email: EMAIL },
  })
  const id = answer.headers.get("x-decision-id") ?? ""
  const { explanation } = (await answer.json()) as { explanation: Record<string, unknown> }
  assert.equal(explanation["decision_id"], id)
  const past = (await decisionOf(service, id, "?explain=true")).explanation ?? {}
  assert.ok(Object.keys(past).length > 3)
  for (const [name, value] of Object.entries(past)) assert.deepEqual(value, explanation[name], name)
  assert.equal((await decisionOf(service, id)).explanation, undefined)
})

suite("after the evidence, the lists and the process have changed", () => {
  const data = join(temporary, "changed")
  let scored: Scored[]
  let told: DecisionDetails[]
  let strange: Decision
  let wrong: Decision
  let second: Service
  before(async () => {
    const first = await startService({ dataDirectory: data })
    scored = [await score(first), await score(first, "nobody@plain-domain.example")]
    told = await Promise.all(scored.map(({ id }) => decisionOf(first, id)))
    await first.stop()

    const index = await openLmdbIndex({ path: join(data, "index") })
    for (const { id } of (await index.catalogue()).batches.values())
      await index.removeBatch(id, Date.now())
    await index.close()
    writeFileSync(join(data, "lists", "more.csv"), "plain-domain.example,disposable,\n")

    const store = openSqliteDecisions(join(data, "decisions"))
    const known = await store.find(scored[0]?.id ?? "")
    assert.ok(known)
    strange = { ...known, id: newDecisionId(known.at), modelVersion: "0.9" }
    wrong = { ...known, id: newDecisionId(known.at), score: (known.score + 1) % 100 }
    await store.add([strange, wrong])
    await store.close()
    second = await startService({ dataDirectory: data, env: { ASSAY_DECISIONS: "off" } })
  })
  after(() => second.stop())

  test("a decision stays what it was", async () => {
    assert.ok((scored[0]?.body["exposure_count"] as number) > 0)
    const changed = await score(second, "nobody@plain-domain.example")
    assert.notEqual(changed.body["risk_score"], scored[1]?.body["risk_score"])
    for (const [n, { id }] of scored.entries()) {
      const now = await decisionOf(second, id)
      assert.deepEqual(now, told[n])
      assert.equal(now.reproduced, true)
    }
  })

  test("a model that is not loaded repeats nothing rather than another number", async () => {
    const answer = await second.request(`/api/v1/decisions/${strange.id}`)
    assert.equal(answer.status, 409)
    assert.equal(await codeOf(answer), "model-not-loaded")
    assert.equal((await decisionOf(second, wrong.id)).reproduced, false)
  })
})

test("a tenant sees its own decisions and no sign of others'", async () => {
  const [mine, other] = [
    await keyFor(service, "mine", "score,decisions:read"),
    await keyFor(service, "other", "score,decisions:read"),
  ]
  const scoreOnly = await keyFor(service, "mine", "score")
  const ids: string[] = []
  for (let n = 0; n < 5; n++) ids.push((await score(service, EMAIL, mine)).id)
  const theirs = (await score(service, EMAIL, other)).id

  const get = (id: string, key: string): Promise<Response> =>
    service.request(`/api/v1/decisions/${encodeURIComponent(id)}`, { key })
  const [known = ""] = ids
  assert.equal((await get(known, mine)).status, 200)
  const bodies: string[] = []
  for (const [id, key] of [
    [known, other],
    [theirs, mine],
    [newDecisionId(Date.now()), mine],
    ["dec_1", mine],
    [EMAIL, mine],
    ["%2e%2e%2f", mine],
  ] as const) {
    const answer = await get(id, key)
    assert.equal(answer.status, 404, id)
    const { request_id: _, ...body } = (await answer.json()) as Record<string, unknown>
    assert.equal(body["code"], "decision-not-found")
    bodies.push(JSON.stringify(body))
  }
  assert.equal(new Set(bodies).size, 1)
  assert.equal((await get(known, scoreOnly)).status, 403)
  assert.equal((await service.request(`/api/v1/decisions/${known}`, { key: null })).status, 401)

  const list = async (query: string, key = mine): Promise<string[]> => {
    const answer = await service.request(`/api/v1/decisions${query}`, { key })
    assert.equal(answer.status, 200)
    return ((await answer.json()) as DecisionList).decisions.map(({ id }) => id)
  }
  const newest = ids.toSorted().reverse()
  assert.deepEqual(await list(""), newest)
  assert.deepEqual(await list("?limit=2"), newest.slice(0, 2))
  assert.deepEqual(await list(`?limit=2&before=${newest[1] ?? ""}`), newest.slice(2, 4))
  assert.deepEqual(await list("", other), [theirs])
  for (const query of ["?limit=0", "?limit=101", "?limit=x", "?before=x", `?before=${EMAIL}`]) {
    const answer = await service.request(`/api/v1/decisions${query}`, { key: mine })
    assert.equal(answer.status, 400, query)
    assert.equal(await codeOf(answer), "invalid-request")
  }
})

suite("the decisions of a tenant that scored several identities", () => {
  const EMAILS = [EMAIL, "sofia.rossi@mail.example", "ivan.petrov@mail.example"]
  let key: string
  let all: DecisionList["decisions"]
  /** The path of a list, or what a search is about. */
  const asked = async (what: string | object, by = key): Promise<Response> =>
    typeof what === "string"
      ? await service.request(`/api/v1/decisions?${what}`, { key: by })
      : await service.request("/api/v1/decisions/search", { key: by, json: what })
  const found = async (what: string | object): Promise<DecisionList["decisions"]> => {
    const answer = await asked(what)
    assert.equal(answer.status, 200, await answer.clone().text())
    return ((await answer.json()) as DecisionList).decisions
  }
  before(async () => {
    key = await keyFor(service, "filtered", "score,decisions:read")
    for (let n = 0; n < 2; n++) {
      for (const email of EMAILS) await score(service, email, key)
      await service.request("/api/v1/phone-risk", { key, json: { phone_number: PHONE } })
      await delay(5)
    }
    all = await found("limit=100")
    assert.equal(all.length, 8)
    assert.ok(new Set(all.map(({ risk_score }) => bandOf(risk_score))).size > 2)
  })

  test("each filter leaves exactly those that have its value, and several leave those that have all", async () => {
    const tried: [name: string, value: string, has: (one: (typeof all)[number]) => boolean][] = [
      ...["email", "phone"].map(
        (value) => ["subject", value, (one) => one.subject === value] as (typeof tried)[number],
      ),
      ...["CLEAN", "TESTED", "MONETIZED"].map(
        (value) => ["stage", value, (one) => one.threat_stage === value] as (typeof tried)[number],
      ),
      ...["allow", "step_up_auth", "review", "block"].map(
        (value) =>
          ["action", value, (one) => one.recommended_action === value] as (typeof tried)[number],
      ),
      ...["low", "elevated", "high", "critical"].map(
        (value) =>
          ["band", value, (one) => bandOf(one.risk_score) === value] as (typeof tried)[number],
      ),
    ]
    let passed = 0
    for (const [name, value, has] of tried) {
      const left = await found(`${name}=${value}`)
      assert.deepEqual(left, all.filter(has), `${name} ${value}`)
      passed += left.length
      for (const [otherName, otherValue, alsoHas] of tried) {
        if (otherName === name) continue
        const both = await found(`${name}=${value}&${otherName}=${otherValue}`)
        assert.deepEqual(
          both,
          all.filter((one) => has(one) && alsoHas(one)),
        )
      }
    }
    assert.ok(passed > all.length)
  })

  test("a time is a border: from it on, and before it", async () => {
    const { decided_at: moment = "" } = all[4] ?? {}
    const [newer, older] = [await found(`from=${moment}`), await found(`until=${moment}`)]
    assert.deepEqual([...newer, ...older], all)
    assert.ok(newer.some(({ decided_at }) => decided_at === moment))
    assert.ok(older.every(({ decided_at }) => decided_at < moment))
    assert.deepEqual(await found("from=0001-01-01T00:00:00Z"), all)
    assert.deepEqual(await found("until=0001-01-01T00:00:00Z"), [])
    const [first, second] = [await found("subject=email&limit=2"), all]
    const next = await found(`subject=email&limit=2&before=${first[1]?.id ?? ""}`)
    const emails = second.filter(({ subject }) => subject === "email")
    assert.deepEqual([...first, ...next], emails.slice(0, 4))
  })

  test("an identity is found by any form of it, with filters and pages, and only its own", async () => {
    const mine = await found({ email: EMAIL })
    assert.equal(mine.length, 2)
    assert.ok(mine.every(({ id }) => all.some((one) => one.id === id && one.subject === "email")))
    assert.deepEqual(await found({ email: EMAIL.toUpperCase() }), mine)
    assert.deepEqual(await found({ email: EMAIL, limit: 1 }), mine.slice(0, 1))
    assert.deepEqual(await found({ email: EMAIL, limit: 1, before: mine[0]?.id }), mine.slice(1))
    const other = mine[0]?.recommended_action === "allow" ? "block" : "allow"
    assert.deepEqual(await found({ email: EMAIL, action: other }), [])
    const band = bandOf(mine[0]?.risk_score ?? 0)
    assert.deepEqual(await found({ email: EMAIL, band, from: mine[1]?.decided_at }), mine)
    const phones = await found({ phone_number: PHONE })
    assert.deepEqual(
      phones,
      all.filter(({ subject }) => subject === "phone"),
    )
    assert.deepEqual(await found({ email: "nobody.asked@mail.example" }), [])
    // The same identity, asked about by another tenant.
    const stranger = await keyFor(service, "stranger", "score,decisions:read")
    const theirs = await asked({ email: EMAIL }, stranger)
    assert.deepEqual(await theirs.json(), { decisions: [] })
  })

  test("the decisions of a request are found by its id: one, a batch, and nobody else's", async () => {
    const scored = async (path: string, json: object, headers = {}, by = key): Promise<Response> =>
      await service.request(path, { key: by, json, headers })
    // One whose id the service made, and two of callers' own; the last id is another's beginning.
    const made = await scored("/api/v1/risk/score", { email: EMAIL })
    const own = await scored(
      "/api/v1/phone-risk",
      { phone_number: PHONE },
      { "x-request-id": "a.b:1" },
    )
    await scored("/api/v1/risk/score", { email: EMAIL }, { "x-request-id": "a.b:10" })
    const many = await scored(
      "/api/v1/risk/score/batch",
      { emails: EMAILS },
      { "x-request-id": "lot-7" },
    )
    const streamed = await service.request("/api/v1/phone-risk/batch", {
      key,
      method: "POST",
      headers: { "x-request-id": "lot-8", "content-type": "application/x-ndjson" },
      body: `"${PHONE}"\n"${PHONE}"\n`,
    })
    assert.deepEqual([many.status, streamed.status], [200, 200])
    await streamed.text()
    const idOf = (answer: Response): (string | null)[] => [answer.headers.get("x-decision-id")]
    const foundBy = async (id: string, more = ""): Promise<string[]> =>
      (await found(`request_id=${id}${more}`)).map((one) => one.id)
    assert.deepEqual(await foundBy(made.headers.get("x-request-id") ?? ""), idOf(made))
    assert.deepEqual(await foundBy("a.b:1"), idOf(own))
    assert.equal((await foundBy("lot-7")).length, EMAILS.length)
    assert.equal((await foundBy("lot-8")).length, 2)
    assert.equal((await foundBy("lot-7", "&limit=2")).length, 2)
    assert.deepEqual(await foundBy("lot-7", "&subject=phone"), [])
    assert.deepEqual(await foundBy("lot"), [])
    assert.deepEqual(await foundBy("LOT-7"), [])
    assert.equal((await found({ email: EMAIL, request_id: "lot-7" })).length, 1)
    assert.deepEqual(await found({ phone_number: PHONE, request_id: "lot-7" }), [])
    // The same id, taken by another tenant.
    const stranger = await keyFor(service, "stranger", "score,decisions:read")
    const theirs = await scored(
      "/api/v1/risk/score",
      { email: EMAIL },
      { "x-request-id": "lot-7" },
      stranger,
    )
    const seen = (await (await asked("request_id=lot-7", stranger)).json()) as DecisionList
    assert.deepEqual(
      seen.decisions.map((one) => one.id),
      idOf(theirs),
    )
    assert.equal((await foundBy("lot-7")).length, EMAILS.length)
  })

  test("what does not fit is refused by the name of its member, and none of it is said again", async () => {
    const refusals: [what: string | object, status: number, code: string, pointer?: string][] = [
      ["subject=person", 400, "invalid-request", "#/subject"],
      ["stage=NONE", 400, "invalid-request", "#/stage"],
      ["action=none", 400, "invalid-request", "#/action"],
      ["band=red", 400, "invalid-request", "#/band"],
      ["request_id=a%20b", 400, "invalid-request", "#/request_id"],
      [`request_id=${"a".repeat(129)}`, 400, "invalid-request", "#/request_id"],
      ["from=yesterday", 400, "invalid-request", "#/from"],
      ["until=2026-02-30T00:00:00Z", 400, "invalid-request", "#/until"],
      ["after=dec_1", 400, "invalid-request", "#/after"],
      [`after=start&before=${all[0]?.id ?? ""}`, 400, "invalid-request", "#/after"],
      [{}, 400, "invalid-request", "#/email"],
      [{ email: EMAIL, phone_number: PHONE }, 400, "invalid-request", "#/email"],
      [{ email: EMAIL, from: "now" }, 400, "invalid-request", "#/from"],
      [{ email: EMAIL, band: "red" }, 400, "invalid-request", "#/band"],
      [{ email: EMAIL, limit: 101 }, 400, "invalid-request", "#/limit"],
      [{ email: EMAIL, name: "x" }, 400, "invalid-request", "#"],
      [{ email: "mei.tanaka" }, 422, "not-an-email"],
      [{ phone_number: "0491570156" }, 422, "not-a-phone-number"],
    ]
    for (const [what, status, code, pointer] of refusals) {
      const answer = await asked(what)
      const text = await answer.text()
      const body = JSON.parse(text) as { code: string; errors?: { pointer: string }[] }
      assert.deepEqual([answer.status, body.code], [status, code], text)
      if (pointer !== undefined) assert.equal(body.errors?.[0]?.pointer, pointer, text)
      assert.doesNotMatch(text, /tanaka|0491570156|61491570156/)
    }
    const scoreOnly = await keyFor(service, "filtered", "score")
    assert.equal((await asked({ email: EMAIL }, scoreOnly)).status, 403)
  })
})

test("decisions are read forward to the end, and later ones from there on", async () => {
  const data = join(temporary, "forward")
  const ages = [40 * DAY_MS, 3 * DAY_MS, 2 * DAY_MS, DAY_MS, 60_000]
  const older = ages.map((age, n) =>
    newDecision({ at: Date.now() - age, action: n % 2 === 0 ? "allow" : "block" }),
  )
  const store = openSqliteDecisions(join(data, "decisions"))
  await store.add([...older, newDecision({ at: Date.now() - DAY_MS, tenantId: 7 })])
  await store.close()
  await using service = await startService({ dataDirectory: data })
  const page = async (query: string): Promise<DecisionList> => {
    const answer = await service.request(`/api/v1/decisions?${query}`)
    assert.equal(answer.status, 200, await answer.clone().text())
    return (await answer.json()) as DecisionList
  }
  const ids = older.map(({ id }) => id)
  const read: string[] = []
  let next = "start"
  for (let pages = 0; pages < 3; pages++) {
    const { decisions, next: end = "" } = await page(`limit=2&after=${next}`)
    read.push(...decisions.map(({ id }) => id))
    assert.ok(next === "start" || end > next)
    next = end
  }
  assert.deepEqual(read, ids)
  assert.ok(next > (ids.at(-1) ?? ""))
  // An empty page goes forward too: what was looked through in vain is not looked through again.
  const { decisions: none, next: behind = "" } = await page(`after=${ids[4] ?? ""}&action=block`)
  assert.deepEqual(none, [])
  assert.ok(behind > (ids.at(-1) ?? ""))
  // One of this moment, which a request that began earlier may still come before.
  const { id: fresh } = await score(service)
  const { decisions: settled, next: later = "" } = await page(`after=${next}`)
  for (const { decided_at } of settled)
    assert.ok(Date.parse(decided_at) <= Date.now() - DECISION_SETTLED_SECONDS * 1000)
  assert.ok(later >= next)
  assert.ok(settled.some(({ id }) => id === fresh) || later < fresh)
  assert.deepEqual((await page(`after=${fresh}`)).decisions, [])
  assert.equal((await page(`after=${fresh}`)).next, fresh)
  const blocked = await page("after=start&action=block")
  assert.deepEqual(
    blocked.decisions.map(({ id }) => id),
    [ids[1], ids[3]],
  )
  const from = older[2]?.at ?? 0
  const since = await page(`after=start&from=${new Date(from).toISOString()}`)
  assert.deepEqual(
    since.decisions.map(({ id }) => id),
    ids.slice(2),
  )
  assert.equal((await page("limit=2")).next, undefined)
})

test("decisions that are off leave no header and no file", async () => {
  await using service = await startService({ env: { ASSAY_DECISIONS: "off" } })
  const answer = await service.request("/api/v1/risk/score?explain=true", {
    json: { email: EMAIL },
  })
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.has("x-decision-id"), false)
  const { explanation } = (await answer.json()) as { explanation: Record<string, unknown> }
  assert.equal(explanation["decision_id"], null)
  const phone = await service.request("/api/v1/phone-risk", { json: { phone_number: PHONE } })
  assert.equal(phone.headers.has("x-decision-id"), false)
  const names = readdirSync(service.dataDirectory, { recursive: true }) as string[]
  assert.deepEqual(
    names.filter((name) => name.startsWith("journal") || name.endsWith("-11.sqlite")),
    [],
  )
})

test("a journal that cannot be written: on answers without an id and counts it, required answers 503", async () => {
  for (const mode of ["on", "required"] as const) {
    const data = join(temporary, mode)
    mkdirSync(data)
    writeFileSync(join(data, "journal"), "a file where the directory should be")
    const service = await startService({ dataDirectory: data, env: { ASSAY_DECISIONS: mode } })
    for (const [path, json] of [
      ["/api/v1/risk/score", { email: EMAIL }],
      ["/api/v1/phone-risk", { phone_number: PHONE }],
    ] as const) {
      const answer = await service.request(path, { json })
      assert.equal(answer.headers.has("x-decision-id"), false)
      assert.equal(answer.status, mode === "on" ? 200 : 503)
      const body = (await answer.json()) as Record<string, unknown>
      assert.equal(body["code"], mode === "on" ? undefined : "decision-not-recorded")
      assert.equal("risk_score" in body, mode === "on")
      if (mode === "required") assert.equal(answer.headers.get("retry-after"), "2")
    }
    const metrics = await (await service.request("/metrics")).text()
    assert.match(metrics, /assay_decisions_unrecorded_total 2/)
    // The disk is well again: within a second or two decisions are recorded as if nothing had been.
    rmSync(join(data, "journal"))
    let status = { code: 0, id: "" }
    for (let n = 0; n < 100 && status.id === ""; n++) {
      const answer = await service.request("/api/v1/risk/score", { json: { email: EMAIL } })
      status = { code: answer.status, id: answer.headers.get("x-decision-id") ?? "" }
      await answer.arrayBuffer()
      if (status.id === "") await delay(100)
    }
    assert.equal(status.code, 200)
    assert.equal((await decisionOf(service, status.id)).reproduced, true)
    await service.stop()
    assert.match(service.stderr(), /decisions could not be recorded/)
  }
})

test("decisions past their days are deleted at the start", async () => {
  const data = join(temporary, "retention")
  const store = openSqliteDecisions(join(data, "decisions"))
  const ages = [0, 6, 8, 40, 400]
  const added = ages.map((days) => newDecision({ at: Date.now() - days * DAY_MS }))
  await store.add(added)
  await store.close()
  const service = await startService({ dataDirectory: data, env: { ASSAY_DECISION_DAYS: "7" } })
  const left = readSqliteDecisions(join(data, "decisions"))
  const found = await Promise.all(added.map(({ id }) => left.find(id)))
  assert.deepEqual(
    found.map((decision) => decision !== null),
    [true, true, false, false, false],
  )
  await service.stop()
  assert.match(service.stderr(), /"count":3,"msg":"old decisions were deleted"/)
})

test("no address, number or key is in the journal or the decisions", async () => {
  const data = join(temporary, "privacy")
  const email = "canary.zqxjkv+tag@canary-domain-zqxjkv.example"
  const service = await startService({ dataDirectory: data })
  await score(service, email)
  await scorePhone(service)
  // The second is made within a second of the first decision.
  const folders = ["journal", "decisions"].map((name) => join(data, name))
  const read = (): { path: string; text: string }[] =>
    folders.filter(existsSync).flatMap((folder) =>
      filesBelow(folder).map(({ path, bytes }) => ({
        path,
        text: bytes.toString("latin1").toLowerCase(),
      })),
    )
  const assertClean = (): void => {
    for (const { path, text } of read())
      for (const canary of ["zqxjkv", PHONE.slice(1), (service.key ?? "").slice(9, 39)])
        assert.ok(!text.includes(canary.toLowerCase()), `${path} holds ${canary}`)
  }
  assert.ok(read().some(({ text }) => text.includes("dec_")))
  assertClean()
  await service.kill()
  assertClean()
  await (await startService({ dataDirectory: data })).stop()
  assert.deepEqual(readdirSync(join(data, "journal")), [])
  assert.ok(read().some(({ text }) => text.includes("dec_")))
  assertClean()
})

test("the rate of a plan holds for past decisions too", async () => {
  const key = await keyFor(service, "small", "all", "free")
  const { id } = await score(service, EMAIL, key)
  const answers = await Promise.all(
    Array.from({ length: 40 }, () => service.request(`/api/v1/decisions/${id}`, { key })),
  )
  const statuses = new Set(answers.map(({ status }) => status))
  assert.deepEqual(statuses, new Set([200, 429]))
  const refused = answers.find(({ status }) => status === 429)
  assert.equal(refused && (await codeOf(refused)), "rate-limited")
})
