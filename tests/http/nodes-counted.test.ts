// What is counted of a tenant by three services on one PostgreSQL and one cluster: each a node with
// a data directory of its own, the third with a clock that is ten minutes ahead.
import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import type { ErrorBudget } from "@assay/core/contract"
import { dayOf } from "../../packages/runtime/src/time.ts"
import { openPostgresRecords } from "../../packages/stores/src/postgres/records.ts"
import type { Records } from "../../packages/stores/src/records.ts"
import { clusterForFile } from "../../packages/stores/testing/redis/cluster-suite.ts"
import {
  startTestServer,
  type TestServer,
} from "../../packages/stores/testing/postgres/test-server.ts"
import { openTrialCarrier } from "../../packages/carrier/src/open-trial-carrier.ts"
import { makeTrialClient } from "../../packages/carrier/src/trial-client.ts"
import { assay, createKey } from "../cli/assay.ts"
import { openStream } from "./ndjson.ts"
import { NETWORK_SIGN_UPS } from "../../packages/server/src/signup/sign-ups-a-day.ts"
import { type Service, startService } from "./service.ts"
import { signUpForm } from "./sign-up-visitor.ts"
import { simChange, writeTrialProvider } from "./sim-change.ts"
import { temporaryDirectory } from "./temporary.ts"

const temporary = temporaryDirectory()
const CLOCK = pathToFileURL(join(import.meta.dirname, "shifted-clock.ts")).href
const AHEAD_MS = 10 * 60_000
/** How long nodes may need to do what they do by themselves, on a machine however busy. */
const PATIENCE_MS = 120_000
const RATE = 10
const LEASE = 1
const ROUNDS = 15

