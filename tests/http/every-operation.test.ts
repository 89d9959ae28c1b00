import assert from "node:assert/strict"
import { execFile, spawnSync } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { promisify } from "node:util"
import { ProblemDetails, type Scope } from "@assay/core/contract"
import { Value } from "typebox/value"
import { hashApiKey, hintOf, mintApiKey } from "../../packages/server/src/accounts/api-key.ts"
import { HOUR_MS } from "../../packages/runtime/src/time.ts"
import { makeTrialClient } from "../../packages/carrier/src/trial-client.ts"
import { type Description, type OddRequest, oddRequests } from "./odd-requests.ts"
import { exchange, type RawAnswer } from "./raw-exchange.ts"
import { openRecordsOf } from "./records-of.ts"
import { type Service, startService } from "./service.ts"
import { joins, printedToken, signsIn, type Visitor } from "./signed-in.ts"
import { temporaryDirectory } from "./temporary.ts"

const temporary = temporaryDirectory()
const data = join(temporary, "data")
const CARRIER_TOKEN = "token-of-a-carrier-5c1e77"

let service: Service
let api: Description
let owner: Visitor
let leaver: Visitor
let keys: Record<"tenant" | "service" | "reseal" | "carrier", string>
before(async () => {
  const providers = await providersFile()
  service = await startService({
    dataDirectory: data,
    drop: true,
    args: ["--workers", "1"],
    env: {
      ASSAY_PROVIDERS: providers,
      ASSAY_LOG_LEVEL: "debug",
      ASSAY_SSF_ORIGIN: "https://risk.example",
    },
  })
  owner = await joins(service, printedToken(service), "ada@people.example")
  leaver = await signsIn(service, "ada@people.example")
  keys = {
    tenant: service.key ?? "",
    service: await serviceKey("reader", ["drop:read"]),
    reseal: await serviceKey("resealer", ["drop:read", "drop:reseal"]),
    carrier: CARRIER_TOKEN,
  }
  api = (await (await service.request("/openapi.json")).json()) as Description
  assert.equal(await settled(3, requestsLogged), 3)
})
after(() => service.stop())

async function serviceKey(id: string, scopes: readonly Scope[]): Promise<string> {
  const records = await openRecordsOf(data)
  const key = mintApiKey()
  const [hash, hint, at, actor] = [hashApiKey(key), hintOf(key), Date.now(), "test"]
  const expiresAt = at + HOUR_MS
  await records.createKey({
    id,
    tenantId: null,
    hash,
    hint,
    label: "",
    scopes,
    at,
    expiresAt,
    actor,
  })
  await records.close()
  return key
}

async function providersFile(): Promise<string> {
  const file = join(temporary, "providers.json")
  const { privateKeyPem } = await makeTrialClient("assay")
  writeFileSync(join(temporary, "key.pem"), privateKeyPem, { mode: 0o600 })
  writeFileSync(join(temporary, "carrier.token"), CARRIER_TOKEN, { mode: 0o600 })
  const carrier = {
    name: "one",
    ranges: ["+4474"],
    base_url: "https://carrier.example",
    token_url: "https://carrier.example/token",
    client_id: "assay",
    private_key_file: "key.pem",
    notification_token_file: "carrier.token",
    apis: { sim_swap: { price: 0, answers: "date" } },
  }
  writeFileSync(file, JSON.stringify({ daily_cap: 0, tenant_daily_cap: 0, camara: [carrier] }))
  return file
}

function keyFor({ operation, target }: OddRequest): string | null {
  const [scheme] = operation.security ?? []
  if (scheme === undefined) return null
  if ("carrierToken" in scheme) return keys.carrier
  if ("session" in scheme) return null
  if (target.startsWith("/api/v1/drop/reseal")) return keys.reseal
  return target.startsWith("/api/v1/drop/") ? keys.service : keys.tenant
}

/** Operations of people are sent by the first administrator; who signs out does so elsewhere. */
function sessionFor({ operation }: OddRequest): Record<string, string> {
  if (operation.security?.some((scheme) => "session" in scheme) !== true) return {}
  const { cookies, csrf } = operation.operationId === "signOut" ? leaver : owner
  const cookie = `__Host-assay-session=${cookies.get("__Host-assay-session") ?? ""}`
  return { cookie, "x-csrf-token": csrf }
}

async function send(odd: OddRequest, id: string): Promise<RawAnswer> {
  const key = keyFor(odd)
  return await exchange(service.port, {
    ...odd,
    headers: {
      "x-request-id": id,
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...sessionFor(odd),
      ...odd.headers,
    },
  })
}

/** What is wrong with an answer, or null. */
function faultOf({ operation, beyond }: OddRequest, answer: RawAnswer): string | null {
  const { status } = answer
  if (status === 0) return "no answer"
  if (status >= 500) return `${status} ${answer.body.toString()}`
  const described = operation.responses[status]
  if (described === undefined) return `${status} is not described: ${answer.body.toString()}`
  if (status < 400) return beyond ? `${status}, although a limit is passed` : null
  const problem: unknown = JSON.parse(answer.body.toString())
  if (answer.headers.get("content-type")?.startsWith("application/problem+json") !== true)
    return "no problem document"
  if (!Value.Check(ProblemDetails, problem) || problem.status !== status) return "a broken document"
  if (!described.description.includes(`\`${problem.code}\``))
    return `${problem.code} is not described`
  return null
}

