// From the last version that had to be alone on its PostgreSQL and its cluster to nodes of this
// one: what a new node does beside it, and what callers see of stopping the one and starting the
// others. In the soak, as the older one runs from its sources.
import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { startTestServer } from "../../packages/stores/testing/postgres/test-server.ts"
import { startTestCluster, until } from "../../packages/stores/testing/redis/test-cluster.ts"
import { assay } from "../cli/assay.ts"
import { bareEnvironment } from "./bare-environment.ts"
import { olderProgram } from "./older-program.ts"
import { type Service, startNode } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"

/** The last commit before services shared records. */
const OLDER = "eb79539f"
const temporary = temporaryDirectory()
const isSoak = process.env["ASSAY_SOAK"] !== undefined
const program = isSoak ? olderProgram(OLDER, join(temporary, "older")) : null
if (program === null) {
  const skip = isSoak ? `commit ${OLDER} is not in the history here` : "npm run soak"
  test("from a version without nodes to this one", { skip }, () => {})
} else await testUpgrade(program)

/** What callers of a load have been told, and what failed, with when it was sent. */
interface Told {
  answers: number
  readonly decisions: string[]
  readonly reported: string[]
  readonly sent: string[]
  readonly wrong: string[]
  readonly failed: { readonly sentAt: number; readonly failedAt: number; readonly what: string }[]
}

async function testUpgrade(program: readonly string[]): Promise<void> {
  const postgres = await startTestServer()
  after(() => postgres.stop())
  const cluster = await startTestCluster()
  after(() => cluster.stop())
  const secret = join(temporary, "secret")
  writeFileSync(secret, `${"3c".repeat(32)}\n`, { mode: 0o600 })
  const env = {
    DATABASE_URL: await postgres.createDatabase(),
    ASSAY_INDEX_URL: cluster.urls,
    ASSAY_INDEX_BUCKET_BITS: "6",
    ASSAY_INDEX_TIMEOUT_MS: "10000",
    ASSAY_SECRET_FILE: secret,
  }
  const dataDirectory = join(temporary, "one")
  const older = await startNode({ dataDirectory, env, program })
  const started: Service[] = [older]
  after(() => Promise.allSettled(started.map((node) => node.stop())))
  const creating = ["keys", "create", "--tenant", "one", "--plan", "enterprise", "--scopes", "all"]
  const key = execFileSync(process.execPath, [...program, ...creating], {
    env: { ...bareEnvironment(), ...env, ASSAY_DATA: dataDirectory },
    encoding: "utf8",
    stdio: "pipe",
  }).trim()

  /** Whom callers ask, as a balancer would bring them there. */
  let asked: Service = older
  const told: Told = { answers: 0, decisions: [], reported: [], sent: [], wrong: [], failed: [] }
  const score = async (node: Service, email: string) => {
    const response = await node.request("/api/v1/risk/score", { key, json: { email } })
    const id = response.headers.get("x-decision-id")
    return { status: response.status, id, said: (await response.json()) as Said }
  }
  interface Said {
    readonly risk_score?: number
    readonly threat_stage?: string
    readonly exposed?: boolean
  }
  await until(async () => (await score(older, "ana.silva@mail.example")).status === 200)
  const { said: right } = await score(older, "ana.silva@mail.example")
  assert.equal(right.exposed, true)

  const send = async (n: number): Promise<void> => {
    const node = asked
    const email = `caller-${n}@mail.example`
    const { status, id, said } = await score(node, "ana.silva@mail.example")
    assert.equal(status, 200)
    assert.ok(id !== null)
    told.answers += 1
    told.decisions.push(id)
    if (said.risk_score !== right.risk_score) told.wrong.push(JSON.stringify(said))
    const json = { email, outcome: "takeover_confirmed" }
    const reported = await node.request("/api/v1/feedback", { key, json })
    await reported.arrayBuffer()
    assert.equal(reported.status, 202)
    told.reported.push(email)
    const line = {
      email: `sent-${email}`,
      source: "soc",
      kind: "stealer",
      observed_at: "2026-06-01",
    }
    const headers = { "content-type": "application/x-ndjson" }
    const body = JSON.stringify(line)
    const sent = await node.request("/api/v1/evidence", { key, method: "POST", headers, body })
    assert.match(await sent.text(), /"stored"/)
    told.sent.push(line.email)
  }
  let serving = true
  const load = [0, 1].map(async (sender) => {
    for (let n = sender; serving; n += 2) {
      const sentAt = performance.now()
      await send(n).catch((error: unknown) =>
        told.failed.push({ sentAt, failedAt: performance.now(), what: String(error) }),
      )
      await delay(20)
    }
  })
  after(async () => {
    serving = false
    await Promise.all(load)
  })
  const answersGrow = async (): Promise<void> => {
    const before = told.answers
    await until(async () => told.answers > before + 20)
  }

  test("beside a version that has to be alone a new node does not start, nor does a command that would change the tables, and nobody notices", async () => {
    await answersGrow()
    for (const place of [join(temporary, "two"), join(temporary, "three")]) {
      await assert.rejects(
        startNode({ dataDirectory: place, env }),
        /version that has to be the only one[^]*Stop it, then start this one; nothing was changed/,
      )
      await answersGrow()
    }
    const keys = ["keys", "create", "--tenant", "two", "--plan", "free", "--scopes", "all"]
    const refused = await assay(keys, { ...env, ASSAY_DATA: join(temporary, "two") })
    assert.notEqual(refused.code, 0)
    assert.match(refused.err, /Stop it, then start this one/)
    await answersGrow()
    assert.deepEqual([told.failed, told.wrong], [[], []])
  })

  test("stopped in order and started as this version it goes on with all it had acknowledged, and only its own start is missed", async (t) => {
    await answersGrow()
    const stoppedAt = performance.now()
    assert.equal(await older.stop(), 0)
    const goneAt = performance.now()
    const newer = await startNode({ dataDirectory, env })
    started.push(newer)
    asked = newer
    const readyAt = performance.now()
    const beside = await startNode({ dataDirectory: join(temporary, "two"), env })
    started.push(beside)
    await answersGrow()
    asked = beside
    await answersGrow()
    serving = false
    await Promise.all(load)

    assert.deepEqual(told.wrong, [])
    const besides = told.failed.filter(
      ({ sentAt, failedAt }) => failedAt < stoppedAt || sentAt > readyAt,
    )
    assert.deepEqual(besides, [])
    for (const node of [newer, beside]) {
      for (const id of told.decisions) {
        const found = await node.request(`/api/v1/decisions/${id}`, { key })
        assert.equal(found.status, 200, id)
        assert.equal(((await found.json()) as { reproduced: boolean }).reproduced, true)
      }
      for (const email of told.reported) {
        const { said } = await score(node, email)
        assert.equal(said.threat_stage, "ATTACKED", email)
      }
      for (const email of told.sent) assert.equal((await score(node, email)).said.exposed, true)
    }
    t.diagnostic(
      `${told.answers} rounds of score, report and evidence; ${told.failed.length} attempts failed in ${Math.round(goneAt - stoppedAt)} ms of stopping and ${Math.round(readyAt - goneAt)} ms of starting`,
    )
  })

  test("the older version does not start again on what this one has brought over", async () => {
    await assert.rejects(
      startNode({ dataDirectory: join(temporary, "four"), env, program }),
      /The records are in format \d+ and this program knows formats up to 20/,
    )
  })
}
