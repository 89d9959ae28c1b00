// A scoring request answered directly (packages/server/src/http/direct.ts) and by Fastify: both
// must be the same in every byte, but for the time and for ids that are made for each request.
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { connect } from "node:net"
import { after, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { mintApiKey } from "../../packages/server/src/accounts/api-key.ts"
import type { Callers } from "../../packages/server/src/accounts/callers.ts"
import type { DecisionRecorder } from "../../packages/server/src/score/decision-draft.ts"
import { type Application, openApplication } from "./application.ts"
import { changedBodies, dearBodies, dearHeaders, dearQueries } from "./dear-requests.ts"
import { type HostileRequest, hostileScores } from "./hostile-scores.ts"
import { mintedKey } from "./minted-key.ts"
import { type Description, oddRequests } from "./odd-requests.ts"
import { bytesOf, keptConnection } from "./raw-exchange.ts"

const NOW_MS = Date.UTC(2026, 10, 14, 9, 30)
const AT_ONCE = 16
const SEED = 15

/** Answers later, as the journal does. */
const decisions: DecisionRecorder = {
  record: (_draft, asker) => void setImmediate(() => asker.answered("a-decision")),
}

interface Way {
  readonly app: Application
  readonly port: number
  readonly keys: Readonly<Record<string, string>>
  readonly elapsed: { ms: number }
  /** How many requests were let in by the direct way. */
  taken(): number
}

async function openWay(byFastify: boolean): Promise<Way> {
  let taken = 0
  const elapsed = { ms: 0 }
  const app = await openApplication({
    nowMs: NOW_MS,
    elapsed: () => elapsed.ms,
    decisions,
    secret: SEED,
    byFastify,
    callers: (real: Callers): Callers => ({
      ...real,
      known(authorization) {
        const caller = real.known(authorization)
        if (caller !== null) taken++
        return caller
      },
    }),
  })
  after(() => app.close())
  const { key: limited } = await mintedKey(app.records, "limited", "free")
  const { key: unscoped } = await mintedKey(app.records, "unscoped", "free", ["feedback:write"])
  const keys = { key: app.key, limited, unscoped, unknown: mintApiKey() }
  const { port } = await app.listen()
  const way = { app, port, keys, elapsed, taken: () => taken }
  // The first request of each route always goes by Fastify.
  for (const request of [emailOf("a@b.example"), phoneOf("+4917012345678")])
    await sent(way, request)
  return way
}

const JSON_HEADERS = { "content-type": "application/json", authorization: "Bearer {key}" }
const posted = (target: string, value: object, key = "key"): HostileRequest => ({
  method: "POST",
  target,
  headers: { ...JSON_HEADERS, authorization: `Bearer {${key}}` },
  body: Buffer.from(JSON.stringify(value)),
})
const SCORES = ["/api/v1/risk/score", "/api/v1/phone-risk"] as const
const emailOf = (email: string, key?: string): HostileRequest => posted(SCORES[0], { email }, key)
const phoneOf = (phone: string): HostileRequest => posted(SCORES[1], { phone_number: phone })

const ways = await Promise.all([openWay(false), openWay(true)])
const [direct] = ways

/** All that the server sends until it hangs up, without the time and the ids of single requests. */
async function sent({ port, keys }: Way, ...requests: HostileRequest[]): Promise<string> {
  const all = Buffer.concat(requests.map((request) => bytesOf(withKey(request, keys))))
  const cutAt = requests.at(-1)?.cutAt
  const socket = connect(port, "127.0.0.1")
  const pieces: Buffer[] = []
  socket.on("data", (piece: Buffer) => void pieces.push(piece))
  socket.on("error", () => undefined)
  const closed = new Promise((resolve) => socket.once("close", resolve))
  if (cutAt === undefined) socket.write(all)
  else {
    // Not all of it, or the server would be answering while the sender hangs up.
    socket.write(all.subarray(0, Math.floor(cutAt * (all.length - 1))))
    await delay(5)
    socket.destroy()
  }
  // A length that is too long leaves the server waiting for the rest.
  const waiting = setTimeout(() => socket.destroy(), 1500)
  await closed
  clearTimeout(waiting)
  return comparable(Buffer.concat(pieces))
}

function withKey(request: HostileRequest, keys: Way["keys"]): HostileRequest {
  const named = Object.entries(request.headers ?? {}).map(([name, value]) => [
    name,
    value.replace(/\{(\w+)\}/, (whole, key: string) => keys[key] ?? whole),
  ])
  return { ...request, headers: Object.fromEntries(named) as Record<string, string> }
}

function comparable(answer: Buffer): string {
  return answer
    .toString("latin1")
    .replaceAll(/^date: .*$/gim, "date")
    .replaceAll(/(?<=x-request-id: |"request_id":")[0-9a-f]{24}\b/g, "id")
}

/**
 * Whether one answer follows a request, so that the next one can have the same connection: a new
 * one for each would be a third of the work.
 */
function isAnsweredOnce({ method, headers = {}, cutAt }: HostileRequest): boolean {
  const odd = ["connection", "Content-Length", "expect", "upgrade"]
  return (
    method !== "HEAD" && cutAt === undefined && odd.every((name) => headers[name] === undefined)
  )
}

type Sender = (request: HostileRequest) => Promise<string>

/** Sends to a way, one request after the other. */
function senderTo(way: Way): Sender {
  const kept = keptConnection(way.port)
  return async (request) => {
    if (!isAnsweredOnce(request)) return await sent(way, request)
    const headers = { ...request.headers, connection: "keep-alive" }
    return comparable(await kept(bytesOf(withKey({ ...request, headers }, way.keys))))
  }
}

/** Sends each by both ways and returns how often each status came; 0 for no answer. */
async function compared(requests: readonly HostileRequest[]): Promise<Map<number, number>> {
  const statuses = new Map<number, number>()
  const compare = async (request: HostileRequest, senders: Sender[]): Promise<void> => {
    const [a, b] = await Promise.all(senders.map((send) => send(request)))
    const { body, ...head } = request
    const shown = { ...head, body: Buffer.from(body ?? []).toString("latin1") }
    assert.equal(a, b, JSON.stringify(shown))
    const status = Number(/^HTTP\/1\.1 (\d+)/.exec(a ?? "")?.[1] ?? 0)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  const compareAll = async (of: HostileRequest[]): Promise<void> => {
    const senders = ways.map(senderTo)
    for (let next = of.shift(); next !== undefined; next = of.shift()) await compare(next, senders)
  }
  // What a context says is counted, so those come one by one, in the same order by both ways.
  const counted = requests.filter(({ body }) => Buffer.from(body ?? []).includes('"context"'))
  const others = requests.filter((request) => !counted.includes(request))
  await Promise.all(Array.from({ length: AT_ONCE }, () => compareAll(others)))
  await compareAll(counted)
  return statuses
}

/**
 * What operators see: metrics of requests, and the log without times and ids. What Node's parser
 * refused never came to either way, and how much of it is counted depends on when a sender hung up.
 */
async function observed({ app }: Way): Promise<object> {
  const counts = (await app.metrics())
    .split("\n")
    .filter((line) => /^assay_http_request_seconds_count\{(?!route="unread")/.test(line))
    .sort()
  const read = app.log.filter((line) => !line.includes('"route":"unread"'))
  const log = read.map((line) => {
    const said = JSON.parse(line) as Record<string, unknown>
    const { level, msg, method, route, status, code, keyId, tenantId } = said
    const known = [keyId !== undefined, tenantId !== undefined]
    return JSON.stringify({ level, msg, method, route, status, code, known })
  })
  return { counts, log: log.sort() }
}

async function observedAlike(): Promise<void> {
  for (let tries = 0; tries < 50; tries++) {
    const [a, b] = await Promise.all(ways.map(observed))
    if (JSON.stringify(a) === JSON.stringify(b)) return
    await delay(100)
  }
  const [a, b] = await Promise.all(ways.map(observed))
  assert.deepEqual(a, b)
}

test("usual requests take the direct way, and are answered as Fastify answers them", async () => {
  const emails = ["sofia.rossi@mail.example", "nobody@firm.example", "no address"]
  const requests = [...emails.map((email) => emailOf(email)), phoneOf("+15550100"), phoneOf("x")]
  const taken: number[] = []
  for (let round = 0; round < 3; round++) {
    const before = direct.taken()
    const statuses = await compared(requests)
    assert.deepEqual([...statuses.keys()].sort(), [200, 422])
    taken.push(direct.taken() - before)
  }
  // A key is read anew now and then, and the request that finds it so goes by Fastify.
  assert.equal(Math.max(...taken), requests.length)
})

/** Those that another suite makes of the API's description. */
async function oddScores(): Promise<HostileRequest[]> {
  // Of both, since this request is observed too.
  const [answer] = await Promise.all(
    ways.map(async ({ port }) => await fetch(`http://127.0.0.1:${port}/openapi.json`)),
  )
  const odd = oddRequests((await answer?.json()) as Description)
  return odd
    .filter(({ operation }) => /^score(Email|Phone)$/.test(operation.operationId))
    .map(({ method, target, headers, body, chunked = false }) => ({
      method,
      target,
      headers: { authorization: "Bearer {key}", ...headers },
      ...(body !== undefined && { body }),
      chunked,
    }))
}

/** Those of another suite that are dear to answer. */
function dearScores(): HostileRequest[] {
  const usual = emailOf("sofia.rossi@mail.example")
  const heads = [JSON_HEADERS, { "content-type": "application/json" }]
  return SCORES.flatMap((target) => [
    ...[...dearBodies(), ...changedBodies(40)].flatMap(([, text]) =>
      heads.map((headers) => ({ ...usual, target, headers, body: Buffer.from(text) })),
    ),
    ...[...dearHeaders()].map(([, more]) => ({
      ...usual,
      target,
      headers: { ...JSON_HEADERS, ...more },
    })),
    ...[...dearQueries()].map(([, query]) => ({ ...usual, target: target + query })),
  ])
}

// The file holds the scoring requests that the servers of all other suites got, each once:
// scripts/record-scores.ts writes it. {key} is a key that was valid, {unknown} one that was not,
// and {unscoped} one that may not score.
test("every request that the HTTP suites send is answered the same by both ways", async () => {
  const file = new URL("./both-ways-requests.ndjson", import.meta.url)
  const requests = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Omit<HostileRequest, "body"> & { body?: string })
    .map(({ body, ...request }) => ({
      ...request,
      ...(body !== undefined && { body: Buffer.from(body, "latin1") }),
    }))
  const before = direct.taken()
  const statuses = await compared([...requests, ...(await oddScores()), ...dearScores()])
  assert.ok(requests.length >= 900, `${requests.length} requests`)
  for (const status of [200, 400, 401, 405, 413, 415, 422]) assert.ok(statuses.has(status))
  assert.ok(direct.taken() - before > requests.length / 3)
  await observedAlike()
})

test("3,000 hostile requests are answered and observed the same by both ways", async () => {
  const before = direct.taken()
  const statuses = await compared(hostileScores(3000, SEED))
  for (const status of [0, 200, 400, 401, 404, 405, 413, 415, 422]) assert.ok(statuses.has(status))
  assert.ok(direct.taken() - before > 1000)
  await observedAlike()
})

test("a limited plan is taken from alike: rate, month, identities, and what is shown of them", async () => {
  const statuses: string[] = []
  for (let second = 0; second < 3; second++) {
    for (let n = 0; n < 16; n++) {
      const email = n % 5 === 4 ? "no address" : `person${n % 7}@firm.example`
      const [a, b] = await Promise.all(ways.map((way) => sent(way, emailOf(email, "limited"))))
      assert.equal(a, b)
      statuses.push(/^HTTP\/1\.1 (\d+)/.exec(a ?? "")?.[1] ?? "")
      assert.match(a ?? "", /^ratelimit: "second";r=\d+/m)
    }
    for (const { elapsed } of ways) elapsed.ms += 1001
  }
  assert.deepEqual([...new Set(statuses)].sort(), ["200", "422", "429"])
})

test("requests on one connection are answered in their order, by both ways alike", async () => {
  const usual = emailOf("sofia.rossi@mail.example")
  const open = { ...usual, headers: { ...usual.headers, connection: "keep-alive" } }
  const explained = { ...open, target: `${open.target}?explain=true` }
  const [a, b] = await Promise.all(
    ways.map((way) => sent(way, open, explained, open, phoneOf("+15550100"))),
  )
  assert.equal(a, b)
  assert.equal(a?.match(/HTTP\/1\.1 200 OK/g)?.length, 4)
})