/**
 * Looks at the metrics are requests too, counted and logged some time after they were answered:
 * neither number takes them in.
 */
async function requestsCounted(): Promise<number> {
  const text = await (await service.request("/metrics", { key: null })).text()
  const counts = text.matchAll(/^assay_http_request_seconds_count\{([^}]*)\} (\d+)$/gm)
  return [...counts]
    .filter(([, labels]) => labels?.includes('route="/metrics"') === false)
    .reduce((sum, [, , count]) => sum + Number(count), 0)
}

function requestsLogged(): number {
  const lines = service.stderr().split("\n")
  const requests = lines.filter((line) => line.includes('"msg":"request"'))
  return requests.filter((line) => !line.includes('"route":"/metrics"')).length
}

/** Repeats `look` until it returns `wanted`, or until that is hopeless; returns the last value. */
async function settled(wanted: number, look: () => number | Promise<number>): Promise<number> {
  const deadline = Date.now() + 300_000
  for (;;) {
    const found = await look()
    if (found === wanted || Date.now() > deadline) return found
    await delay(50)
  }
}

test("every operation refuses what nobody should send, as it is described, and counts and logs it", async () => {
  const odd = oddRequests(api)
  assert.ok(odd.length > 500, `${odd.length}`)
  const loggedBefore = requestsLogged()
  const countedBefore = await requestsCounted()
  const faults: string[] = []
  const waiting = odd.entries()
  const sendWaiting = async (): Promise<void> => {
    for (const [n, request] of waiting) {
      const fault = faultOf(request, await send(request, `odd-${n}`))
      if (fault !== null) faults.push(`${request.operation.operationId}, ${request.what}: ${fault}`)
    }
  }
  await Promise.all(Array.from({ length: 8 }, sendWaiting))
  assert.equal(faults.join("\n"), "")
  assert.equal(
    await settled(odd.length, async () => (await requestsCounted()) - countedBefore),
    odd.length,
  )
  assert.equal(await settled(odd.length, () => requestsLogged() - loggedBefore), odd.length)
  assert.deepEqual(failuresIn(service.stderr()), [])
})

const HEAD = (): string =>
  [
    "POST /api/v1/risk/score HTTP/1.1",
    "host: localhost",
    `authorization: Bearer ${keys.tenant}`,
    "content-type: application/json",
    "content-length: 100",
    "expect: 100-continue",
    "",
    '{"email":',
  ].join("\r\n")

test("a sender who hangs up in mid-body is counted once, as the sender's doing", async () => {
  const loggedBefore = requestsLogged()
  const countedBefore = await requestsCounted()
  const waysToLeave: ((socket: Socket) => void)[] = [
    (socket) => socket.end(),
    (socket) => socket.destroy(),
    (socket) => socket.resetAndDestroy(),
  ]
  for (const leave of waysToLeave) {
    const socket = connect(service.port, "127.0.0.1").on("error", () => undefined)
    socket.write(HEAD())
    // Asked to go on: the head was read.
    await once(socket, "data")
    const closed = once(socket, "close")
    leave(socket)
    socket.resume()
    await closed
  }
  const left = waysToLeave.length
  assert.equal(await settled(left, async () => (await requestsCounted()) - countedBefore), left)
  assert.equal(await settled(left, () => requestsLogged() - loggedBefore), left)
  assert.deepEqual(failuresIn(service.stderr()), [])
  assert.match(service.stderr(), /"route":"\/api\/v1\/risk\/score","status":400/)
})

const TRIES = 30
/**
 * More than the buffers of a connection hold: most of it is still to be sent when the answer comes.
 */
const TOO_LARGE = 9 * 1024 * 1024

test("a client of Node reads the refusal of a body that is too large, every time", async () => {
  const body = Buffer.alloc(TOO_LARGE, " ")
  for (const path of ["/api/v1/risk/score", "/api/v1/evidence"])
    for (let n = 0; n < TRIES; n++) {
      const response = await service.request(path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      })
      assert.equal(response.status, 413)
      assert.match(await response.text(), /"code":"body-too-large"/)
    }
})

const PYTHON = `
import http.client, sys
port, key, size, tries = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
for n in range(tries):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    headers = {"Authorization": "Bearer " + key, "Content-Type": "application/json"}
    connection.request("POST", "/api/v1/risk/score", b" " * size, headers)
    answer = connection.getresponse()
    print(answer.status, b"body-too-large" in answer.read())
`
const hasPython = spawnSync("python3", ["--version"]).status === 0

test(
  "a client of Python, which reads only when all is sent, reads it too",
  { skip: hasPython ? false : "needs python3" },
  async () => {
    const args = ["-c", PYTHON, service.port, keys.tenant, TOO_LARGE, TRIES].map(String)
    const { stdout } = await promisify(execFile)("python3", args)
    assert.deepEqual([...new Set(stdout.trim().split("\n"))], ["413 True"])
  },
)

function failuresIn(log: string): string[] {
  return log.split("\n").filter((line) => /"level":"error"|request failed/.test(line))
}
