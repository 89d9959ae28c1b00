import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { openLog } from "@assay/runtime/log"
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@assay/runtime/time"
import { openSqliteRecords } from "@assay/stores/sqlite/records"
import { auditKey } from "@assay/stores/testing/audit-key"
import { BUDGET_DAYS, type Budget, budgetOfAll, countDown, countRan, noBudget } from "./budget.ts"
import { budgetFrom, budgetText } from "./levels-file.ts"
import type { KindCounts } from "./request-counts.ts"
import { shareBudget, type SharedBudget } from "./share-budget.ts"

const noon = Date.UTC(2026, 10, 15, 12)

const folder = mkdtempSync(join(tmpdir(), "assay-share-budget-"))
// Nodes share PostgreSQL; all that is said of requests is the same statements in either.
const records = await openSqliteRecords({ file: join(folder, "records.sqlite"), auditKey })
await records.migrate()
after(async () => {
  await records.close()
  rmSync(folder, { recursive: true })
})

/** What a node counted that ran for so long up to noon, each of whose minutes was asked this. */
function counted(minutes: number, kinds: KindCounts): Budget {
  const budget = noBudget()
  budget.since = noon - minutes * MINUTE_MS
  for (let at = budget.since; at < noon; at += MINUTE_MS)
    countRan(budget, at, at + MINUTE_MS, kinds)
  return budget
}

function shared(nodeId: string, own: Budget, everyMs?: number): SharedBudget {
  return shareBudget({
    ...{ own: () => own, records, nodeId, now: () => noon, log: openLog("error") },
    ...(everyMs !== undefined && { everyMs }),
  })
}

test("requests of nodes add up, and a day ran as long as the node that ran longest", () => {
  const first = counted(60, [["score", 10, 10]])
  const second = counted(20, [
    ["score", 5, 4],
    ["pages", 1, 1],
  ])
  countDown(second, noon - HOUR_MS, noon - 20 * MINUTE_MS)
  const { since, days, minutes } = budgetOfAll([second, first, noBudget()])
  assert.equal(since, noon - HOUR_MS)
  assert.deepEqual(
    [...days].map(([start, { kinds, ...times }]) => [start, times, Object.fromEntries(kinds)]),
    [
      [
        noon - 12 * HOUR_MS,
        { up: HOUR_MS, down: 0 },
        { score: { total: 700, good: 680 }, pages: { total: 20, good: 20 } },
      ],
    ],
  )
  assert.equal(minutes.size, 60)
  assert.deepEqual(Object.fromEntries(minutes.get(noon - MINUTE_MS) ?? []), {
    score: { total: 15, good: 14 },
    pages: { total: 1, good: 1 },
  })
  // What was added up is not what a node counts on.
  assert.deepEqual(first.days.get(noon - 12 * HOUR_MS)?.kinds.get("score"), {
    total: 600,
    good: 600,
  })
})

test("a day on which no node ran is a day without the service", () => {
  const budget = counted(1, [])
  const other = counted(1, [])
  const yesterday = noon - 12 * HOUR_MS - DAY_MS
  countDown(budget, yesterday, yesterday + 2 * HOUR_MS)
  countDown(other, yesterday, yesterday + HOUR_MS)
  assert.deepEqual(budgetOfAll([budget, other]).days.get(yesterday), {
    up: 0,
    down: HOUR_MS,
    kinds: new Map(),
  })
})

test("a budget is the same after it was said", () => {
  const budget = counted(90, [["api", 3, 2]])
  assert.deepEqual(budgetFrom(budgetText(budget)), budget)
})

test("what a node says after 400 days and a busy one is less than 200 kB", () => {
  const budget = counted(24 * 60, [
    ["score", 12_345, 12_340],
    ["api", 123, 123],
    ["pages", 7, 7],
  ])
  for (let day = 1; day <= BUDGET_DAYS; day++) {
    const at = noon - day * DAY_MS
    countRan(budget, at, at + MINUTE_MS, [
      ["score", 1_234_567, 1_234_560],
      ["api", 12_345, 12_345],
      ["pages", 1_234, 1_234],
    ])
  }
  for (const at of budget.minutes.keys()) if (at < noon - DAY_MS) budget.minutes.delete(at)
  const { length } = budgetText(budget)
  assert.ok(length > 100_000 && length < 200_000, String(length))
})

test("every node tells what all were asked, also those that were stopped, and one month as another", async () => {
  const one = shared("one", counted(10, [["score", 100, 100]]), 5)
  const two = shared("two", counted(10, [["score", 50, 49]]), 5)
  const three = shared("three", counted(10, [["api", 7, 7]]))
  await three.stop()
  const asked = { total: 1570, good: 1560, failed: 10 }
  for (const node of [one, two]) {
    // Within its minute, which is shorter here.
    while ((await node.budget()).requests.total < asked.total) await delay(5)
    const { requests, burn, kinds } = await node.budget()
    assert.deepEqual(requests, asked)
    assert.deepEqual(burn[0], { hours: 1, ...asked, rate: 10 / 1.57 })
    assert.deepEqual(kinds[0]?.total, 1500)
    assert.equal((await node.budget("2026-10")).requests.total, 0)
  }
  await Promise.all([one.stop(), two.stop()])
})

test("what a node said that has been gone for longer than days are kept is in no figure", async () => {
  const old = noBudget()
  const at = noon - (BUDGET_DAYS + 1) * DAY_MS
  old.since = at
  countRan(old, at, at + MINUTE_MS, [["score", 9, 9]])
  await records.sayRequests({ id: "gone", said: budgetText(old) })
  const here = shared("here", noBudget())
  const month = new Date(at).toISOString().slice(0, "YYYY-MM".length)
  assert.equal((await here.budget(month)).requests.total, 0)
  await here.stop()
})

test("records that do not answer are a fault, and not the figures of one node", async () => {
  const away = new Error("away")
  const alone = shareBudget({
    ...{ own: () => counted(1, []), nodeId: "alone", now: () => noon, log: openLog("error") },
    records: {
      saidRequests: () => Promise.reject(away),
      sayRequests: () => Promise.reject(away),
    },
  })
  await assert.rejects(alone.budget(), away)
  await alone.stop()
})
