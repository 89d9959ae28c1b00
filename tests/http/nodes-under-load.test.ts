// Three nodes behind a balancer under constant load while nodes, primaries of the cluster and
// PostgreSQL are killed and come back in turn: each once, and with ASSAY_SOAK for ten minutes.
import assert from "node:assert/strict"
import { join } from "node:path"
import { test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { IDENTITY_TAGS, identityKey, parseEmail } from "@assay/core/identity"
import { bandOf } from "@assay/core/score"
import { openSecrets, sha256 } from "../../packages/runtime/src/secrets.ts"
import { dayOf } from "../../packages/runtime/src/time.ts"
import { plans } from "../../packages/server/src/accounts/plans.ts"
import { demoEmails } from "../../packages/server/src/demo/demo-identities.ts"
import { openModels } from "../../packages/server/src/score/models.ts"
import { replay } from "../../packages/server/src/score/replay.ts"
import type { Decision } from "../../packages/stores/src/decisions.ts"
import { readDecisions } from "../../packages/stores/src/open/open-database.ts"
import type { StoredEvent } from "../../packages/stores/src/records-events.ts"
import { freePort } from "../../packages/stores/testing/free-port.ts"
import { type TestNode, until } from "../../packages/stores/testing/redis/test-cluster.ts"
import { markdownTable } from "../../scripts/table.ts"
import { createKey } from "../cli/assay.ts"
import { nginxProgram, startBalancer } from "./balancer.ts"
import { type Asked, comparable, type Load, startLoad } from "./nodes-load.ts"
import type { Service } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"
import { nodesForFile } from "./three-nodes.ts"

const isSoak = process.env["ASSAY_SOAK"] !== undefined
const LOAD_MS = isSoak ? 600_000 : 0
const DOWN_MS = isSoak ? 3_000 : 1_000
/**
 * Longer than the cluster takes to find that a primary is dead and to have its replica take over.
 */
const PRIMARY_DOWN_MS = 5_000
const BETWEEN_MS = isSoak ? 5_000 : 500
/** What a tenant with limits has used before the load: the rest is used up in both lengths. */
const USED = 850
/** A worker's lease of a month's lookups, decision 161. */
const LEASE = 20

const temporary = temporaryDirectory()
const nginx = nginxProgram()
if (nginx === null) {
  assert.notEqual(process.env["CI"], "true", "no nginx on this machine")
  test("nodes under load", { skip: "no nginx on this machine" }, () => undefined)
}
const nodes = nginx === null ? null : await nodesForFile(temporary, { replicas: true })

interface Fault {
  readonly what: "a node" | "a primary of the cluster" | "PostgreSQL"
  /** When it was killed, when it ran again, and when every node was ready again. */
  readonly killed: number
  readonly back: number
  readonly ready: number
}

if (nodes !== null)
  test("nodes, primaries and PostgreSQL are killed in turn under load: nothing is answered wrongly, nothing acknowledged is lost, and limits hold", async (context) => {
    const { all, env, records, postgres, cluster } = nodes
    const place = { dataDirectory: all[0].dataDirectory, env }
    const key = await createKey(
      place,
      ...["--tenant", "load", "--plan", "enterprise", "--scopes", "all"],
    )
    const limitedKey = await createKey(place, "--tenant", "limited")
    const tenantId = await tenantOf("load")
    await useUp(await tenantOf("limited"))
    const balancer = await startBalancer(
      await freePort(),
      all.map(({ port }) => port),
    )
    context.after(() => balancer.stop())
    const known = await knownAnswers(all, key)

    const load = startLoad({
      baseUrl: `http://127.0.0.1:${balancer.port}`,
      ...{ key, limitedKey, known, senders: isSoak ? 6 : 3, pauseMs: 40 },
    })
    const from = performance.now()
    const faults: Fault[] = []
    await delay(BETWEEN_MS)
    for (let n = 0; faults.length < 3 || performance.now() < from + LOAD_MS; n++) {
      faults.push(await bringDown(n))
      await delay(BETWEEN_MS)
    }
    await load.stop()
    const took = performance.now() - from
    const figures = figuresOf(load, faults, took)
    console.log(figures.text)

    assert.deepEqual(load.wrong.slice(0, 20), [])
    await assertDecisions(load)
    await assertReports(load)
    await assertEvidence(load)
    assertLimits(load, faults, took)
    assert.deepEqual(await knownAnswers(all, key), known)
    // Short runs are a few hundred requests, and a busy machine is slow to see what is away.
    if (isSoak) assert.ok(figures.outsideShare < 0.01, `${figures.outsideShare}`)

    async function tenantOf(name: string): Promise<number> {
      return (await records.tenantByName(name))?.id ?? assert.fail(name)
    }

    async function useUp(limited: number): Promise<void> {
      const { id } =
        (await records.keys()).find((each) => each.tenantId === limited) ?? assert.fail()
      const day = dayOf(Date.now())
      await records.addUsage([{ keyId: id, day, operation: "email", count: USED }])
    }

    /** Kills one of what there is, and brings it back. */
    async function bringDown(n: number): Promise<Fault> {
      const number = (Math.floor(n / 3) % 3) as 0 | 1 | 2
      const primary = (await primaries())[number] ?? assert.fail()
      const killed = performance.now()
      const what = (["a node", "a primary of the cluster", "PostgreSQL"] as const)[n % 3]
      if (what === "a node") await all[number].kill()
      else if (what === "PostgreSQL") await postgres.crash()
      else await primary.kill()
      await delay(what === "a primary of the cluster" ? PRIMARY_DOWN_MS : DOWN_MS)
      if (what === "a node") await nodes?.restart(number)
      else if (what === "PostgreSQL") await postgres.restart()
      else {
        await primary.start()
        await cluster.replicated()
      }
      const back = performance.now()
      for (const node of all) await until(async () => (await node.request("/readyz")).ok)
      return { what: what ?? assert.fail(), killed, back, ready: performance.now() }
    }

    /** Those of the cluster that are primaries now. */
    async function primaries(): Promise<readonly TestNode[]> {
      const roles = await Promise.all(
        cluster.nodes.map(async (node) => String(await node.ask("INFO", "replication"))),
      )
      const found = cluster.nodes.filter((_, n) => roles[n]?.includes("role:master"))
      assert.equal(found.length, 3)
      return found
    }

    /**
     * Every answer has its decision, which is what was answered and what the pure function says.
     */
    async function assertDecisions({ answered }: Load): Promise<void> {
      // One that nobody gave is known not to exist once all nodes have folded all of theirs.
      const stored = new Map<string, Decision>()
      const missing = (): string[] =>
        answered.filter(({ id }) => !stored.has(id)).map(({ id }) => id)
      await until(async () => {
        for await (const decision of decisionsOf(tenantId)) stored.set(decision.id, decision)
        return missing().length === 0
      }).catch(() => undefined)
      assert.deepEqual(missing().slice(0, 20), [])
      assert.equal(new Set(answered.map(({ id }) => id)).size, answered.length)
      const models = openModels(join(temporary, "no-models"))
      const critical = new Set<string>()
      for (const { id, result } of answered) {
        const decision = stored.get(id) ?? assert.fail()
        const replayed = replay(decision, models) ?? assert.fail(id)
        assert.deepEqual(replayed.differences, [], id)
        assert.deepEqual(
          [decision.score, decision.stage, decision.confidence, decision.action],
          [result.risk_score, result.threat_stage, result.confidence, result.recommended_action],
          id,
        )
        if (bandOf(result.risk_score) === "critical") critical.add(id)
      }
      assert.ok(critical.size > 0)
      await assertTold(critical)
    }

    async function* decisionsOf(tenant: number): AsyncGenerator<Decision> {
      const databaseUrl = env["DATABASE_URL"] ?? assert.fail()
      const reader = await readDecisions({ dataDirectory: temporary, databaseUrl })
      try {
        for (let before: string | undefined; ;) {
          const of = { tenantId: tenant, limit: 1_000 }
          const page = await reader.list(before === undefined ? of : { ...of, before })
          yield* page
          before = page.at(-1)?.id
          if (page.length < of.limit) return
        }
      } finally {
        await reader.close()
      }
    }

    /** Each critical answer is an event, once. */
    async function assertTold(critical: ReadonlySet<string>): Promise<void> {
      const told = async (): Promise<string[]> => {
        const events: StoredEvent[] = []
        for (let after = 0; ;) {
          const page = await records.eventsAfter({ tenantId, after, limit: 10_000 })
          const last = page.at(-1)
          if (last === undefined) break
          events.push(...page)
          after = last.seq
        }
        return events
          .filter(({ kind }) => kind === "decision.critical")
          .map(({ data }) => (data as { readonly decision_id: string }).decision_id)
      }
      await until(async () => {
        const ids = new Set(await told())
        return [...critical].every((id) => ids.has(id))
      }).catch(() => undefined)
      const ids = await told()
      assert.deepEqual(
        [...critical].filter((id) => !ids.includes(id)),
        [],
      )
      assert.equal(new Set(ids).size, ids.length)
    }

    function keyOf(address: string): Uint8Array {
      const { subkeys } = openSecrets(env["ASSAY_SECRET_FILE"] ?? "", false)
      const email = parseEmail(address)
      if ("fault" in email) assert.fail()
      return identityKey(sha256, subkeys.identity, IDENTITY_TAGS.email, email.canonical)
    }

    /** Each acknowledged report is stored, and once, however often it was sent. */
    async function assertReports({ reported }: Load): Promise<void> {
      assert.ok(reported.size > 0)
      for (const [email, id] of reported) {
        const stored = await records.feedbackOf({ tenantId, identityKey: keyOf(email) })
        assert.deepEqual(
          stored.map((each) => each.id),
          [id],
        )
      }
      await until(
        async () => (await records.dueFeedback({ at: Date.now(), limit: 9 })).length === 0,
      )
    }

    async function assertEvidence({ sent }: Load): Promise<void> {
      assert.ok(sent.size > 0)
      for (const email of sent) {
        const found = await nodes?.index.lookup(keyOf(email), tenantId)
        // Beside it is the mark of somebody who was asked about.
        const breaches = found?.entries.filter(({ kind }) => kind === "breach")
        assert.equal(breaches?.length, 1, email)
      }
    }

    function assertLimits({ limited }: Load, happened: readonly Fault[], ms: number): void {
      const { limits } = plans.free
      // A node that is killed has used at most the lease of its one worker. A primary that dies may
      // take with it what it last gave to each of them.
      const times = (what: Fault["what"]): number =>
        happened.filter((fault) => fault.what === what).length
      const lost = times("a node") + times("a primary of the cluster") * all.length
      const leases = lost * LEASE
      assert.ok(limited.admitted <= limits.lookupsPerMonth - USED + leases, `${limited.admitted}`)
      assert.ok(limited.identities.size <= limits.identitiesPerDay, `${limited.identities.size}`)
      // And in a second a tenth of the rate for each worker.
      const aSecond = limits.requestsPerSecond * (1 + all.length / 10)
      assert.ok(limited.admitted <= aSecond * (ms / 1000 + 1))
      assert.ok(limited.admitted > 0)
    }
  })

/** What is said of addresses whose evidence stays as it is, by all nodes alike. */
async function knownAnswers(
  all: readonly Service[],
  key: string,
): Promise<ReadonlyMap<string, string>> {
  const answers = new Map<string, string>()
  for (const { email } of demoEmails)
    for (const node of all)
      await until(async () => {
        const path = "/api/v1/risk/score?explain=true"
        const response = await node.request(path, { key, json: { email } })
        if (response.status !== 200) return false
        const text = comparable(await response.text())
        assert.equal(text, answers.get(email) ?? text)
        answers.set(email, text)
        return true
      })
  return answers
}

interface Figures {
  /** The part of requests that had no answer while all engines ran. */
  readonly outsideShare: number
  readonly text: string
}

function figuresOf(load: Load, faults: readonly Fault[], took: number): Figures {
  const failed = ({ status, kind }: Asked): boolean =>
    status === null || status >= 500 || (status === 429 && kind !== "limited")
  const within = ({ at, tookMs }: Asked, fault: Fault, end: number): boolean =>
    at < end && at + tookMs > fault.killed
  const engines = faults.filter(({ what }) => what !== "a node")
  const isDown = (asked: Asked): boolean =>
    engines.some((fault) => within(asked, fault, fault.back))
  const outside = load.asked.filter((asked) => !isDown(asked))
  const outsideShare = outside.filter(failed).length / outside.length
  const rows = (["a node", "a primary of the cluster", "PostgreSQL"] as const).map((what) => {
    const own = faults.filter((fault) => fault.what === what)
    const meanwhile = load.asked.filter((asked) =>
      own.some((fault) => within(asked, fault, fault.back)),
    )
    const longest = Math.max(...own.map(({ back, ready }) => ready - back))
    const slowest = Math.max(0, ...meanwhile.map(({ tookMs }) => tookMs))
    return [
      ...[what, own.length, meanwhile.length, meanwhile.filter(failed).length],
      ...[`${(longest / 1000).toFixed(1)} s`, `${(slowest / 1000).toFixed(1)} s`],
    ]
  })
  const head = ["killed", "times", "requests meanwhile", "of them without an answer"]
  const table = markdownTable([...head, "longest until all were ready", "slowest answer"], rows)
  const kinds = Object.entries(Object.groupBy(load.asked, ({ kind }) => kind)).map(
    ([kind, asked]) => [kind, asked.length, asked.filter(failed).length],
  )
  const text = `
${Math.round(took / 1000)} s, ${load.asked.length} requests, ${(load.asked.length / (took / 1000)).toFixed(0)} a second
${load.answered.length} decisions, ${load.reported.size} reports and ${load.sent.size} pieces of evidence acknowledged
${load.wrong.length} wrong answers
${outside.filter(failed).length} of ${outside.length} requests without an answer while all engines ran (${(outsideShare * 100).toFixed(2)} %)
${load.limited.admitted} lookups about ${load.limited.identities.size} identities admitted of ${plans.free.limits.lookupsPerMonth - USED} and ${plans.free.limits.identitiesPerDay}

${table}

${markdownTable(["requests", "number", "without an answer"], kinds)}
`
  return { outsideShare, text }
}
