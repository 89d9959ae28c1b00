import assert from "node:assert/strict"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { type DecisionDetails, NUMBER_TYPES, PhoneRiskResult } from "@assay/core/contract"
import { assessPhone, PHONE_REASON_CODES, type PhoneExplanation } from "@assay/core/score"
import { Value } from "typebox/value"
import { currentModels } from "../../packages/server/src/score/models.ts"
import { DAY_MS, HOUR_MS } from "../../packages/runtime/src/time.ts"
import { assay, createKey } from "../cli/assay.ts"
import { ofOneNode } from "./about-one-node.ts"
import { openStream } from "./ndjson.ts"
import { type Service, startService } from "./service.ts"
import { filesBelow } from "./search.ts"
import { temporaryDirectory } from "./temporary.ts"

const temporary = temporaryDirectory()

let service: Service
let one: string
let other: string
before(async () => {
  service = await startService({ args: ["--workers", "2"] })
  one = await createKey(service, "--tenant", "one", "--plan", "enterprise", "--scopes", "all")
  other = await createKey(service, "--tenant", "other", "--plan", "enterprise", "--scopes", "all")
})
after(() => service.stop())

interface Explained extends Omit<PhoneRiskResult, "explanation"> {
  readonly explanation: PhoneExplanation & {
    readonly evidence: readonly { kind: string; observed_at: string; source: string }[]
    readonly signals: { readonly state: string; readonly results: readonly unknown[] }
    readonly context?: Record<string, unknown>
  }
}

interface Asked {
  readonly context?: object | null
  readonly key?: string
}

async function ask(phone_number: string, { context, key = one }: Asked = {}): Promise<Response> {
  return await service.request("/api/v1/phone-risk?explain=true", {
    key,
    json: { phone_number, ...(context === undefined ? {} : { context }) },
    headers: { connection: "close" },
  })
}

/** The explained answer. Scoring its explained input gives the same answer. */
async function scored(phone_number: string, asked: Asked = {}): Promise<Explained> {
  const response = await ask(phone_number, asked)
  const body = (await response.json()) as Explained
  assert.equal(response.status, 200, JSON.stringify(body))
  assert.ok(Value.Check(PhoneRiskResult, body))
  const { phone_number: echoed, explanation, ...answer } = body
  assert.equal(echoed, phone_number)
  assert.deepEqual(answer, assessPhone(explanation.input, currentModels.phone))
  return body
}

const ago = (hours: number): string => new Date(Date.now() - hours * HOUR_MS).toISOString()

type Sent = readonly [kind: string, hoursAgo: number, value?: unknown]

async function sendEvidence(phone_number: string, sent: readonly Sent[], key = one): Promise<void> {
  if (sent.length === 0) return
  const json = sent.map(([kind, hoursAgo, value], n) => ({
    phone_number,
    kind,
    source: "carrier",
    item: `item ${n}`,
    observed_at: ago(hoursAgo),
    ...(value === undefined ? {} : { value }),
  }))
  const response = await service.request("/api/v1/evidence", { key, json })
  const { results } = (await response.json()) as { results: { status?: string }[] }
  assert.deepEqual(new Set(results.map(({ status }) => status)), new Set(["stored"]))
}

let numbers = 0
/** A number of the block kept for fiction, about which nothing is known. */
const stranger = (): string => `+120155501${String(numbers++).padStart(2, "0")}`

interface Case {
  readonly of: string
  readonly sent: readonly Sent[]
  readonly phone?: string
  readonly expected: Partial<Record<keyof PhoneRiskResult, unknown>>
}

