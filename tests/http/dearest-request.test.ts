import assert from "node:assert/strict"
import { after, before, test } from "node:test"
import { type Application, openApplication, type RawRequest } from "./application.ts"

// Compares costs with an ordinary request in the same process, each the least of several, so that a
// busy machine decides nothing. A refused request may cost a few ordinary ones, never hundreds. The
// dearest cost 3 when this was written.
const TIMES_DEARER_MAX = 8
const BODY_MAX = 16 * 1024
const rounds = process.env["ASSAY_SOAK"] === undefined ? 150 : 20_000

let app: Application
before(async () => {
  app = await openApplication()
})
after(() => app.close())

/**
 * Each line is answered by itself, so a body of thousands is admitted work; a body without a key is
 * not.
 */
const EVIDENCE = "/api/v1/evidence"
const ROUTES = [
  "/api/v1/risk/score",
  "/api/v1/phone-risk",
  "/api/v1/feedback",
  "/api/v1/subjects/erase",
  "/api/v1/risk/score/batch",
  EVIDENCE,
  "/api/v1/carrier/notifications",
  "/api/v1/no-such-path",
]

test("no request costs much more to refuse than an ordinary one costs to answer", async (t) => {
  const json = { "content-type": "application/json" }
  const authorized = { ...json, authorization: `Bearer ${app.key}` }
  const ordinary: RawRequest = {
    url: "/api/v1/risk/score",
    headers: authorized,
    payload: '{"email":"Jörg.Müller@bücher.example"}',
  }
  for (let n = 0; n < 300; n++) assert.equal(await app.inject(ordinary), 200)
  const { ms: unit } = await cost(ordinary, 50)

  let dearest = { name: "", times: 0 }
  const look = async (name: string, request: RawRequest): Promise<void> => {
    // Several times, so that code runs compiled; a second look at what seems dear, so that a pause
    // is not taken for a cost.
    let { ms, status } = await cost(request, 4)
    if (ms > (TIMES_DEARER_MAX / 3) * unit) ({ ms, status } = await cost(request, 15))
    assert.ok(status < 500 || status === 503, `${name}: ${status}`)
    if (ms / unit > dearest.times) dearest = { name, times: ms / unit }
  }
  for (const url of ROUTES) {
    for (const [name, payload] of bodies()) {
      if (url !== EVIDENCE) await look(`${name} to ${url}`, { url, headers: authorized, payload })
      await look(`${name} to ${url} without a key`, { url, headers: json, payload })
    }
    for (const [name, headers] of headersOf())
      await look(`${name} to ${url}`, { ...ordinary, url, headers: { ...authorized, ...headers } })
    for (const [name, query] of queries())
      await look(`${name} to ${url}`, { ...ordinary, url: url + query })
  }
  // Then bodies put together from pieces of these.
  const next = numbers(20_261_115)
  const pool = [...bodies()].map(([, body]) => body)
  const from = (): string => pool[next() % pool.length] ?? ""
  for (let n = 0; n < rounds; n++) {
    const [one, other] = [from(), from()]
    const url = ROUTES[n % ROUTES.length] ?? ""
    const at = next() % (one.length + 1)
    const piece = other.slice(next() % (other.length + 1)).slice(0, next() % 4000)
    const payload = `${one.slice(0, at)}${piece}${one.slice(at + (next() % 50))}`.slice(
      0,
      BODY_MAX / 2,
    )
    await look(`changed ${n}`, {
      url,
      headers: url === EVIDENCE ? json : authorized,
      payload,
    })
  }
  t.diagnostic(
    `dearest: ${dearest.name}, ${dearest.times.toFixed(1)} ordinary requests of ${unit.toFixed(2)} ms`,
  )
  assert.ok(dearest.times < TIMES_DEARER_MAX, `${dearest.name}: ${dearest.times}`)
})

/** A name and a body of at most 16 KiB that is dear to somebody. */
function* bodies(): Generator<[name: string, body: string]> {
  const distinct = Array.from({ length: 1000 }, (_, n) =>
    String.fromCodePoint(0x4e00 + 7 * n),
  ).join("")
  const texts: readonly (readonly [string, string])[] = [
    ["a long label", `a@${distinct}.com`],
    ["marks out of order", `e${"\u0316\u0301".repeat(2500)}@e${"\u0316\u0301".repeat(480)}.com`],
    ["runs of marks", `a@${`e${"\u0316\u0301".repeat(125)}.`.repeat(4)}com`],
    ["letters that join", `a@${"\u3131\u314f\u3133".repeat(330)}.com`],
    ["a long text", "a".repeat(16_000)],
    ["escapes", "\u0001".repeat(2600)],
    ["digits", `+${"9".repeat(16_000)}`],
    ["quotes", `"${"\\".repeat(60)}"@b.com`],
  ]
  for (const [name, text] of texts) {
    yield [`${name} as e-mail`, JSON.stringify({ email: text })]
    yield [`${name} as number`, JSON.stringify({ phone_number: text, outcome: text })]
    yield [
      `${name} in the context`,
      JSON.stringify({ email: "a@b.example", context: { ip: text, user_agent: text } }),
    ]
    yield [`${name} in lists`, JSON.stringify({ emails: [text], phone_numbers: [text] })]
    yield [`${name} in a line`, JSON.stringify([{ email: text, item: text, source: text }])]
  }
  const filled = (piece: string, end = ""): string =>
    piece.repeat(Math.floor((BODY_MAX - end.length) / piece.length)) + end
  yield ["open brackets", filled("[")]
  yield ["closed brackets", "[".repeat(8000) + "]".repeat(8000)]
  yield ["objects in objects", '{"a":'.repeat(2700) + "1" + "}".repeat(2700)]
  yield ["small objects", `[${filled("{},", "1]").slice(1)}`]
  yield ["many members", `{${Array.from({ length: 1300 }, (_, n) => `"m${n}":1`).join()}}`]
  yield ["one member again and again", `{${'"email":1,'.repeat(1600)}"email":1}`]
  yield ["a large number", "1".repeat(BODY_MAX)]
  yield ["numbers", `[${"1e308,".repeat(2700)}1]`]
  yield ["blanks", `${" ".repeat(BODY_MAX - 2)}{}`]
}

function* headersOf(): Generator<[name: string, headers: Record<string, string>]> {
  for (const name of [
    "authorization",
    "idempotency-key",
    "accept",
    "x-request-id",
    "content-type",
    "content-encoding",
  ])
    for (const [of, value] of [
      ["letters", "a".repeat(7000)],
      ["commas", "a,;q=".repeat(1400)],
      ["blanks", `Bearer ${" ".repeat(6900)}x`],
    ] as const)
      yield [`${name} of ${of}`, { [name]: value }]
  yield ["many headers", Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`x-${n}`, "1"]))]
}

function* queries(): Generator<[name: string, query: string]> {
  yield ["many parameters", `?${"a=1&".repeat(1500)}`]
  yield ["one parameter again and again", `?${"explain=true&".repeat(500)}`]
  yield ["percent signs", `?explain=${"%41".repeat(2000)}`]
  yield ["a long path", `/${"a/".repeat(3000)}`]
}

async function cost(request: RawRequest, times: number): Promise<{ ms: number; status: number }> {
  let [ms, status] = [Infinity, 0]
  for (let n = 0; n < times; n++) {
    const from = performance.now()
    status = await app.inject(request)
    ms = Math.min(ms, performance.now() - from)
  }
  return { ms, status }
}

/** The same numbers for the same seed (a linear congruential generator). */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 8
  }
}
