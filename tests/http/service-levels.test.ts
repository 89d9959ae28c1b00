// The figures by which the service measures itself, and what it says of its health.
import assert from "node:assert/strict"
import { join } from "node:path"
import { test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import type {
  DecisionCounts,
  ErrorBudget,
  OwnTenant,
  ServiceHealth,
  ServiceLevels,
} from "@assay/core/contract"
import { invite } from "../cli/assay.ts"
import { type Service, startService } from "./service.ts"
import { joins, printedToken, signsIn, tokenIn, type Visitor } from "./signed-in.ts"
import { temporaryDirectory } from "./temporary.ts"

const temporary = temporaryDirectory()

async function levelsOf(who: Visitor, period = "24h"): Promise<ServiceLevels> {
  const { status, body } = await who.send<ServiceLevels>(
    "GET",
    `/api/v1/service/levels?period=${period}`,
  )
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

async function member(service: Service, role: string): Promise<Visitor> {
  const link = await invite(service, "--tenant", "demo", "--role", role)
  return await joins(service, tokenIn(link), `${role}@levels.example`)
}

/** Waits until the figures pass; they are noted every ten seconds. */
async function until(
  who: Visitor,
  passes: (levels: ServiceLevels) => boolean,
): Promise<ServiceLevels> {
  for (let n = 0; ; n++) {
    const levels = await levelsOf(who)
    if (passes(levels)) return levels
    assert.ok(n < 600, JSON.stringify(levels.counts))
    await delay(100)
  }
}

test("figures outlive a kill and a stop: the one is time the service was down, the other is not", async () => {
  const dataDirectory = join(temporary, "killed")
  const first = await startService({ dataDirectory, args: ["--workers", "2"] })
  const administrator = await joins(first, printedToken(first), "ada@levels.example")
  const scores = 120
  await Promise.all(
    Array.from({ length: scores }, (_, n) =>
      first.request("/api/v1/risk/score", { json: { email: `a${n}@mail.example` } }),
    ),
  )
  const before = await until(administrator, ({ counts }) => (counts?.scored ?? 0) >= scores)
  assert.equal(before.counts?.scored, scores)
  assert.ok((before.latency.p50_ms ?? 0) > 0)
  assert.ok((before.latency.p99_ms ?? 0) >= (before.latency.p50_ms ?? 0))
  assert.equal(before.availability.down_seconds, 0)
  // What a kill may take is what was counted in the last ten seconds.
  await delay(11_000)
  await first.kill()
  await delay(2_000)

  const second = await startService({ dataDirectory, args: ["--workers", "1"] })
  const again = await signsIn(second, "ada@levels.example")
  const killed = await levelsOf(again)
  assert.equal(killed.counts?.scored, scores)
  assert.ok(killed.availability.down_seconds >= 2)
  assert.ok((killed.availability.share ?? 1) < 1)
  assert.equal(killed.measured_from, before.measured_from)
  await second.stop()
  await delay(2_000)

  await using third = await startService({ dataDirectory, args: ["--workers", "1"] })
  const stopped = await levelsOf(await signsIn(third, "ada@levels.example"))
  assert.equal(stopped.counts?.scored, scores)
  assert.equal(stopped.availability.down_seconds, killed.availability.down_seconds)
})

test("members see how well the service answers without counts of others, and administrators see all", async () => {
  const token = "metrics-token-c41b77"
  await using service = await startService({
    args: ["--workers", "1"],
    env: { ASSAY_METRICS_TOKEN: token, ASSAY_SHED_DELAY_MS: "10000" },
  })
  const administrator = await joins(service, printedToken(service), "ada@levels.example")
  // A tenant has an owner before it has anybody else.
  await member(service, "owner")
  const viewer = await member(service, "viewer")
  const seen = await levelsOf(viewer, "7d")
  assert.equal(seen.counts, undefined)
  assert.equal(seen.points.length, 28)
  assert.equal(seen.latency.p95_ms, null)
  assert.equal(seen.availability.share, 1)
  const all = await levelsOf(administrator, "90d")
  assert.equal(all.points.length, 90)
  assert.ok((all.counts?.answered ?? 0) >= 0)
  const refused = await viewer.send("GET", "/api/v1/service/levels?period=1y")
  assert.deepEqual([refused.status, refused.body.code], [400, "invalid-request"])

  const health = await administrator.send<ServiceHealth>("GET", "/api/v1/service/health")
  assert.equal(health.status, 200)
  const { findings, settings, models, workers } = health.body
  assert.deepEqual(
    findings
      .map(({ name, state }) => `${name} ${state}`)
      .filter((text) => !text.startsWith("disk")),
    ["records ok", "index ok", "decisions ok", "lists ok", "look-ups ok"],
  )
  assert.equal(workers, 1)
  assert.deepEqual(
    models.map(({ name }) => name),
    ["email", "phone"],
  )
  const shown = settings.find(({ name }) => name === "ASSAY_METRICS_TOKEN")
  assert.deepEqual([shown?.value, shown?.source], ["(secret)", "environment"])
  assert.ok(!JSON.stringify(health.body).includes(token))
  const viewerHealth = await viewer.send("GET", "/api/v1/service/health")
  assert.deepEqual([viewerHealth.status, viewerHealth.body.code], [403, "insufficient-role"])

  const own = await viewer.send<OwnTenant>("GET", "/api/v1/tenant")
  assert.equal(own.status, 200)
  assert.equal(own.body.name, "demo")
  assert.ok(own.body.retention.decision_days > 0)
})

test("the error budget counts what was asked, for administrators alone, and outlives a kill", async () => {
  const dataDirectory = join(temporary, "budget")
  const args = ["--workers", "2"]
  const first = await startService({ dataDirectory, args })
  const administrator = await joins(first, printedToken(first), "ada@budget.example")
  const budgetOf = async (who: Visitor): Promise<ErrorBudget> => {
    const { status, body } = await who.send<ErrorBudget>("GET", "/api/v1/service/budget")
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
  const kindOf = (budget: ErrorBudget, kind: string) =>
    budget.kinds.find((each) => each.kind === kind)
  const scores = 40
  for (let n = 0; n < scores; n++)
    await first.request("/api/v1/risk/score", { json: { email: `a${n}@mail.example` } })
  for (let n = 0; n < 10; n++) {
    await first.request("/healthz")
    await first.request("/metrics")
    await first.request("/no/such/path")
  }
  let before: ErrorBudget
  do before = await budgetOf(administrator)
  while ((kindOf(before, "score")?.total ?? 0) < scores)
  assert.equal(kindOf(before, "score")?.total, scores)
  assert.equal(kindOf(before, "score")?.good, scores)
  // Neither probes nor scrapes nor paths of nobody: pages are those of the sign-in alone.
  assert.equal(kindOf(before, "pages")?.total, 0)
  assert.equal(before.requests.failed, 0)

  const metrics = await (await first.request("/metrics")).text()
  assert.match(metrics, new RegExp(`^assay_slo_requests_total\\{kind="score"\\} ${scores}$`, "m"))
  assert.match(
    metrics,
    new RegExp(`^assay_slo_good_requests_total\\{kind="score"\\} ${scores}$`, "m"),
  )
  assert.match(metrics, /^assay_slo_good_requests_total\{kind="pages"\} 0$/m)
  assert.match(metrics, /^assay_slo_objective_ratio 0\.999$/m)
  assert.match(metrics, /^assay_slo_month_availability_ratio 1$/m)
  assert.match(metrics, /^assay_slo_month_budget_left_ratio 1$/m)
  assert.match(metrics, /^assay_slo_month_running_ratio /m)
  assert.match(metrics, /^assay_slo_month_not_running_seconds /m)

  await member(first, "owner")
  const viewer = await member(first, "viewer")
  const refused = await viewer.send("GET", "/api/v1/service/budget")
  assert.deepEqual([refused.status, refused.body.code], [403, "insufficient-role"])
  const wrong = await administrator.send("GET", "/api/v1/service/budget?month=2026-13")
  assert.deepEqual([wrong.status, wrong.body.code], [400, "invalid-request"])
  const past = await administrator.send<ErrorBudget>("GET", "/api/v1/service/budget?month=2020-02")
  assert.deepEqual([past.body.measured_from, past.body.days.length], [null, 29])

  await delay(11_000)
  await first.kill()
  await delay(2_000)
  await using second = await startService({ dataDirectory, args: ["--workers", "1"] })
  const after = await budgetOf(await signsIn(second, "ada@budget.example"))
  assert.equal(kindOf(after, "score")?.total, scores)
  assert.equal(after.measured_from, before.measured_from)
  // The time until it was ready again is told apart, and is no good answer.
  assert.ok(after.running.not_running_seconds >= 2)
  assert.ok(after.running.down_seconds >= 2)
  assert.ok((after.running.share ?? 1) < 1)
})

test("a tenant's decisions are counted as soon as they are answered, and another's are not", async () => {
  await using service = await startService({ args: ["--workers", "1"] })
  const emails = ["sofia.rossi@mail.example", "ana.silva@mail.example"]
  for (const email of emails) await service.request("/api/v1/risk/score", { json: { email } })
  const phone = { phone_number: "+61491570156" }
  await service.request("/api/v1/phone-risk", { json: phone })
  const counted = await service.request("/api/v1/decisions/counts?period=7d")
  assert.equal(counted.status, 200)
  const { total, complete, subjects, stages } = (await counted.json()) as DecisionCounts
  assert.deepEqual([total, complete], [3, true])
  assert.deepEqual(
    subjects.map(({ count }) => count),
    [2, 1],
  )
  assert.equal(
    stages.reduce((sum, { count }) => sum + count, 0),
    2,
  )
  const refused = await service.request("/api/v1/decisions/counts?period=1y")
  assert.equal(refused.status, 400)
})
