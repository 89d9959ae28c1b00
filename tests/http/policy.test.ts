import assert from "node:assert/strict"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import type {
  ComparisonLine,
  Policy,
  PolicyList,
  PolicyPreview,
  ShadowState,
} from "@assay/core/contract"
import { assay, createKey } from "../cli/assay.ts"
import { type Account, type AccountRequest, createAccount, requestAs } from "./accounts.ts"
import { type Service, startService } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"

const data = join(temporaryDirectory(), "data")
const PATH = "/api/v1/policy"
/** Losses so dear that no address here is let through as it was. */
const STRICT = { prior_abuse: 0.3, costs: { loss: 1000 } }

let service: Service
let one: Account
let other: Account
before(async () => {
  service = await startService({ dataDirectory: data, args: ["--workers", "2"] })
  one = await createAccount(service, "one")
  other = await createAccount(service, "other")
})
after(() => service.stop())

/** A connection of its own each time, so that either worker may answer. */
const request = (path: string, { headers, ...init }: AccountRequest = {}): Promise<Response> =>
  requestAs(service, path, { key: one, ...init, headers: { ...headers, connection: "close" } })

async function put(document: unknown, tag?: string, key = one): Promise<Response> {
  const headers = tag === undefined ? {} : { "if-match": tag }
  return await request(PATH, { method: "PUT", json: document, headers, key })
}

async function current(key = one): Promise<{ policy: Policy; tag: string }> {
  const response = await request(PATH, { key })
  assert.equal(response.status, 200)
  return { policy: (await response.json()) as Policy, tag: response.headers.get("etag") ?? "" }
}

async function refusal(response: Response): Promise<Record<string, unknown>> {
  assert.ok(response.status >= 400, `${response.status}`)
  return (await response.json()) as Record<string, unknown>
}

async function linesOf(response: Response): Promise<ComparisonLine[]> {
  assert.equal(response.status, 200)
  assert.match(response.headers.get("content-type") ?? "", /^application\/x-ndjson/)
  const text = await response.text()
  assert.ok(text.endsWith("\n"))
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as ComparisonLine)
}

type Line<T extends string> = Extract<ComparisonLine, { type: T }>

function changedIn(lines: readonly ComparisonLine[]): Line<"changed">[] {
  return lines.filter((line): line is Line<"changed"> => "type" in line && line.type === "changed")
}

function summaryIn(lines: readonly ComparisonLine[]): Line<"summary"> {
  const last = lines.at(-1)
  assert.ok(last !== undefined && "type" in last && last.type === "summary", JSON.stringify(last))
  return last
}

async function scored(email: string, key = one): Promise<{ id: string; text: string }> {
  const answer = await request("/api/v1/risk/score", { json: { email }, key })
  assert.equal(answer.status, 200)
  return { id: answer.headers.get("x-decision-id") ?? "", text: await answer.text() }
}

/** A change acts within 5 seconds; a busy machine may take longer to look. */
async function until(what: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!(await what())) {
    assert.ok(Date.now() < deadline, "it never acted")
    await delay(200)
  }
}

