import assert from "node:assert/strict"
import { after, before, test } from "node:test"
import { type Application, openApplication, type RawRequest } from "./application.ts"
import { changedBodies, dearBodies, dearHeaders, dearQueries } from "./dear-requests.ts"

// Compares costs with an ordinary request in the same process, each the least of several, so that a
// busy machine decides nothing. A refused request may cost a few ordinary ones, never hundreds. The
// dearest cost 3 when this was written.
const TIMES_DEARER_MAX = 8
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
    for (const [name, payload] of dearBodies()) {
      if (url !== EVIDENCE) await look(`${name} to ${url}`, { url, headers: authorized, payload })
      await look(`${name} to ${url} without a key`, { url, headers: json, payload })
    }
    for (const [name, headers] of dearHeaders())
      await look(`${name} to ${url}`, { ...ordinary, url, headers: { ...authorized, ...headers } })
    for (const [name, query] of dearQueries())
      await look(`${name} to ${url}`, { ...ordinary, url: url + query })
  }
  let turn = 0
  for (const [name, payload] of changedBodies(rounds)) {
    const url = ROUTES[turn++ % ROUTES.length] ?? ""
    await look(name, { url, headers: url === EVIDENCE ? json : authorized, payload })
  }
  t.diagnostic(
    `dearest: ${dearest.name}, ${dearest.times.toFixed(1)} ordinary requests of ${unit.toFixed(2)} ms`,
  )
  assert.ok(dearest.times < TIMES_DEARER_MAX, `${dearest.name}: ${dearest.times}`)
})

async function cost(request: RawRequest, times: number): Promise<{ ms: number; status: number }> {
  let [ms, status] = [Infinity, 0]
  for (let n = 0; n < times; n++) {
    const from = performance.now()
    status = await app.inject(request)
    ms = Math.min(ms, performance.now() - from)
  }
  return { ms, status }
}