const cluster = await clusterForFile()
const postgres = cluster === null ? null : await serverForFile()
if (cluster !== null && postgres !== null) {
  const nodes: Service[] = []
  let env: Record<string, string> = {}
  let records: Records
  const node = (n: number): Service => nodes[n % nodes.length] as Service
  const start = (n: number): Promise<Service> =>
    startService({
      dataDirectory: join(temporary, `node-${n}`),
      env: { ...env, ...(n === 2 && { CLOCK_OFFSET_MS: String(AHEAD_MS) }) },
      ...(n === 2 && { nodeFlags: ["--import", CLOCK] }),
    })

  const carrierKeys = await makeTrialClient("assay")
  const carrier = await openTrialCarrier({ clients: [carrierKeys.client] })

  before(async () => {
    const secret = join(temporary, "secret")
    writeFileSync(secret, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600 })
    const caps = { daily_cap: 4, tenant_daily_cap: 3 }
    const providers = writeTrialProvider(temporary, carrier, carrierKeys.privateKeyPem, caps)
    const url = await postgres.createDatabase()
    env = {
      DATABASE_URL: url,
      ASSAY_INDEX_URL: cluster.urls,
      ASSAY_INDEX_BUCKET_BITS: "6",
      ASSAY_INDEX_TIMEOUT_MS: "10000",
      ASSAY_STREAM_IDLE_SECONDS: "900",
      ASSAY_SECRET_FILE: secret,
      ASSAY_PROVIDERS: providers,
      ASSAY_TRUSTED_PROXIES: "127.0.0.1,::1",
    }
    // One after the other: the first makes tables and index.
    for (let n = 0; n < 3; n++) nodes.push(await start(n))
    records = await openPostgresRecords({ url, poolMax: 1 })
  })
  after(async () => {
    await records.close()
    await Promise.all(nodes.map((each) => each.stop()))
    await Promise.all([postgres.stop(), carrier.close()])
  })

  const keyOf = (tenant: string, plan: string): Promise<string> =>
    createKey({ dataDirectory: node(0).dataDirectory, env }, "--tenant", tenant, "--plan", plan)
  const score = (on: Service, key: string, json: object): Promise<Response> =>
    on.request("/api/v1/risk/score?explain=true", { key, json })
  /** The answer, once the rate of the second and the speed of the machine allow one. */
  const answered = async (ask: () => Promise<Response>): Promise<Response> => {
    const deadline = performance.now() + PATIENCE_MS
    for (;;) {
      const response = await ask()
      if (response.status === 200 || performance.now() > deadline) return response
      await response.body?.cancel()
      await delay(200)
    }
  }
  /**
   * As many lookups as may be left: what a node has leased comes back to the others in a moment.
   */
  const used = async (on: readonly Service[], key: string, upTo: number): Promise<number> => {
    const deadline = performance.now() + PATIENCE_MS
    let count = 0
    while (count < upTo && performance.now() < deadline) {
      for (const each of on) {
        const { status } = await score(each, key, { email: "ana.silva@mail.example" })
        if (status === 200) count++
        else assert.ok(status === 429 || status === 503, String(status))
      }
      await delay(100)
    }
    return count
  }
  const usedBefore = async (tenant: string, count: number): Promise<void> => {
    const tenantId = (await records.tenantByName(tenant))?.id ?? -1
    const [{ id: keyId } = { id: "" }] = await records.keys({ tenantId })
    await records.addUsage([{ keyId, day: dayOf(Date.now()), operation: "score", count }])
  }

  test("three nodes together let a tenant's rate in, and a lease each more at most", async () => {
    const key = await keyOf("bursty", "free")
    const begun = performance.now()
    let admitted = 0
    let refused = 0
    for (let round = 0; round < ROUNDS; round++) {
      const answers = await Promise.all(
        Array.from({ length: 9 }, (_, n) => score(node(n), key, { email: `p${n}@mail.example` })),
      )
      admitted += answers.filter(({ status }) => status === 200).length
      refused += answers.filter(({ status }) => status === 429).length
      await Promise.all(answers.map(async (answer) => await answer.body?.cancel()))
    }
    const seconds = (performance.now() - begun) / 1000
    const most = (Math.ceil(seconds) + 1) * RATE + nodes.length * LEASE
    assert.ok(admitted + refused > 0)
    assert.ok(admitted >= RATE && admitted <= most, `${admitted} in ${seconds} s`)
  })

  test("three nodes together admit a hundred identities a day, exactly, and those again everywhere", async () => {
    const key = await keyOf("curious", "free")
    const ask = async (on: Service, from: number, count: number): Promise<string[]> => {
      const emails = Array.from({ length: count }, (_, n) => `person-${from + n}@mail.example`)
      for (;;) {
        const response = await answered(() =>
          on.request("/api/v1/risk/score/batch", { key, json: { emails } }),
        )
        assert.equal(response.status, 200)
        const { results } = (await response.json()) as { results: { problem?: { code: string } }[] }
        const codes = results.map(({ problem }) => problem?.code ?? "in")
        // Lines that are refused are taken from the rate, which a fast machine uses up.
        if (!codes.includes("rate-limited")) return codes
        await delay(1000)
      }
    }
    const answers = await Promise.all([0, 1, 2].map((n) => ask(node(n), n * 50, 50)))
    const all = answers.flat()
    assert.equal(all.filter((code) => code === "in").length, 100)
    assert.equal(all.filter((code) => code === "identities-exceeded").length, 50)
    // The node whose clock is ahead has the same day.
    for (const n of [0, 1, 2]) assert.deepEqual(await ask(node(n), 0, 50), answers[0])
  })

  test("a month goes on from what the records have, ends for all nodes together, and is charged once", async () => {
    const key = await keyOf("frugal", "free")
    await usedBefore("frugal", 970)
    assert.equal(await used(nodes, key, 30), 30)
    for (const each of nodes) {
      const refused = await score(each, key, { email: "ana.silva@mail.example" })
      assert.notEqual(refused.status, 200)
    }
    const tenantId = (await records.tenantByName("frugal"))?.id ?? -1
    const deadline = performance.now() + PATIENCE_MS
    const recorded = async (): Promise<number> =>
      (await records.usage({ tenantId, from: "2000-01-01", to: "2999-12-31" })).reduce(
        (sum, { count }) => sum + count,
        0,
      )
    while ((await recorded()) < 1000 && performance.now() < deadline) await delay(100)
    assert.equal(await recorded(), 1000)
  })

  test("sign-ups are counted over all nodes, also by the one whose clock is ahead", async () => {
    const key = await keyOf("shop", "enterprise")
    const askedFor = async (on: Service, email: string, event: string): Promise<unknown> => {
      const context = { event, device_id: "d-1", account_id: email }
      const response = await score(on, key, { email, context })
      assert.equal(response.status, 200)
      const { explanation } = (await response.json()) as {
        explanation: { context: { signups_24h: { device: number } | null } }
      }
      return explanation.context.signups_24h?.device
    }
    // Not available, where a busy machine took more than a quarter of a second for it. An account
    // is counted once, however often it is asked for.
    const device = async (on: Service, email: string, event: string): Promise<unknown> => {
      for (let n = 0; n < 100; n++) {
        const found = await askedFor(on, email, event)
        if (found !== undefined) return found
      }
      return undefined
    }
    for (const [at, n] of [2, 0, 1, 2, 1, 0].entries())
      assert.equal(await device(node(n), `new-${at}@mail.example`, "signup"), at + 1)
    for (const each of nodes) assert.equal(await device(each, "new-0@mail.example", "login"), 6)
  })

  const codesOf = async (answers: readonly Promise<Response>[]): Promise<(string | undefined)[]> =>
    await Promise.all(
      answers.map(async (answer) => {
        const response = await answer
        const { code } = (await response.json()) as { code?: string }
        return response.ok ? "ok" : code
      }),
    )
  const times = (codes: readonly (string | undefined)[], code: string): number =>
    codes.filter((each) => each === code).length
  const form = (): ReturnType<typeof signUpForm> =>
    signUpForm({ ...node(0), dataDirectory: temporary })
  const signUp = (on: Service, json: object, network: string): Promise<Response> =>
    on.request("/api/v1/signup", { key: null, json, headers: { "x-forwarded-for": network } })

  test("a network has its sign-ups of the day at all nodes together, and its work is good at one of them", async () => {
    const once = await form()
    const codes = await codesOf(nodes.map((each, n) => signUp(each, once, `203.0.113.${n}`)))
    assert.deepEqual([times(codes, "ok"), times(codes, "proof-refused")], [1, 2])
    const forms = await Promise.all(Array.from({ length: 3 * NETWORK_SIGN_UPS }, form))
    const many = await codesOf(forms.map((each, n) => signUp(node(n), each, `192.0.2.${n}`)))
    assert.equal(times(many, "ok"), NETWORK_SIGN_UPS)
    assert.equal(times(many, "sign-ups-exceeded"), 2 * NETWORK_SIGN_UPS)
    assert.deepEqual(await codesOf([signUp(node(1), await form(), "198.51.100.1")]), ["ok"])
  })

  test("three nodes together look at ten passwords for an account and fifty of a network", async () => {
    const guess = (n: number, email: string, network: string): Promise<Response> =>
      node(n).request("/api/v1/session", {
        key: null,
        json: { email, password: `guess number ${n} of many` },
        headers: { "x-forwarded-for": network },
      })
    const atOne = Array.from({ length: 30 }, (_, n) =>
      guess(n, "guessed@people.example", `198.18.${n}.1`),
    )
    const codes = await codesOf(atOne)
    assert.deepEqual([times(codes, "sign-in-refused"), times(codes, "guesses-exceeded")], [10, 20])
    for (const n of [0, 1, 2])
      assert.equal((await guess(n, "guessed@people.example", "198.19.0.1")).status, 429)
    const atMany = Array.from({ length: 75 }, (_, n) =>
      guess(n, `nobody-${n}@people.example`, "198.51.100.7"),
    )
    const others = await codesOf(atMany)
    assert.deepEqual(
      [times(others, "sign-in-refused"), times(others, "guesses-exceeded")],
      [50, 25],
    )
  })

  test("nodes that ask providers at the same time spend no more in a day than one may", async () => {
    const [acme, other] = [await keyOf("acme", "enterprise"), await keyOf("other", "enterprise")]
    for (const tenant of ["acme", "other"]) {
      const set = ["tenants", "set", tenant, "providers=true"]
      const { code, err } = await assay(set, { ...env, ASSAY_DATA: node(0).dataDirectory })
      assert.equal(code, 0, err)
    }
    // Not of the node whose clock is ahead: a carrier refuses an assertion from the future.
    const asked = async (key: string, from: number, count: number): Promise<string[]> =>
      await Promise.all(
        Array.from({ length: count }, (_, n) => simChange(node(n % 2), key, from + n)),
      )
    const number = (all: readonly string[], one: string): number =>
      all.filter((each) => each === one).length
    // Three of the unit for a tenant, four for all: six calls of one, and two of the other.
    const first = await asked(acme, 400, 12)
    assert.equal(number(first, "ok"), 6, first.join(", "))
    const second = await asked(other, 420, 6)
    assert.equal(number(second, "ok"), 2, second.join(", "))
    assert.equal(carrier.requests().filter(({ path }) => path !== "/token").length, 8)
  })

  test("a node that is killed gives its streams and its lookups back when its lease ends, and takes none", async () => {
    const key = await keyOf("streaming", "free")
    await usedBefore("streaming", 900)
    const lost = openStream(node(1), { key })
    const kept = openStream(node(0), { key })
    for (const stream of [lost, kept]) {
      await stream.send(`${JSON.stringify({ email: "ana.silva@mail.example" })}\n`)
      assert.ok((await stream.next())?.result)
    }
    const third = async (): Promise<number> => {
      const stream = openStream(node(2), { key })
      stream.end()
      const { statusCode = 0 } = await stream.response
      stream.request.destroy()
      return statusCode
    }
    assert.equal(await third(), 429)
    const gone = node(1)
    await gone.kill()
    assert.equal(await third(), 429)
    const killedAt = performance.now()
    while ((await third()) !== 200) {
      assert.ok(performance.now() - killedAt < PATIENCE_MS, "the streams of a dead node are held")
      await delay(250)
    }
    kept.end()
    assert.equal(await kept.next(), null)
    // Two were used; the rest is there again, though the dead node had leased a part of it.
    const others = [node(0), node(2)]
    assert.equal(await used(others, key, 98), 98)
    nodes[1] = await start(1)
  })

  test("the error budget of any node has the requests of all, also of those that do not run", async () => {
    const askedAt = async (n: number): Promise<number> => {
      const { out } = await assay(["slo", "--json"], { ...env, ASSAY_DATA: node(n).dataDirectory })
      return (JSON.parse(out) as ErrorBudget).requests.total
    }
    await Promise.all(nodes.map((each) => each.stop()))
    // Of a node that does not run, what it was asked itself.
    const each = await Promise.all([askedAt(0), askedAt(1), askedAt(2)])
    assert.ok(Math.min(...each) > 0, each.join())
    const all = each.reduce((sum, count) => sum + count, 0)
    nodes[0] = await start(0)
    assert.equal(await askedAt(0), all)
    const key = await keyOf("budgeted", "enterprise")
    const json = { email: "ana.silva@mail.example" }
    await answered(async () => await score(node(0), key, json))
    await node(0).stop()
    const more = (await askedAt(0)) - each[0]
    assert.ok(more > 0)
    nodes[1] = await start(1)
    assert.equal(await askedAt(1), all + more)
  })
}

async function serverForFile(): Promise<TestServer | null> {
  try {
    return await startTestServer()
  } catch (error) {
    if (process.env["CI"] === "true") throw error
    test("postgres", { skip: `no PostgreSQL on this machine: ${String(error)}` }, () => {})
    return null
  }
}