test("a policy is read, replaced from the version it was read at, and reverted", async () => {
  const first = await current()
  assert.equal(first.tag, '"1"')
  assert.deepEqual([first.policy.version, first.policy.policy], [1, {}])
  const document = { costs: { loss: 40 }, domains: ["Mail.Acme.com"] }
  const set = await put(document, first.tag)
  assert.equal(set.status, 200)
  assert.equal(set.headers.get("etag"), '"2"')
  const second = (await set.json()) as Policy
  assert.deepEqual(second.policy, { costs: { loss: 40 }, domains: ["acme.com"] })
  assert.match(second.actor, /^person:\w+$/)
  assert.deepEqual((await current()).policy, second)

  // The same again makes no version; another from a version that is over is refused.
  assert.equal(((await (await put(second.policy, '"2"')).json()) as Policy).version, 2)
  const late = await put({}, '"1"')
  assert.equal(late.status, 412)
  assert.equal((await refusal(late))["code"], "policy-changed")
  for (const tag of ['W/"2"', "2", "*", '"2", "3"'])
    assert.equal((await put({}, tag)).status, 412, tag)
  const blind = await put({})
  assert.deepEqual([blind.status, (await refusal(blind))["code"]], [428, "precondition-required"])
  assert.equal((await current()).policy.version, 2)

  const revert = (version: number, tag: string): Promise<Response> =>
    request(`${PATH}/revert`, { json: { version }, headers: { "if-match": tag } })
  const reverted = (await (await revert(1, '"2"')).json()) as Policy
  assert.deepEqual([reverted.version, reverted.reverted_to, reverted.policy], [3, 1, {}])
  const unknown = await revert(9, '"3"')
  assert.deepEqual([unknown.status, (await refusal(unknown))["code"]], [404, "policy-not-found"])
  assert.equal((await revert(2, '"2"')).status, 412)

  const page = (await (await request(`${PATH}/versions?limit=2`)).json()) as PolicyList
  assert.deepEqual(
    page.versions.map(({ version }) => version),
    [3, 2],
  )
  const rest = await request(`${PATH}/versions?limit=2&before=${page.next}`)
  const last = (await rest.json()) as PolicyList
  assert.deepEqual([last.versions.map(({ version }) => version), last.next], [[1], null])
  assert.deepEqual(await (await request(`${PATH}/versions/2`)).json(), second)
  for (const odd of ["4", "0", "x", "1.0", "99999999999"])
    assert.equal((await request(`${PATH}/versions/${odd}`)).status, 404, odd)

  // Another tenant has versions of its own, and sees none of these.
  const theirs = await current(other)
  assert.deepEqual([theirs.policy.version, theirs.policy.policy], [1, {}])
  assert.equal((await request(`${PATH}/versions/2`, { key: other })).status, 404)

  const { out } = await assay(["audit", "list", "--action", "tenant.set-settings"], {
    ASSAY_DATA: data,
  })
  assert.match(out, /person:\w+ .*"revertedTo":1/)
})

test("of two changes from the same version one acts", async () => {
  const { tag } = await current(other)
  const answers = await Promise.all(
    [1, 2, 3, 4].map((loss) => put({ costs: { loss } }, tag, other)),
  )
  const statuses = answers.map(({ status }) => status).toSorted()
  assert.deepEqual(statuses, [200, 412, 412, 412])
  assert.equal((await current(other)).policy.version, 2)
})

test("a document that cannot be a policy is refused with its members, and not quoted", async () => {
  const { tag, policy } = await current()
  const cases: [unknown, string[]][] = [
    [{ costs: { loss: 0 } }, ["#/costs/loss"]],
    [{ costs: { loss: 0 }, prior_abuse: 1 }, ["#/prior_abuse", "#/costs/loss"]],
    [{ models: { phone: "7.7" } }, ["#/models/phone"]],
    [{ domains: ["localhost"] }, ["#/domains/0"]],
    [{ "mei.canary@mail.example": 1 }, ["#"]],
    [{ verified: true }, ["#/verified"]],
    [{ provider_daily_cap: 5 }, ["#/provider_daily_cap"]],
  ]
  for (const [document, pointers] of cases) {
    const response = await put(document, tag)
    const text = await response.text()
    assert.equal(response.status, 422, text)
    assert.doesNotMatch(text, /canary/)
    const { code, errors } = JSON.parse(text) as { code: string; errors: { pointer: string }[] }
    assert.equal(code, "policy-refused")
    assert.deepEqual(
      errors.map(({ pointer }) => pointer),
      pointers,
    )
  }
  assert.equal((await put([], tag)).status, 400)
  assert.deepEqual((await current()).policy, policy)
})

test("what the operator set stays, whatever the tenant replaces or brings back", async () => {
  const env = { ASSAY_DATA: data }
  const command = async (...settings: string[]): Promise<void> => {
    const { code, err } = await assay(["tenants", "set", "one", ...settings], env)
    assert.equal(code, 0, err)
  }
  await command("verified=true", "provider_daily_cap=3")
  const { policy, tag } = await current()
  const set = (await (await put({ costs: { loss: 5 } }, tag)).json()) as Policy
  assert.deepEqual(set.policy, { costs: { loss: 5 }, verified: true, provider_daily_cap: 3 })
  // The document as it was read goes back unchanged.
  assert.equal((await put(policy.policy, `"${set.version}"`)).status, 200)

  await command("verified=", "provider_daily_cap=")
  const before = await current()
  const json = { version: set.version }
  const headers = { "if-match": before.tag }
  const back = await request(`${PATH}/revert`, { json, headers })
  assert.deepEqual(((await back.json()) as Policy).policy, { costs: { loss: 5 } })
})