const DAY = 24
const CASES: readonly Case[] = [
  {
    of: "a number of which nothing is known",
    sent: [],
    phone: "+12015551234",
    expected: {
      risk_level: "LOW",
      sim_swap_risk: "low",
      sim_change_detected: false,
      sim_change_window: null,
      ownership_confidence: "low",
      network_continuity: "stable",
      carrier_region: "US",
      recommendation: "allow",
    },
  },
  {
    of: "a number set aside for fiction, of which no line is known",
    sent: [],
    expected: {
      risk_score: 82,
      risk_level: "CRITICAL",
      ownership_confidence: "low",
      network_continuity: "unstable",
      recommendation: "block",
    },
  },
  {
    of: "a line with all calls forwarded, otherwise sound",
    sent: [
      ["sim_change", 400 * DAY],
      ["line_status", 1, "active"],
      ["call_forwarding", 1, true],
    ],
    expected: {
      risk_level: "ELEVATED",
      network_continuity: "unstable",
      recommendation: "step_up_auth",
    },
  },
  {
    of: "a suspended line",
    sent: [
      ["sim_change", 400 * DAY],
      ["line_status", 1, "inactive"],
    ],
    expected: {
      risk_level: "ELEVATED",
      ownership_confidence: "low",
      network_continuity: "unstable",
      recommendation: "review",
    },
  },
  {
    of: "a SIM changed nine days ago",
    sent: [["sim_change", 9 * DAY]],
    expected: {
      risk_level: "ELEVATED",
      sim_swap_risk: "elevated",
      recommendation: "step_up_auth",
    },
  },
  {
    of: "a SIM changed hours ago, with the handset",
    sent: [
      ["sim_change", 2],
      ["device_change", 2],
    ],
    expected: {
      risk_level: "HIGH",
      sim_swap_risk: "high",
      sim_change_detected: true,
      sim_change_window: /^[23]h$/,
      ownership_confidence: "low",
      recommendation: "step_up_auth",
    },
  },
  {
    of: "a SIM changed days ago",
    sent: [["sim_change", 5 * DAY]],
    expected: {
      risk_level: "ELEVATED",
      sim_swap_risk: "elevated",
      sim_change_detected: true,
      sim_change_window: "5d",
      recommendation: "step_up_auth",
    },
  },
  {
    of: "a SIM changed weeks ago",
    sent: [["sim_change", 20 * DAY]],
    expected: {
      risk_level: "LOW",
      sim_swap_risk: "low",
      sim_change_detected: true,
      sim_change_window: "20d",
      ownership_confidence: "medium",
    },
  },
  {
    of: "the same SIM and handset for long",
    sent: [
      ["sim_change", 400 * DAY],
      ["device_change", 400 * DAY],
      ["tenure", 1, 1100],
      ["line_status", 1, "active"],
      ["subscription", 1, "postpaid"],
    ],
    expected: {
      risk_level: "LOW",
      sim_swap_risk: "none",
      sim_change_detected: false,
      sim_change_window: null,
      ownership_confidence: "high",
      network_continuity: "stable",
    },
  },
  {
    of: "no SIM change, as somebody affirms",
    sent: [["sim_unchanged", 1, 240]],
    expected: { sim_swap_risk: "none", sim_change_detected: false, ownership_confidence: "medium" },
  },
  {
    of: "a number ported and forwarded",
    sent: [
      ["port", 20],
      ["call_forwarding", 20, true],
    ],
    expected: { risk_level: "HIGH", sim_swap_risk: "high", network_continuity: "unstable" },
  },
  {
    of: "a number given to somebody else, whose codes fail",
    sent: [
      ["recycled", 10 * DAY],
      ["otp_failures", 1],
    ],
    expected: { risk_level: "HIGH", sim_swap_risk: "low", ownership_confidence: "low" },
  },
  {
    of: "a new prepaid line on a list",
    sent: [
      ["tenure", 1, 2],
      ["subscription", 1, "prepaid"],
      ["blocklisted", 1],
      ["route_change", 30],
      ["route_change", 60],
    ],
    expected: { network_continuity: "unstable", recommendation: "review" },
  },
  {
    of: "a line that is dead, new and reported",
    sent: [
      ["line_status", 1, "inactive"],
      ["tenure", 1, 0],
      ["fraud_report", 1],
      ["recycled", 1],
      ["call_forwarding", 1, true],
    ],
    phone: "+19005550199",
    expected: { risk_level: "CRITICAL", recommendation: "block", network_continuity: "unstable" },
  },
  {
    of: "a number no plan allows",
    sent: [],
    phone: "+999123456789",
    expected: {
      risk_level: "CRITICAL",
      number_type: "invalid",
      carrier_region: "ZZ",
      ownership_confidence: "low",
      recommendation: "block",
    },
  },
]

