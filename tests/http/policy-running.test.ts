// Policies while things go wrong: readers that stop, processes that are killed, both engines.
import assert from "node:assert/strict"
import { request as httpRequest } from "node:http"
import { once } from "node:events"
import { cpSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type TestContext, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import type { Policy, PolicyList } from "@assay/core/contract"
import { childrenOf } from "../../bench/process-figures.ts"
import { newDecisionId } from "../../packages/stores/src/decision-id.ts"
import { openSqliteDecisions } from "../../packages/stores/src/sqlite/decisions.ts"
import { testServerOrSkip } from "../../packages/stores/testing/postgres/test-server.ts"
import {
  type Account,
  type AccountRequest,
  demoAccount,
  requestAs,
  sessionHeaders,
} from "./accounts.ts"
import { type Service, startService } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"

const temporary = temporaryDirectory()
const PATH = "/api/v1/policy"
const STRICT = { prior_abuse: 0.3, costs: { loss: 1000 } }
const KILLS = process.env["ASSAY_SOAK"] === undefined ? 2 : 30
/** Their lines are more than the buffers of a connection hold. */
const DECISIONS = 60_000

async function until(what: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 120_000
  while (!(await what())) {
    assert.ok(Date.now() < deadline, "it never came")
    await delay(100)
  }
}

let filled: Promise<string> | undefined

/** A data directory with many decisions of the demo's tenant, a copy of one that none uses. */
async function filledDirectory(name: string): Promise<string> {
  const dataDirectory = join(temporary, name)
  cpSync(await (filled ??= newFilledDirectory()), dataDirectory, { recursive: true })
  return dataDirectory
}

async function newFilledDirectory(): Promise<string> {
  const dataDirectory = join(temporary, "filled")
  const service = await startService({ dataDirectory, args: ["--workers", "1"] })
  const json = { email: "mei.tanaka@mail.example" }
  assert.equal((await service.request("/api/v1/risk/score", { json })).status, 200)
  await service.stop()
  const store = openSqliteDecisions(join(dataDirectory, "decisions"))
  const [kept] = await store.list({ tenantId: 1, limit: 1 })
  assert.ok(kept)
  for (let n = 0; n < DECISIONS; n += 5_000)
    await store.add(
      Array.from({ length: 5_000 }, (_, more) => {
        const at = kept.at - n - more - 1
        return { ...kept, at, id: newDecisionId(at) }
      }),
    )
  await store.close()
  return dataDirectory
}

/** Threads of the workers that compare decisions. The system cuts their names. */
function comparing(service: Service): number {
  return childrenOf(service.pid)
    .flatMap((pid) => globSync(`/proc/${pid}/task/*/comm`))
    .filter((file) => "comparison-thread".startsWith(readFileSync(file, "utf8").trim())).length
}

/** Sends a back-test and reads nothing of its answer but the head. */
async function unread(
  service: Service,
  { session }: Account,
): Promise<{ status: number; hangUp(): void }> {
  const sent = httpRequest({
    port: service.port,
    host: "127.0.0.1",
    path: `${PATH}/backtest`,
    method: "POST",
    headers: { ...sessionHeaders(service, session), "content-type": "application/json" },
  })
  sent.on("error", () => undefined)
  sent.end(JSON.stringify({ policy: STRICT }))
  const [response] = (await once(sent, "response")) as [{ statusCode: number }]
  return { status: response.statusCode, hangUp: () => sent.destroy() }
}

/** Sends requests as an account. */
function requestsOf(service: Service, account: Account) {
  return (path: string, init: AccountRequest = {}): Promise<Response> =>
    requestAs(service, path, { key: account, ...init })
}

test("a tenant has one back-test at a time, which ends when its caller hangs up", async () => {
  await using service = await startService({
    dataDirectory: await filledDirectory("many"),
    args: ["--workers", "2"],
  })
  const account = await demoAccount(service)
  const request = requestsOf(service, account)
  const first = await unread(service, account)
  assert.equal(first.status, 200)
  // Both workers refuse a second one, and a report, while the first waits for its reader.
  const set = await request(`${PATH}/shadow`, { method: "PUT", json: {} })
  assert.equal(set.status, 200)
  for (let n = 0; n < 6; n++) {
    const refused = await request(`${PATH}/backtest`, {
      json: {},
      headers: { connection: "close" },
    })
    assert.equal(refused.status, 429)
    assert.equal(((await refused.json()) as { code: string }).code, "backtest-running")
  }
  assert.equal((await request(`${PATH}/shadow/report`)).status, 429)
  assert.equal(comparing(service), 1)
  const scored = await request("/api/v1/risk/score", { json: { email: "a@mail.example" } })
  assert.equal(scored.status, 200)
  first.hangUp()
  await until(async () => {
    const next = await unread(service, account)
    next.hangUp()
    return next.status === 200
  })

  // Read to its end, it counts every decision once.
  let text = ""
  await until(async () => {
    const whole = await request(`${PATH}/backtest`, { json: { policy: STRICT } })
    text = await whole.text()
    return whole.status === 200
  })
  const lines = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; id?: string })
  const last = lines.at(-1) as unknown as { type: string; compared: number; changed: number }
  assert.equal(last.type, "summary")
  assert.equal(last.compared, DECISIONS + 2)
  // A thread computed while there was somebody to compute for.
  await until(async () => comparing(service) === 0)
  const ids = lines.filter(({ type }) => type === "changed").map(({ id }) => id)
  assert.equal(new Set(ids).size, last.changed)
  assert.ok(last.changed >= DECISIONS)
})

