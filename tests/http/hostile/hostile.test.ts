// Every attack at once, while two tenants and a sender without JavaScript do ordinary work. A few
// seconds in each run of the tests, ten minutes in `npm run soak -- hostile`.
import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, writeFileSync } from "node:fs"
import { constants, setPriority } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { after, before, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import { threadChannel } from "@assay/runtime/channels"
import { openCalls, remote } from "@assay/runtime/rpc"
import { type Drop, fetchMessages, messageIn, startDrop } from "../../browser/drop.ts"
import { createKey } from "../../cli/assay.ts"
import type { Tally, Target } from "./attack.ts"
import { type Footprint, footprintOf } from "./footprint.ts"
import { openSender, type Sender } from "./sender.ts"
import { type Tenant, tenantPort } from "./tenant.ts"
import type { TenantOptions } from "./tenant-thread.ts"

const soak = process.env["ASSAY_SOAK"] !== undefined
const QUIET_MS = soak ? 60_000 : 2_000
/** All attackers are waited for besides. */
const ATTACK_MS = soak ? 600_000 : 5_000
/** A service that is left alone gives memory back when it next collects garbage. */
const SETTLE_MS = 180_000
/** How much more a process may hold than before: heaps are not given back to the last page. */
const MEMORY_SLACK = 64 * 1024 * 1024
const FILES_SLACK = 16
const FREE_IDENTITIES_A_DAY = 100
/** A tenant that stops waits for what is under way, and a request for a minute. */
const TENANT_ANSWERS_WITHIN_MS = 120_000
/** How many decisions are read again, out of all. */
const DECISIONS_READ = soak ? 2_000 : 100

let drop: Drop
let tenants: readonly Tenant[]
const threads: Worker[] = []
let sender: Sender
let quiet: Figures
let quietFootprint: Footprint
let tallies: Readonly<Record<string, Tally>>

before(async () => {
  drop = await startDrop({ args: ["--workers", "2"], openFilesMax: 1024 })
})
after(async () => {
  await Promise.all(threads.map((thread) => thread.terminate()))
  await drop.stop()
})

test("while everything attacks, others are answered, and nothing is refused without saying when to come back", async (t) => {
  const { service, url } = drop
  tenants = await Promise.all(["first", "second"].map(startTenant))
  sender = openSender(service, url)
  // Compilers and caches warm up.
  await delay(QUIET_MS / 2)
  await figures()
  await delay(QUIET_MS)
  quiet = await figures()
  quietFootprint = footprintOf(service.pid)

  const before = await answered()
  const attackers = await startAttackers()
  // A busy machine needs longer until every attack has attacked, and everybody was answered.
  await Promise.all([attackers.all, delay(ATTACK_MS)])
  const deadline = performance.now() + SETTLE_MS
  while ((await answered()).some((count, n) => count <= (before[n] ?? 0))) {
    if (performance.now() > deadline) break
    await delay(500)
  }
  const attacked = await figures()
  const answers = await Promise.all(tenants.map((tenant) => tenant.answers()))
  tallies = await attackers.end()

  for (const [name, tally] of Object.entries(tallies))
    t.diagnostic(`${name}: ${JSON.stringify(tally)}`)
  for (const [name, { count, p50, p99 }] of Object.entries(attacked)) {
    const ratio = p99 / (quiet[name]?.p99 ?? NaN)
    const ms = `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`
    t.diagnostic(`${name}: ${count} answers, ${ms}, ${ratio.toFixed(1)} times quiet`)
  }
  t.diagnostic(`503 with Retry-After: ${answers.map(({ busy }) => busy).join(" and ")} of the tenants, ${sender.busy()} of the sender`) // oxfmt-ignore
  for (const line of service
    .stderr()
    .split("\n")
    .filter((text) => text.includes("restarted")))
    t.diagnostic(line)
  for (const { wrong } of [...answers, sender]) assert.deepEqual(wrong.slice(0, 5), [])
  for (const { count } of Object.values(attacked)) assert.ok(count > 0)
  t.diagnostic(`refused connections: ${answers.map(({ refused }) => refused).join(" and ")}`)
  // Milliseconds, and whether connections that a flood holds are let go in time for others, decide
  // only where nothing else runs on the machine.
  if (soak) {
    for (const { refused } of answers) assert.equal(refused, 0)
    for (const name of HELD) {
      const [p99, before] = [attacked[name]?.p99 ?? NaN, quiet[name]?.p99 ?? NaN]
      assert.ok(p99 <= 5 * before, `${name}: ${p99} ms, quiet ${before}`)
    }
  }
})

test("no attack got more than it may have", () => {
  const answered = tallies["streams of a free key"]?.["identities answered"] ?? 0
  assert.ok(answered > 0 && answered <= FREE_IDENTITIES_A_DAY, `${answered} identities`)
  assert.equal(tallies["torn imports"]?.["imported"] ?? 0, 0)
  assert.ok((tallies["torn imports"]?.["refused"] ?? 0) > 0)
  assert.equal(tallies["dear input"]?.["status 200"] ?? 0, 0)
  assert.equal(tallies["wrong keys"]?.["status 200"] ?? 0, 0)
  assert.equal(tallies["useless tickets"]?.["status 201"] ?? 0, 0)
  assert.equal(tallies["a stolen token"]?.["status 200"] ?? 0, 0)
  for (const [name, tally] of Object.entries(tallies)) {
    const faults = Object.keys(tally).filter((status) => /^status 5(?!03)/.test(status))
    assert.deepEqual(faults, [], name)
    assert.equal(tally["did not end"], undefined, `${name} waits for an answer for ever`)
  }
})

test("afterwards every process is back to its quiet memory and files", async (t) => {
  const deadline = performance.now() + SETTLE_MS
  let over = tooLarge()
  while (over.length > 0 && performance.now() < deadline) {
    await delay(1_000)
    over = tooLarge()
  }
  t.diagnostic(`quiet: ${printed(quietFootprint)}`)
  t.diagnostic(`afterwards: ${printed(footprintOf(drop.service.pid))}`)
  assert.deepEqual(over, [])
})

test("nothing that was acknowledged is lost", async () => {
  await Promise.all([...tenants, sender].map((bystander) => bystander.stop()))
  for (const tenant of tenants) {
    const { decisions, reported, observed } = await tenant.answers()
    assert.ok(decisions.size > 0 && reported.size > 0 && observed.size > 0)
    const step = Math.max(1, Math.floor(decisions.size / DECISIONS_READ))
    for (const [id, score] of [...decisions].filter((_, n) => n % step === 0)) {
      const { status, body } = await tenant.ask(`/api/v1/decisions/${id}`)
      assert.equal(status, 200, `${id} is lost`)
      assert.equal(body["reproduced"], true)
      assert.equal((body["assessment"] as { risk_score: number }).risk_score, score)
    }
    for (const email of reported) {
      const { body } = await tenant.ask("/api/v1/risk/score", { email })
      assert.notEqual(body["threat_stage"], "CLEAN", `the report of ${email} is lost`)
    }
    for (const email of observed) {
      const { body } = await tenant.ask("/api/v1/risk/score", { email })
      assert.equal(body["exposure_count"], 1, `the evidence of ${email} is lost`)
    }
  }
  const stored = (await fetchMessages(drop)).map(messageIn)
  assert.ok(sender.sent.size > 0)
  for (const message of sender.sent)
    assert.equal(
      stored.filter((text) => text === message).length,
      1,
      "a message is lost or doubled",
    )
})

/** How many answers of each kind the bystanders have. */
async function answered(): Promise<readonly number[]> {
  const each = await Promise.all(tenants.map((tenant) => tenant.answers()))
  const ofTenants = each.flatMap(({ decisions, reported, observed }) => [
    decisions.size,
    reported.size + observed.size,
  ])
  return [...ofTenants, sender.visits()]
}

interface Figure {
  readonly count: number
  readonly p50: number
  readonly p99: number
}
type Figures = Readonly<Record<string, Figure>>

/** The figures that may not pass five times those of quiet; the others say where the time went. */
const HELD = ["first tenant", "second tenant", "sending without JavaScript", "reading replies"]

/** Since they were last taken. */
async function figures(): Promise<Figures> {
  const [first, second] = await Promise.all(tenants.map((tenant) => tenant.takeTimes()))
  assert.ok(first !== undefined && second !== undefined)
  const { sending, reading } = sender.takeTimes()
  return {
    "first tenant": figureOf([...first.scoring, ...first.writing]),
    "second tenant": figureOf([...second.scoring, ...second.writing]),
    "scores of the first": figureOf(first.scoring),
    "scores of the second": figureOf(second.scoring),
    "writes of the first": figureOf(first.writing),
    "writes of the second": figureOf(second.writing),
    "sending without JavaScript": figureOf(sending),
    "reading replies": figureOf(reading),
  }
}

function figureOf(times: readonly number[]): Figure {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0
  return { count: sorted.length, p50: at(0.5), p99: at(0.99) }
}

async function startTenant(name: string): Promise<Tenant> {
  const { port } = drop.service
  const workerData: TenantOptions = { port, key: await enterpriseKey(name), name }
  const thread = new Worker(new URL("tenant-thread.ts", import.meta.url), { workerData })
  threads.push(thread)
  return remote(tenantPort, openCalls(threadChannel(thread))(TENANT_ANSWERS_WITHIN_MS))
}

function enterpriseKey(tenant: string): Promise<string> {
  return createKey(drop.service, "--tenant", tenant, "--plan", "enterprise", "--scopes", "all")
}

function freeKey(tenant: string): Promise<string> {
  return createKey(drop.service, "--tenant", tenant, "--scopes", "all")
}

interface Attackers {
  /** All have attacked. */
  readonly all: Promise<unknown>
  /** Ends the attacks, and says what they got. */
  end(): Promise<Record<string, Tally>>
}

async function startAttackers(): Promise<Attackers> {
  const [streams, input, writes] = await Promise.all(
    ["free-streams", "free-input", "free-writes"].map(freeKey),
  )
  const target: Target = {
    port: drop.service.port,
    dropPort: Number(new URL(drop.url).port),
    dataDirectory: drop.service.dataDirectory,
    freeKeys: { streams: streams ?? "", input: input ?? "", writes: writes ?? "" },
    recipientToken: drop.recipientToken,
    servicePid: drop.service.pid,
  }
  const program = join(import.meta.dirname, "attackers.ts")
  const child = spawn(process.execPath, ["--conditions=source", program, JSON.stringify(target)], {
    stdio: ["pipe", "pipe", "inherit"],
    detached: true,
  })
  // Attackers have machines of their own: where time is measured, they get what the service leaves.
  if (soak) putBehind(child.pid ?? 0)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ended = once(child, "exit")
  const all = lines.next()
  return {
    all,
    async end() {
      child.stdin.end()
      await all
      const { value } = await lines.next()
      await ended
      return JSON.parse(value ?? "") as Record<string, Tally>
    },
  }
}

/** Linux weighs a session against other sessions first, and processes within it after that. */
function putBehind(pid: number): void {
  setPriority(pid, constants.priority.PRIORITY_LOW)
  const ofSession = `/proc/${pid}/autogroup`
  if (existsSync(ofSession)) writeFileSync(ofSession, String(constants.priority.PRIORITY_LOW))
}

function tooLarge(): string[] {
  return Object.entries(footprintOf(drop.service.pid)).flatMap(([kind, now]) => {
    const before = quietFootprint[kind]
    if (before === undefined) return [`${kind}: was not there`]
    const { bytes, files } = before
    const isOver = now.bytes > 1.25 * bytes + MEMORY_SLACK || now.files > files + FILES_SLACK
    return isOver ? [`${kind}: ${printed({ now })}, quiet ${printed({ before })}`] : []
  })
}

function printed(footprint: Footprint): string {
  return Object.entries(footprint)
    .map(([kind, { bytes, files }]) => `${kind} ${Math.round(bytes / 2 ** 20)} MiB ${files} files`)
    .join(", ")
}