const answers: Explained[] = []
for (const { of, sent, phone, expected } of CASES) {
  test(`${of} is answered by what is known of it`, async () => {
    const number = phone ?? stranger()
    await sendEvidence(number, sent)
    const answer = await scored(number)
    answers.push(answer)
    for (const [member, value] of Object.entries(expected)) {
      const found = answer[member as keyof PhoneRiskResult]
      if (value instanceof RegExp) assert.match(found as string, value, member)
      else assert.equal(found, value, `${member} of ${JSON.stringify(answer)}`)
    }
    assert.equal(answer.explanation.evidence.length, sent.length)
    assert.equal(answer.explanation.signals.state, "off")
    assert.ok(answer.explanation.notes.includes("No operator or vendor is connected"))
  })
}

test("every line type a numbering plan knows is in the answer", async () => {
  const types = new Map<string, string>([
    ["mobile", "+61491570156"],
    ["fixed_line", "+61255501234"],
    ["fixed_line_or_mobile", "+12015550199"],
    ["voip", "+445612345678"],
    ["toll_free", "+18005550199"],
    ["premium_rate", "+19005550199"],
    ["shared_cost", "+491801234567"],
    ["personal", "+447012345678"],
    ["uan", "+445512345678"],
    ["pager", "+447640123456"],
    ["voicemail", "+41860123456789"],
    ["satellite", "+881612345678"],
    ["invalid", "+999123456789"],
  ])
  for (const [type, phone] of types) {
    const answer = await scored(phone, { key: other })
    answers.push(answer)
    assert.equal(answer.number_type, type)
  }
  // Only a provider reports these; and no plan leaves a number it knows without a type.
  assert.deepEqual(
    NUMBER_TYPES.filter((type) => !types.has(type)),
    ["voip_fixed", "voip_non_fixed", "unknown"],
  )
})

test("accounts on a number are counted over all events of a tenant, and of no other", async () => {
  const phone = stranger()
  const events = ["sign-up", "login", "transaction", "other"] as const
  const use = (account_id: string, event: (typeof events)[number] = "login", key = one) =>
    scored(phone, { context: { event, account_id }, key })
  const alone = await use("a1")
  assert.deepEqual(alone.explanation.context, {
    event: "login",
    counted: true,
    accounts_24h: 1,
    verification_known_by: null,
  })
  for (const [n, event] of events.entries()) {
    await use(`b${n}`, event)
    await use(`b${n}`, event)
  }
  const many = await use("a1")
  answers.push(many)
  assert.equal(many.explanation.input.accounts24h, 5)
  assert.ok(many.risk_score > alone.risk_score)
  assert.ok(many.risk_reasons.includes("5 accounts used the number in 24 hours"))
  assert.equal(many.explanation.coverage.context, 1)
  assert.equal((await use("c", "login", other)).explanation.input.accounts24h, 1)
  // A device stands in for an account; with neither nobody is added.
  const device = await scored(phone, { context: { device_id: "d" } })
  assert.equal(device.explanation.input.accounts24h, 6)
  assert.equal((await scored(phone, { context: {} })).explanation.input.accounts24h, 6)
  assert.equal((await scored(phone)).explanation.input.accounts24h, undefined)
})