test("a service that stops ends a back-test with a line that says so", async () => {
  const service = await startService({
    dataDirectory: await filledDirectory("stopped"),
    args: ["--workers", "1"],
    env: { ASSAY_STOP_SECONDS: "20" },
  })
  const request = requestsOf(service, await demoAccount(service))
  const response = await request(`${PATH}/backtest`, { json: { policy: STRICT } })
  assert.equal(response.status, 200)
  const stopped = service.stop()
  const text = await response.text()
  const last = JSON.parse(text.trim().split("\n").at(-1) ?? "") as {
    type?: string
    problem?: { code: string }
  }
  // A fast machine may have been done before the stop reached the worker.
  assert.ok(
    last.problem?.code === "stream-interrupted" || last.type === "summary",
    text.slice(-300),
  )
  assert.equal(await stopped, 0)
})

async function killedWhileChanging(env: Record<string, string>, name: string): Promise<void> {
  const dataDirectory = join(temporary, name)
  const acknowledged = new Map<number, number>()
  let account: Account | null = null
  let loss = 1
  for (let kill = 0; kill < KILLS; kill++) {
    const service = await startService({ dataDirectory, env })
    account ??= await demoAccount(service, env)
    const request = requestsOf(service, account)
    const killing = delay(300 + 250 * kill).then(() => service.kill())
    for (let running = true; running;) {
      const headers = { connection: "close" }
      const read = await request(PATH, { headers }).catch(() => null)
      const tag = read?.headers.get("etag") ?? null
      if (tag === null) running = false
      else {
        const json = { costs: { loss: ++loss } }
        const changed = { method: "PUT", json, headers: { ...headers, "if-match": tag } }
        const answer = await request(PATH, changed).catch(() => null)
        const policy = (await answer?.json().catch(() => null)) as Policy | null
        if (answer?.status === 200 && policy !== null) acknowledged.set(policy.version, loss)
        else running = false
      }
    }
    await killing
  }
  assert.ok(account !== null && acknowledged.size > 0)
  await using service = await startService({ dataDirectory, env })
  const request = requestsOf(service, account)
  const newest = (await (await request(PATH)).json()) as Policy
  // Every version is whole, none is missing, and all that were acknowledged are as they were sent.
  for (let before = newest.version + 1; before > 1;) {
    const page = await request(`${PATH}/versions?limit=100&before=${before}`)
    const { versions } = (await page.json()) as PolicyList
    for (const { version, policy } of versions) {
      assert.equal(version, --before)
      const sent = (policy as { costs?: { loss: number } }).costs?.loss
      assert.equal(acknowledged.get(version) ?? sent, sent)
      if (version > 1) assert.ok(sent !== undefined && sent <= loss)
    }
  }
  assert.ok(newest.version >= Math.max(...acknowledged.keys()))
}

test("a service that is killed in mid change has the old policy or the new one", async () => {
  await killedWhileChanging({}, "killed")
})

test("and so it is on PostgreSQL, where policies, back-tests and shadows work the same", async (context: TestContext) => {
  const server = await testServerOrSkip(context)
  if (server === null) return
  context.after(() => server.stop())
  const env = { DATABASE_URL: await server.createDatabase() }
  await killedWhileChanging(env, "postgres")

  await using service = await startService({ dataDirectory: join(temporary, "postgres"), env })
  const request = requestsOf(service, await demoAccount(service, env))
  const report = async (): Promise<{ compared: number; changed: number }> => {
    const text = await (await request(`${PATH}/shadow/report`)).text()
    return JSON.parse(text.trim().split("\n").at(-1) ?? "") as {
      compared: number
      changed: number
    }
  }
  const put = await request(`${PATH}/shadow`, { method: "PUT", json: STRICT })
  assert.equal(put.status, 200)
  const json = { email: "mei.tanaka@mail.example" }
  await until(async () => {
    assert.equal((await request("/api/v1/risk/score", { json })).status, 200)
    return (await report()).compared > 0
  })
  const { compared, changed } = await report()
  assert.ok(compared > 0 && changed <= compared)
  const tried = await request(`${PATH}/backtest`, { json: { policy: STRICT } })
  assert.match(await tried.text(), /"type":"summary"/)
})
