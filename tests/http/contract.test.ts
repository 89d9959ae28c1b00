import assert from "node:assert/strict"
import { after, before, test } from "node:test"
import { type Client, createClient } from "@assay/client"
import { EmailRiskResult, PhoneRiskResult, ProblemDetails } from "@assay/core/contract"
import { Value } from "typebox/value"
import { demoEmails, demoPhones } from "../../packages/server/src/demo/demo-identities.ts"
import { ofOneNode } from "./about-one-node.ts"
import { severalNodes } from "./shared-stores.ts"
import { type Service, startService } from "./service.ts"

let service: Service
before(async () => {
  service = await startService()
})
after(() => service.stop())

const EMAIL_FIELDS = [
  "email",
  "risk_score",
  "confidence",
  "threat_stage",
  "exposed",
  "exposure_count",
  "last_seen",
  "risk_reasons",
  "recommended_action",
  "model_version",
]
const PHONE_FIELDS = [
  "phone_number",
  "risk_score",
  "risk_level",
  "sim_swap_risk",
  "sim_change_detected",
  "sim_change_window",
  "ownership_confidence",
  "network_continuity",
  "number_type",
  "carrier_region",
  "risk_reasons",
  "recommendation",
]

type Body = Record<string, unknown>

async function post(
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return await service.request(path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${service.key ?? ""}`,
      "content-type": "application/json",
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  })
}

function client(): Client {
  return createClient({ baseUrl: service.baseUrl, apiKey: service.key ?? "", timeoutMs: 120_000 })
}

/** Scores through the client, or by hand where the query is not one it would send. */
async function emailRisk(email: string, query = ""): Promise<Body> {
  if (query === "") return { ...(await client().scoreEmail(email)) }
  if (query === "?explain=true") return { ...(await client().scoreEmail(email, { explain: true })) }
  return await answered(`/api/v1/risk/score${query}`, { email })
}

async function phoneRisk(phone: string, query = ""): Promise<Body> {
  if (query === "") return { ...(await client().scorePhone(phone)) }
  if (query === "?explain=true") return { ...(await client().scorePhone(phone, { explain: true })) }
  return await answered(`/api/v1/phone-risk${query}`, { phone_number: phone })
}

async function answered(path: string, body: object): Promise<Body> {
  const response = await post(path, body)
  assert.equal(response.status, 200)
  return (await response.json()) as Body
}

async function assertProblem(response: Response, status: number, code: string): Promise<Body> {
  assert.equal(response.status, status)
  assert.match(response.headers.get("content-type") ?? "", /^application\/problem\+json/)
  const problem = (await response.json()) as Body
  assert.ok(Value.Check(ProblemDetails, problem), JSON.stringify(problem))
  assert.equal(problem["code"], code)
  assert.equal(problem["type"], `/problems/${code}`)
  assert.equal(problem["status"], status)
  assert.equal(problem["request_id"], response.headers.get("x-request-id"))
  return problem
}

test("an e-mail answer has exactly the specified members, in every demo case", async () => {
  for (const { email } of demoEmails) {
    const body = await emailRisk(email)
    assert.deepEqual(Object.keys(body).sort(), [...EMAIL_FIELDS].sort())
    assert.ok(Value.Check(EmailRiskResult, body), JSON.stringify(body))
  }
})

test("a phone answer has exactly the specified members, in every demo case", async () => {
  for (const { phone } of demoPhones) {
    const body = await phoneRisk(phone)
    assert.deepEqual(Object.keys(body).sort(), [...PHONE_FIELDS].sort())
    assert.ok(Value.Check(PhoneRiskResult, body), JSON.stringify(body))
  }
})

test("the demo shows every stage, band and action", async () => {
  const bodies = await Promise.all(demoEmails.map(({ email }) => emailRisk(email)))
  const seen = (member: string): Set<unknown> => new Set(bodies.map((body) => body[member]))
  assert.deepEqual(
    seen("threat_stage"),
    new Set(["CLEAN", "LEAKED", "REPOSTED", "TRADED", "TESTED", "ATTACKED", "MONETIZED"]),
  )
  assert.deepEqual(
    seen("recommended_action"),
    new Set(["allow", "step_up_auth", "review", "block"]),
  )
  const bands = new Set(
    bodies.map(
      ({ risk_score: score }) => [25, 60, 80].filter((edge) => Number(score) >= edge).length,
    ),
  )
  assert.equal(bands.size, 4)
  const phones = await Promise.all(demoPhones.map(({ phone }) => phoneRisk(phone)))
  assert.deepEqual(
    new Set(phones.map((body) => body["risk_level"])),
    new Set(["LOW", "ELEVATED", "HIGH", "CRITICAL"]),
  )
})

test("the demo's SIM changes of 2 hours, 5 days and 40 days read as such", async () => {
  const of = async (phone: string): Promise<unknown[]> => {
    const { sim_swap_risk, sim_change_detected, sim_change_window } = await phoneRisk(phone)
    return [sim_swap_risk, sim_change_detected, sim_change_window]
  }
  const [risk, detected, window] = await of("+61491570156")
  assert.deepEqual([risk, detected], ["high", true])
  // Evidence is dated by the hour, so up to an hour more than 2.
  assert.match(String(window), /^[23]h$/)
  assert.deepEqual(await of("+61491570157"), ["elevated", true, "5d"])
  assert.deepEqual(await of("+61491570158"), ["none", false, null])
})

test("nothing known is an answer: CLEAN, not exposed, last_seen null, low confidence, and what was checked", async () => {
  const body = await emailRisk("nobody.ever@unlisted.example")
  assert.equal(body["threat_stage"], "CLEAN")
  assert.equal(body["exposed"], false)
  assert.equal(body["exposure_count"], 0)
  assert.equal(body["last_seen"], null)
  assert.equal(body["confidence"], "low")
  assert.match(
    String(body["risk_reasons"]),
    /^No exposure in \d+ sources, newest import \d{4}-\d\d-\d\d$/,
  )
})

test("SIM history nobody could give reads as low with a reason, not as none", async () => {
  const body = await phoneRisk("+46701740605")
  assert.equal(body["sim_swap_risk"], "low")
  assert.equal(body["sim_change_detected"], false)
  assert.equal(body["sim_change_window"], null)
  assert.equal(body["ownership_confidence"], "medium")
  assert.match(String(body["risk_reasons"]), /SIM history was not available/)
})

test("numbers kept for fiction get the same answer, whether or not a plan allows them", async () => {
  for (const number of ["+46701740607", "+447700900123"]) {
    const body = await phoneRisk(number)
    assert.deepEqual([body["risk_level"], body["recommendation"]], ["CRITICAL", "block"], number)
    assert.match(String(body["risk_reasons"]), /set aside for fiction/)
  }
})

test("a well-formed number no plan allows is scored, with the region ZZ", async () => {
  const body = await phoneRisk("+999123456789")
  assert.equal(body["number_type"], "invalid")
  assert.equal(body["carrier_region"], "ZZ")
  assert.equal(body["risk_level"], "CRITICAL")
})

test("explanation comes with ?explain=true and with nothing else", async () => {
  const { explanation, ...rest } = await emailRisk("ana.silva@mail.example", "?explain=true")
  assert.deepEqual(rest, await emailRisk("ana.silva@mail.example"))
  const { baseline, contributions, rounding, matched } = explanation as {
    baseline: number
    contributions: { points: number }[]
    rounding: number
    matched: string
  }
  const sum = contributions.reduce((total, { points }) => total + points, baseline) + rounding
  assert.ok(Math.abs(sum - Number(rest["risk_score"])) < 1e-9)
  assert.equal(matched, "exact")
  assert.ok(
    !("explanation" in (await emailRisk("ana.silva@mail.example", "?explain=false&verbose=true"))),
  )
  assert.ok("explanation" in (await phoneRisk("+61491570156", "?explain=true")))
  await assertProblem(
    await post("/api/v1/risk/score?explain=1", { email: "a@b.example" }),
    400,
    "invalid-request",
  )
})

test("an alias is scored by its mailbox, and the explanation says so", async () => {
  const { explanation, email, ...rest } = await emailRisk(
    "Ana.Silva+shop@MAIL.example",
    "?explain=true",
  )
  const { email: plain, ...direct } = await emailRisk("ana.silva@mail.example")
  assert.equal(email, "Ana.Silva+shop@MAIL.example")
  assert.equal(plain, "ana.silva@mail.example")
  assert.deepEqual(rest, direct)
  assert.equal((explanation as Body)["matched"], "mailbox")
})

test("the identity comes back exactly as it was sent", async () => {
  for (const email of [
    " ana.silva@mail.example ",
    "ANA.SILVA@mail.example",
    "jürgen@bücher.example",
    '"a b"@mail.example',
  ]) {
    assert.equal((await emailRisk(email))["email"], email)
  }
})

test("both spellings of an international domain give the same answer", async () => {
  const { email: _unicode, ...unicode } = await emailRisk("info@bücher.example")
  const { email: _ascii, ...ascii } = await emailRisk("info@xn--bcher-kva.example")
  assert.deepEqual(unicode, ascii)
})

test("a missing member or a wrong type is 400 and names the place", async () => {
  const cases: [unknown, string][] = [
    [{}, "#/email"],
    [{ email: null }, "#/email"],
    [{ email: 7 }, "#/email"],
    [{ email: ["a@b.example"] }, "#/email"],
    [[], "#"],
    ["7", "#"],
    ["null", "#"],
  ]
  for (const [body, pointer] of cases) {
    const { errors } = await assertProblem(
      await post("/api/v1/risk/score", body),
      400,
      "invalid-request",
    )
    assert.deepEqual(
      (errors as { pointer: string }[]).map((error) => error.pointer),
      [pointer],
    )
  }
  const { errors } = await assertProblem(
    await post("/api/v1/phone-risk", { phone: "+61491570156" }),
    400,
    "invalid-request",
  )
  assert.deepEqual(errors, [{ pointer: "#/phone_number", detail: "is missing" }])
})

test("malformed JSON is 400 and its parser's words are not passed on", async () => {
  for (const body of [
    "",
    "{",
    '{"email":"canary@mail.example"',
    "email=canary@mail.example",
    "\u0000",
    '{"email":"a@b.example"}{}',
  ]) {
    const problem = await assertProblem(
      await post("/api/v1/risk/score", body),
      400,
      "malformed-json",
    )
    assert.doesNotMatch(JSON.stringify(problem), /canary|Unexpected|position/)
  }
})

test("unknown members are ignored and the last of two equal members wins", async () => {
  const { email, risk_score: score } = await emailRisk("ana.silva@mail.example")
  const extra = { email, nonsense: { a: [1] }, __proto: 1, constructor: "x" }
  assert.equal(
    ((await (await post("/api/v1/risk/score", extra)).json()) as Body)["risk_score"],
    score,
  )
  const twice = '{"email":"omar.haddad@mail.example","email":"ana.silva@mail.example"}'
  assert.equal(((await (await post("/api/v1/risk/score", twice)).json()) as Body)["email"], email)
})

test("text that cannot be an address is 422 and says why without quoting it", async () => {
  const long = `${"a".repeat(64)}@${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(63)}.example`
  const cases = [
    "",
    "plain",
    "a@localhost",
    "a@[127.0.0.1]",
    `${"a".repeat(65)}@mail.example`,
    long,
    "a@b..example",
    "a b@mail.example",
    "a@mail.example\u0000",
    "\ud800@mail.example",
  ]
  for (const email of cases) {
    const problem = await assertProblem(
      await post("/api/v1/risk/score", { email }),
      422,
      "not-an-email",
    )
    assert.match(String(problem["detail"]), /^The (address|part|domain)/)
    if (email.length > 6) assert.ok(!JSON.stringify(problem).includes(email))
  }
})

test("text that is no E.164 number is 422 and says why without quoting it", async () => {
  for (const phone of [
    "",
    "61491570156",
    "+61 491 570 156",
    "+61-491-570-156",
    "tel:+61491570156",
    "+0491570156",
    "+123",
    "+1234567890123456",
    "+６１491570156",
  ]) {
    await assertProblem(
      await post("/api/v1/phone-risk", { phone_number: phone }),
      422,
      "not-a-phone-number",
    )
  }
})

test("another media type is 415, another method 405 with Allow, an unknown path 404", async () => {
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/xml",
    "multipart/form-data; boundary=x",
  ]) {
    const response = await post("/api/v1/risk/score", '{"email":"a@b.example"}', {
      "content-type": type,
    })
    await assertProblem(response, 415, "unsupported-media-type")
  }
  const compressed = await post("/api/v1/risk/score", '{"email":"a@b.example"}', {
    "content-encoding": "gzip",
  })
  await assertProblem(compressed, 415, "unsupported-media-type")
  for (const method of ["GET", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
    const response = await service.request("/api/v1/risk/score", { method })
    await assertProblem(response, 405, "method-not-allowed")
    assert.equal(response.headers.get("allow"), "POST")
  }
  const page = await service.request("/problems/not-found", { method: "PUT" })
  await assertProblem(page, 405, "method-not-allowed")
  assert.equal(page.headers.get("allow"), "GET, HEAD")
  const noPage = await service.request("/problems/unheard-of", { method: "PUT" })
  await assertProblem(noPage, 404, "not-found")
  await assertProblem(await service.request("/api/v1/canary@mail.example"), 404, "not-found")
  await assertProblem(await service.request("/api/v2/risk/score"), 404, "not-found")
  // A balancer answers by itself what is no path.
  if (!severalNodes) await assertProblem(await service.request("/%zz"), 404, "not-found")
})

test("a body over 16 KiB is 413, one just under it is read", async () => {
  const sized = (bytes: number): string => {
    const frame = '{"email":"ana.silva@mail.example","pad":""}'
    return frame.replace('"pad":""', `"pad":"${"x".repeat(bytes - frame.length)}"`)
  }
  assert.equal((await post("/api/v1/risk/score", sized(16 * 1024))).status, 200)
  await assertProblem(await post("/api/v1/risk/score", sized(16 * 1024 + 1)), 413, "body-too-large")
})

test("a request id is echoed when it is harmless and made when it is not", async () => {
  const echoed = await service.request("/healthz", { headers: { "x-request-id": "abc-123.x:y" } })
  assert.equal(echoed.headers.get("x-request-id"), "abc-123.x:y")
  for (const id of ["a b", "x".repeat(129), "<script>", "a@b.example"]) {
    const made = (
      await service.request("/healthz", { headers: { "x-request-id": id } })
    ).headers.get("x-request-id")
    assert.match(made ?? "", /^[0-9a-f]{24}$/)
  }
})

test("every answer carries the security headers and none names the software", async () => {
  for (const path of [
    "/",
    "/healthz",
    "/openapi.json",
    "/api/v1/risk/score",
    "/nowhere",
    "/problems/not-found",
  ]) {
    const { headers } = await service.request(path)
    assert.equal(headers.get("x-content-type-options"), "nosniff", path)
    assert.match(headers.get("content-security-policy") ?? "", /default-src 'none'/, path)
    assert.equal(headers.get("cache-control"), "no-store", path)
    assert.equal(headers.get("x-powered-by"), null)
    assert.equal(headers.get("server"), severalNodes ? "nginx" : null)
  }
})

const skip = ofOneNode("a balancer listens where it is told to")
test(
  "the service answers on 127.0.0.1 and, where the machine has it, on ::1",
  { skip },
  async () => {
    const { addresses } = {
      addresses: /"address":"([^"]+)"/.exec(service.stderr())?.[1]?.split(" ") ?? [],
    }
    assert.ok(addresses.includes("127.0.0.1"))
    for (const address of addresses) {
      const host = address.includes(":") ? `[${address}]` : address
      assert.equal((await fetch(`http://${host}:${service.port}/healthz`)).status, 200)
    }
  },
)