test("what a number does and what a mailbox does are counted apart", async () => {
  const context = { event: "sign-up", account_id: "same", device_id: "same-device" }
  const phone = stranger()
  for (const account_id of ["x", "y", "same"])
    await scored(phone, { context: { ...context, account_id } })
  const response = await service.request("/api/v1/risk/score?explain=true", {
    key: one,
    json: { email: "apart@mail.example", context },
  })
  const { explanation } = (await response.json()) as {
    explanation: { context: { signups_24h: Record<string, number | null> } }
  }
  assert.deepEqual(explanation.context.signups_24h, {
    device: 1,
    network: null,
    mailbox: 1,
    cluster: 1,
  })
  const again = await scored(phone, { context: { ...context, account_id: "x" } })
  assert.equal(again.explanation.input.accounts24h, 3)
})

test("a SIM change before the account's own proof is no risk to it; a number given away after it is", async () => {
  const changed = stranger()
  await sendEvidence(changed, [["sim_change", 30]])
  const open = await scored(changed)
  assert.equal(open.risk_level, "ELEVATED")
  const verified = (hours: number, verified_by: string | null = "other") =>
    scored(changed, { context: { last_verified_at: ago(hours), verified_by } })
  assert.equal((await verified(50)).risk_score, open.risk_score)
  const safe = await verified(10)
  assert.equal(safe.risk_level, "LOW")
  assert.deepEqual([safe.sim_swap_risk, safe.sim_change_detected], ["high", true])
  assert.equal(safe.explanation.sms_otp_trust, "ok")
  assert.equal(safe.explanation.context?.["verification_known_by"], "request")
  // The holder of the new SIM receives a code to the number.
  for (const through of ["phone", null]) {
    const proved = await verified(10, through)
    assert.equal(proved.risk_score, open.risk_score)
    assert.equal(proved.explanation.sms_otp_trust, "do_not_use")
  }
  const enrolled = await scored(changed, {
    context: { enrolled_at: ago(10), verified_by: "other" },
  })
  assert.equal(enrolled.risk_score, safe.risk_score)

  const recycled = stranger()
  await sendEvidence(recycled, [["recycled", 30]])
  const at = async (hours: number) =>
    (await scored(recycled, { context: { last_verified_at: ago(hours) } })).risk_level
  assert.deepEqual([await at(10), await at(50)], ["LOW", "HIGH"])
})