test("a change acts on scores within seconds, on every worker", async () => {
  const key = await createAccount(service, "acting")
  const email = "mei.tanaka@mail.example"
  const lenient = (await scored(email, key)).text
  const { tag } = await current(key)
  assert.equal((await put(STRICT, tag, key)).status, 200)
  await until(async () => {
    const texts = await Promise.all([1, 2, 3].map(async () => (await scored(email, key)).text))
    return texts.every((text) => text !== lenient)
  })
})

test("a proposal is tried on past decisions, line by line, and changes nothing", async () => {
  const key = await createAccount(service, "tried")
  const emails = ["mei.tanaka", "ann", "bob.jones"].map((name) => `${name}@mail.example`)
  const ids = await Promise.all(emails.map(async (email) => (await scored(email, key)).id))
  await scored("mei.tanaka@mail.example")
  const tryOut = (json: object): Promise<Response> => request(`${PATH}/backtest`, { json, key })

  const same = await linesOf(await tryOut({}))
  assert.deepEqual(changedIn(same), [])
  assert.deepEqual([summaryIn(same).compared, summaryIn(same).changed], [3, 0])

  const strict = await linesOf(await tryOut({ policy: STRICT, days: 30 }))
  const changed = changedIn(strict)
  assert.deepEqual(changed.map(({ id }) => id).toSorted(), ids.toSorted())
  for (const { before, after, subject } of changed) {
    assert.notEqual(before.recommended_action, after.recommended_action)
    assert.equal(subject, "email")
  }
  const summary = summaryIn(strict)
  assert.deepEqual([summary.decisions, summary.compared, summary.changed], [3, 3, 3])
  assert.equal(
    summary.moves.reduce((sum, { count }) => sum + count, 0),
    3,
  )
  assert.doesNotMatch(JSON.stringify(strict), /error|rate|wrong|precision/)

  // An earlier version, with the members that are the operator's as they are.
  const { tag } = await current(key)
  assert.equal((await put(STRICT, tag, key)).status, 200)
  assert.equal(summaryIn(await linesOf(await tryOut({}))).changed, 3)
  assert.equal(summaryIn(await linesOf(await tryOut({ version: 1 }))).changed, 0)
  assert.equal((await current(key)).policy.version, 2)

  const refusals: [object, number, string][] = [
    [{ policy: { ...STRICT, domains: ["acme.de"] } }, 422, "not-backtestable"],
    [{ policy: { ...STRICT, providers: true } }, 422, "not-backtestable"],
    [{ policy: { costs: { loss: 0 } } }, 422, "policy-refused"],
    [{ models: { email: "7.7" } }, 422, "policy-refused"],
    [{ policy: {}, version: 1 }, 400, "invalid-request"],
    [{ version: 7 }, 404, "policy-not-found"],
    [{ days: 91 }, 400, "invalid-request"],
    [{ days: 0 }, 400, "invalid-request"],
  ]
  for (const [json, status, code] of refusals) {
    const response = await tryOut(json)
    assert.deepEqual([response.status, (await refusal(response))["code"]], [status, code])
  }
  const unseen = await refusal(await tryOut({ policy: { domains: ["acme.de"] } }))
  assert.match(JSON.stringify(unseen["errors"]), /#\/policy\/domains.*can only be shadowed/)
})

test("a shadow is recorded with decisions, changes no answer, and is reported on", async () => {
  const key = await createAccount(service, "shadowed")
  const email = "mei.tanaka@mail.example"
  const shadow = (init: AccountRequest = {}): Promise<Response> =>
    request(`${PATH}/shadow`, { key, ...init })
  const report = async (query = ""): Promise<ComparisonLine[]> =>
    await linesOf(await request(`${PATH}/shadow/report${query}`, { key }))

  assert.deepEqual(await (await shadow()).json(), { shadow: null })
  assert.equal((await shadow({ method: "DELETE" })).status, 204)
  const none = await request(`${PATH}/shadow/report`, { key })
  assert.deepEqual([none.status, (await refusal(none))["code"]], [404, "shadow-not-found"])

  const plain = await scored(email, key)
  const set = await shadow({ method: "PUT", json: { ...STRICT, domains: ["acme.com"] } })
  assert.equal(set.status, 200)
  const state = ((await set.json()) as ShadowState).shadow
  assert.equal(state?.version, 1)
  assert.deepEqual((await current(key)).policy.policy, {})

  const seen: string[] = []
  await until(async () => {
    const { id, text } = await scored(email, key)
    // Byte for byte as without a shadow.
    assert.equal(text, plain.text)
    seen.push(id)
    return summaryIn(await report()).compared > 0
  })
  const { id: imitating } = await scored("bob@acrne.com", key)
  const lines = await report()
  const changed = changedIn(lines).map(({ id }) => id)
  assert.ok(changed.includes(imitating) && !changed.includes(plain.id))
  const { compared, left_out, moves, decisions } = summaryIn(lines)
  assert.equal(compared + left_out.not_shadowed, decisions)
  assert.equal(decisions, seen.length + 2)
  assert.ok(left_out.not_shadowed >= 1)
  assert.equal(
    moves.reduce((sum, { count }) => sum + count, 0),
    compared,
  )

  // Ended: what was recorded stays, and nothing is added.
  assert.equal((await shadow({ method: "DELETE" })).status, 204)
  assert.deepEqual(await (await shadow()).json(), { shadow: null })
  await until(async () => {
    const before = summaryIn(await report()).compared
    await scored(email, key)
    return summaryIn(await report()).compared === before
  })
  assert.ok(changedIn(await report("?version=1&days=1")).some(({ id }) => id === imitating))
  const refused = await request(`${PATH}/shadow/report?version=7`, { key })
  assert.equal(refused.status, 404)

  // Another tenant sees nothing of it.
  assert.equal((await request(`${PATH}/shadow/report`, { key: other })).status, 404)
})

test("what a shadow records is what its policy answers", async () => {
  const accountOf = (tenant: string): Promise<Account> => createAccount(service, tenant)
  const [live, beside] = [await accountOf("live"), await accountOf("beside")]
  const policy = {
    ...STRICT,
    models: { email: "1.0", phone: "1.0" },
    domains: ["acme.com"],
    sms_only_step_up: true,
    confirmed_before_block: true,
  }
  assert.equal((await put(policy, (await current(live)).tag, live)).status, 200)
  const shadow = { method: "PUT", json: policy, key: beside }
  assert.equal((await request(`${PATH}/shadow`, shadow)).status, 200)
  const report = async (): Promise<ComparisonLine[]> =>
    await linesOf(await request(`${PATH}/shadow/report`, { key: beside }))
  // Until every worker answers by the one and computes the other.
  for (let both = 0; both < 6;) {
    const answer = await request("/api/v1/risk/score", {
      json: { email: "a@mail.example" },
      key: live,
    })
    const { model_version } = (await answer.json()) as { model_version: string }
    const { compared } = summaryIn(await report())
    await scored("a@mail.example", beside)
    const recorded = summaryIn(await report()).compared > compared
    both = model_version === "1.0" && recorded ? both + 1 : 0
    await delay(100)
  }

  const questions: [path: string, json: object][] = [
    ...[
      "mei.tanaka@mail.example",
      "sofia.rossi@mail.example",
      "bob@acrne.com",
      "x9q8zk3@mailinator.com",
      "admin@gmail.com",
    ].map((email): [string, object] => ["/api/v1/risk/score", { email }]),
    ["/api/v1/risk/score", { email: "ann@mail.example", context: { ip: "192.0.2.7" } }],
    ...["+61491570156", "+447400123456", "+12025550143"].map((phone_number): [string, object] => [
      "/api/v1/phone-risk",
      { phone_number },
    ]),
  ]
  let changed = 0
  for (const [path, json] of questions) {
    const acting = (await (await request(path, { json, key: live })).json()) as {
      risk_score: number
      recommended_action?: string
      recommendation?: string
    }
    const answer = await request(path, { json, key: beside })
    const own = (await answer.json()) as typeof acting
    const id = answer.headers.get("x-decision-id") ?? ""
    const found = changedIn(await report()).find((line) => line.id === id)
    const [action, ownAction] = [acting, own].map(
      (each) => each.recommended_action ?? each.recommendation,
    )
    if (action === ownAction) assert.equal(found, undefined, JSON.stringify(json))
    else {
      changed++
      assert.deepEqual(
        [found?.after, found?.before],
        [
          { risk_score: acting.risk_score, recommended_action: action },
          { risk_score: own.risk_score, recommended_action: ownAction },
        ],
        JSON.stringify(json),
      )
    }
  }
  assert.ok(changed >= 3, `${changed} changed`)
})

test("a person who is erased is gone from what shadows recorded", async () => {
  const key = await createAccount(service, "erased")
  const email = "carla.canary@mail.example"
  assert.equal((await request(`${PATH}/shadow`, { method: "PUT", json: STRICT, key })).status, 200)
  const report = async (): Promise<ComparisonLine[]> =>
    await linesOf(await request(`${PATH}/shadow/report`, { key }))
  await until(async () => {
    await scored(email, key)
    return changedIn(await report()).length > 0
  })
  const json = { email, reason: "subject_request" }
  assert.equal((await request("/api/v1/subjects/erase", { json, key })).status, 200)
  const lines = await report()
  assert.deepEqual(changedIn(lines), [])
  assert.equal(summaryIn(lines).left_out.erased, summaryIn(lines).decisions)
})

test("a shadow looks at no more than the policy that acts", async () => {
  const shadow = (json: object): Promise<Response> =>
    request(`${PATH}/shadow`, { method: "PUT", json })
  for (const [json, pointer] of [
    [{ providers: true }, "#/providers"],
    [{ verified: true }, "#/verified"],
    [{ costs: { loss: -1 } }, "#/costs/loss"],
  ] as const) {
    const response = await shadow(json)
    assert.equal(response.status, 422)
    const { errors } = (await response.json()) as { errors: { pointer: string }[] }
    assert.deepEqual(
      errors.map((each) => each.pointer),
      [pointer],
    )
  }
  assert.deepEqual(await (await request(`${PATH}/shadow`)).json(), { shadow: null })
})

test("no key sees or changes a policy, whatever its scopes", async () => {
  const ofService = await createKey(service, "--service", "--scopes", "all")
  for (const key of [one.key, ofService]) {
    assert.equal((await request(PATH, { key })).status, 403)
    const { tag } = await current()
    const headers = { "if-match": tag }
    assert.equal((await request(PATH, { method: "PUT", json: {}, headers, key })).status, 403)
    assert.equal((await request(`${PATH}/backtest`, { json: {}, key })).status, 403)
    for (const method of ["PUT", "DELETE"]) {
      const json = method === "PUT" ? { json: {} } : {}
      assert.equal((await request(`${PATH}/shadow`, { key, method, ...json })).status, 403)
    }
  }
})

test("a preview says what a policy would make of each score, and changes nothing", async () => {
  const before = await current()
  const preview = async (json: object): Promise<PolicyPreview["email"]> => {
    const response = await request(`${PATH}/preview`, { method: "POST", json })
    assert.equal(response.status, 200)
    const { email, phone } = (await response.json()) as PolicyPreview
    assert.deepEqual(phone, email, "both models weigh costs alike")
    return email
  }
  const usual = await preview({})
  assert.deepEqual(usual.edges, { challenge: 25, block: 80 })
  assert.deepEqual(usual.costs, { loss: 20, challenge: 1, wrong_block: 4.63 })
  assert.equal(usual.curve.length, 101)
  assert.deepEqual(usual.actions, [
    { action: "allow", from: 0, to: 24 },
    { action: "step_up_auth", from: 25, to: 79 },
    { action: "block", from: 80, to: 100 },
  ])
  const dear = await preview({ costs: { loss: 40 }, confirmed_before_block: true })
  assert.deepEqual(dear.edges, { challenge: 16, block: 71 })
  assert.equal(dear.costs.loss, 40)
  assert.deepEqual(dear.actions.at(-1), { action: "review", from: 71, to: 100 })
  assert.deepEqual(await current(), before)

  const refused = await request(`${PATH}/preview`, { method: "POST", json: { costs: { loss: 0 } } })
  assert.equal((await refusal(refused))["code"], "policy-refused")
})