test("without context, or with null, nothing of it is in the answer, also after others had one", async () => {
  const phone = stranger()
  const steady = (answer: Explained): string =>
    JSON.stringify(answer)
      .replace(/"as_of":"[^"]+"/, "")
      .replace(/"decision_id":"[^"]+"/, "")
  const plain = steady(await scored(phone))
  assert.doesNotMatch(plain, /"context":\{"event|accounts24h|verifiedAge/)
  await scored(phone, { context: { account_id: "a", last_verified_at: ago(1) } })
  assert.equal(steady(await scored(phone)), plain)
  assert.equal(steady(await scored(phone, { context: null })), plain)
  const nulls = { event: null, ip: null, account_id: null, enrolled_at: null, unknown: [1] }
  assert.equal(
    steady(await scored(phone, { context: nulls })),
    steady(await scored(phone, { context: {} })),
  )
})

test("a wrong context is 400 with the pointer of the member, and nothing was counted", async () => {
  const phone = stranger()
  const cases: [unknown, string, RegExp][] = [
    ["text", "#/context", /must be of type object/],
    [[], "#/context", /must be of type object/],
    [{ event: "purchase" }, "#/context/event", /one of sign-up, signup, login/],
    [{ occurred_at: "2026-11-14" }, "#/context/occurred_at", /RFC 3339/],
    [{ occurred_at: ago(-1) }, "#/context/occurred_at", /future/],
    [{ occurred_at: ago(49) }, "#/context/occurred_at", /48 hours/],
    [{ account_id: 7 }, "#/context/account_id", /must be of type string/],
    [{ account_id: "a".repeat(257) }, "#/context/account_id", /at most 256 characters/],
    [{ device_id: "" }, "#/context/device_id", /must not be empty/],
    [{ ip: "203.0.113.700" }, "#/context/ip", /IPv4 or IPv6/],
    [{ enrolled_at: "never" }, "#/context/enrolled_at", /RFC 3339/],
    [{ enrolled_at: ago(-1) }, "#/context/enrolled_at", /future/],
    [{ last_verified_at: 1763114400 }, "#/context/last_verified_at", /must be of type string/],
    [{ last_verified_at: "1989-12-31T00:00:00Z" }, "#/context/last_verified_at", /1990/],
    [{ verified_by: "purchase" }, "#/context/verified_by", /one of phone, other/],
  ]
  for (const [context, pointer, detail] of cases) {
    const given =
      typeof context === "object" && !Array.isArray(context)
        ? { account_id: "counted", ...context }
        : context
    const response = await ask(phone, { context: given as object })
    const text = await response.text()
    assert.equal(response.status, 400, text)
    const problem = JSON.parse(text) as {
      code: string
      errors: { pointer: string; detail: string }[]
    }
    assert.equal(problem.code, "invalid-request")
    assert.equal(problem.errors[0]?.pointer, pointer)
    assert.match(problem.errors[0].detail, detail)
    assert.doesNotMatch(text, /purchase|113\.700|never|1989/)
  }
  assert.equal((await scored(phone, { context: {} })).explanation.input.accounts24h, 0)
})

async function feedback(phone_number: string, outcome: string, hoursAgo = 0): Promise<Response> {
  return await service.request("/api/v1/feedback", {
    key: one,
    json: { phone_number, outcome, occurred_at: ago(hoursAgo) },
  })
}

test("fraud by its owner is critical for the tenant that confirmed it, until not_fraud or clear", async () => {
  for (const undo of ["not_fraud", "clear"]) {
    const phone = stranger()
    await sendEvidence(phone, [["line_status", 1, "active"]])
    await sendEvidence(phone, [["line_status", 1, "active"]], other)
    const before = await scored(phone)
    assert.equal(before.risk_level, "LOW")
    assert.equal((await feedback(phone, "fraud_confirmed")).status, 202)
    const listed = await scored(phone)
    answers.push(listed)
    assert.equal(listed.explanation.input.confirmedFraudAge !== undefined, true)
    assert.deepEqual([listed.risk_level, listed.recommendation], ["CRITICAL", "block"])
    assert.match(listed.risk_reasons[0] ?? "", /^Fraud with this number confirmed /)
    assert.equal((await scored(phone, { key: other })).risk_score, before.risk_score)
    assert.equal((await feedback(phone, undo)).status, 202)
    const after = await scored(phone)
    assert.equal(after.explanation.input.confirmedFraudAge, undefined)
    assert.equal(after.explanation.input.blocklisted, undefined)
    assert.equal(after.risk_score, before.risk_score)
  }
})

test("a takeover by a number holds until the number is proved, by feedback or by the request", async () => {
  const phone = stranger()
  await feedback(phone, "takeover_confirmed", 30)
  const taken = await scored(phone)
  assert.equal(taken.explanation.input.recycledSinceVerified, true)
  assert.deepEqual([taken.risk_level, taken.ownership_confidence], ["HIGH", "low"])
  assert.equal(taken.explanation.input.blocklisted, undefined)
  const proved = async (hours: number) =>
    (await scored(phone, { context: { last_verified_at: ago(hours) } })).explanation.input
      .recycledSinceVerified
  assert.deepEqual([await proved(50), await proved(10)], [true, false])
  await feedback(phone, "ownership_verified", 50)
  assert.equal((await scored(phone)).explanation.input.recycledSinceVerified, true)
  await feedback(phone, "ownership_verified", 5)
  const back = await scored(phone)
  assert.equal(back.risk_level, "LOW")
  assert.ok(!back.explanation.evidence.some(({ kind }) => kind === "takeover_confirmed"))
  const other = stranger()
  await feedback(other, "takeover_confirmed", 1)
  await feedback(other, "clear")
  assert.equal((await scored(other)).risk_score, (await scored(stranger())).risk_score)
})

test("a number that was proved has the age of the proof, and a rotated password is none of its outcomes", async () => {
  const phone = stranger()
  await sendEvidence(phone, [["sim_change", 30]])
  await feedback(phone, "ownership_verified", 10)
  const { explanation, risk_level } = await scored(phone, { context: {} })
  const age = (explanation.input.verifiedAge ?? 0) * (DAY_MS / HOUR_MS)
  assert.ok(age >= 10 && age < 11.1, String(age))
  // A record does not say how the number was proved: it may have been by a code to the new SIM.
  assert.equal(risk_level, "ELEVATED")
  const settled = stranger()
  await sendEvidence(settled, [["sim_change", 12 * DAY]])
  await feedback(settled, "ownership_verified", 10)
  const { notes } = (await scored(settled)).explanation
  assert.ok(notes.some((note) => note.endsWith("after the last SIM change")))
  assert.equal(explanation.context?.["verification_known_by"], "record")
  const rotated = await feedback(phone, "credential_rotated")
  assert.equal(rotated.status, 422)
  const problem = (await rotated.json()) as { code: string; errors: { pointer: string }[] }
  assert.equal(problem.code, "outcome-not-applicable")
  assert.equal(problem.errors[0]?.pointer, "#/outcome")
})

test("evidence is named by kind and hour, and its source only on plans that name sources", async () => {
  const free = await createKey(service, "--tenant", "free", "--plan", "free", "--scopes", "score")
  const phone = "+61491570156"
  const named = (await scored(phone)).explanation.evidence
  assert.deepEqual(
    named.map(({ kind, source }) => [kind, source]),
    [
      ["sim_change", "demo-carrier"],
      ["device_change", "demo-carrier"],
      ["tenure", "demo-carrier"],
    ],
  )
  for (const { observed_at } of named) assert.match(observed_at, /T\d\d:00:00\.000Z$/)
  const unnamed = (await scored(phone, { key: free })).explanation.evidence
  assert.equal(unnamed.length, 3)
  for (const { source } of unnamed) assert.match(source, /^source \d+$/)
})

test("that a tenant asked before is no evidence about a number", async () => {
  const phone = stranger()
  const response = await ask(phone)
  const id = response.headers.get("x-decision-id") ?? ""
  const first = (await response.json()) as Explained
  // Looking a decision up folds the journals, and only then the index learns of it.
  assert.equal((await service.request(`/api/v1/decisions/${id}`, { key: one })).status, 200)
  const second = await scored(phone)
  assert.deepEqual(second.explanation.evidence, [])
  assert.equal(second.risk_score, first.risk_score)
  assert.deepEqual(second.explanation.coverage, first.explanation.coverage)
})

test("together the answers had every value of every field", () => {
  const had = (member: keyof PhoneRiskResult): unknown[] =>
    [...new Set(answers.map((answer) => answer[member]))].sort()
  assert.deepEqual(had("risk_level"), ["CRITICAL", "ELEVATED", "HIGH", "LOW"])
  assert.deepEqual(had("sim_swap_risk"), ["elevated", "high", "low", "none"])
  assert.deepEqual(had("sim_change_detected"), [false, true])
  assert.deepEqual(had("ownership_confidence"), ["high", "low", "medium"])
  assert.deepEqual(had("network_continuity"), ["stable", "unstable"])
  assert.deepEqual(had("recommendation"), ["allow", "block", "review", "step_up_auth"])
  const windows = had("sim_change_window").map((window) => String(window).replace(/^\d+/, ""))
  assert.deepEqual(new Set(windows), new Set(["h", "d", "null"]))
  const codes = new Set(
    answers.flatMap(({ explanation }) => explanation.contributions.map(({ code }) => code)),
  )
  // Only a carrier reports where a number is used.
  assert.deepEqual(
    PHONE_REASON_CODES.filter((code) => !codes.has(code)),
    ["COUNTRY_MISMATCH"],
  )
  const trust = new Set(answers.map(({ explanation }) => explanation.sms_otp_trust))
  assert.deepEqual(trust, new Set(["ok", "weak", "do_not_use"]))
})

test("a batch and a stream answer as one request does", async () => {
  const known = ["+61491570156", "+61491570157", "+61491570110", "+46701740606", "+999123456789"]
  const alone = await Promise.all(
    known.map(async (phone) => {
      const { explanation: _, ...answer } = await scored(phone)
      return answer
    }),
  )
  const path = "/api/v1/phone-risk/batch"
  const batch = await service.request(path, { key: one, json: { phone_numbers: known } })
  const { results } = (await batch.json()) as { results: { result: PhoneRiskResult }[] }
  assert.deepEqual(
    results.map(({ result }) => result),
    alone,
  )
  const stream = openStream(service, { path })
  for (const phone_number of known) await stream.send(`${JSON.stringify({ phone_number })}\n`)
  stream.end()
  assert.deepEqual(
    (await stream.rest()).map(({ result }) => result),
    alone,
  )
})

test("a decision on a number repeats from its own record, whatever is known since, also by the command", async () => {
  const phone = stranger()
  await sendEvidence(phone, [["sim_change", 50]])
  const context = { event: "login", account_id: "a", last_verified_at: ago(20) }
  const response = await ask(phone, { context })
  const { explanation, phone_number: _, ...answer } = (await response.json()) as Explained
  const id = response.headers.get("x-decision-id") ?? ""
  await feedback(phone, "fraud_confirmed")
  await sendEvidence(phone, [["recycled", 1]])
  const details = (await (
    await service.request(`/api/v1/decisions/${id}`, { key: one })
  ).json()) as DecisionDetails
  assert.equal(details.reproduced, true)
  assert.deepEqual(details.assessment, answer)
  assert.deepEqual(details.input, explanation.input)
  const { out, err, code } = await assay(["decisions", "replay", id], {
    ASSAY_DATA: service.dataDirectory,
  })
  assert.equal(code, 0, err)
  assert.match(out, new RegExp(`^same: ${answer.risk_score} `))
})

const skip = ofOneNode("it kills and searches one node")
test(
  "nothing a context says is in any file, log line, metric or header, running or killed",
  { skip },
  async () => {
    const data = join(temporary, "canaries")
    const canaries = [
      "canary-account",
      "canary-device",
      "198.51.100.23",
      "12015550177",
      Buffer.from("canary-account").toString("base64").slice(0, 16),
      Buffer.from("canary-account").toString("hex"),
    ]
    const quiet = await startService({ dataDirectory: data, env: { ASSAY_LOG_LEVEL: "debug" } })
    const search = (): void => {
      const texts = [quiet.stderr() + quiet.stdout()]
      for (const { bytes } of filesBelow(data)) texts.push(bytes.toString("latin1"))
      for (const text of texts)
        for (const canary of canaries) assert.ok(!text.includes(canary), canary)
    }
    const context = {
      event: "login",
      account_id: "canary-account",
      device_id: "canary-device",
      ip: "198.51.100.23",
      last_verified_at: ago(100),
    }
    for (const given of [context, { ...context, event: "canary-account" }]) {
      const response = await quiet.request("/api/v1/phone-risk?explain=true", {
        json: { phone_number: "+12015550177", context: given },
      })
      const { phone_number: _, ...body } = (await response.json()) as Record<string, unknown>
      const text = JSON.stringify([body, ...response.headers])
      for (const canary of canaries) assert.ok(!text.includes(canary), canary)
    }
    const metrics = await (await quiet.request("/metrics")).text()
    for (const canary of canaries) assert.ok(!metrics.includes(canary), canary)
    assert.equal(readdirSync(join(data, "context")).length, 1)
    search()
    await quiet.kill()
    search()
  },
)
