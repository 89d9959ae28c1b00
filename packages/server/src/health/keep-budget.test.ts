// The error budget, as the keeper of the figures counts it and finds it again.
import assert from "node:assert/strict"
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, afterEach, beforeEach, mock, test } from "node:test"
import { openLog } from "@assay/runtime/log"
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@assay/runtime/time"
import { keepLevels, type LevelsKeeper } from "./keep-levels.ts"
import { type KindCounts, noRequests } from "./request-counts.ts"

const folder = mkdtempSync(join(tmpdir(), "assay-budget-"))
after(() => rmSync(folder, { recursive: true }))
const log = openLog("error")

const start = Date.UTC(2026, 10, 15, 12)
let [files, time] = [0, start]
let file: string
beforeEach(() => {
  mock.timers.enable({ apis: ["setInterval"] })
  file = join(folder, String(++files))
  time = start
})
afterEach(() => mock.timers.reset())

const opened = (): LevelsKeeper => {
  const levels = keepLevels({ file, now: () => time, elapsed: () => time - start, log })
  levels.begin()
  return levels
}

/** The process is gone without a word: nothing of it runs any more. */
function killed(): void {
  mock.timers.reset()
  mock.timers.enable({ apis: ["setInterval"] })
}

/** Lets time pass in spans of ten seconds, in each of which this was asked. */
function passes(ms: number, levels: LevelsKeeper | null, kinds: KindCounts = []): void {
  for (let left = ms; left > 0; left -= 10_000) {
    levels?.add({ ...noRequests, kinds })
    time += 10_000
    if (levels !== null) mock.timers.tick(10_000)
  }
}

test("the budget is a thousandth of the requests, and what failed is taken from it", () => {
  const levels = opened()
  passes(100_000, levels, [
    ["score", 1000, 1000],
    ["pages", 100, 100],
  ])
  passes(10_000, levels, [["score", 1000, 996]])
  const { requests, availability, budget, kinds, objective, measured_from } = levels.budget()
  assert.deepEqual(requests, { total: 12_000, good: 11_996, failed: 4 })
  assert.equal(availability, 11_996 / 12_000)
  assert.equal(objective, 0.999)
  assert.equal(budget.allowed, 12)
  assert.ok(Math.abs((budget.left ?? 0) - 2 / 3) < 1e-9)
  assert.deepEqual(kinds, [
    { kind: "score", total: 11_000, good: 10_996, failed: 4, availability: 10_996 / 11_000 },
    { kind: "api", total: 0, good: 0, failed: 0, availability: null },
    { kind: "pages", total: 1000, good: 1000, failed: 0, availability: 1 },
  ])
  assert.equal(measured_from, new Date(start).toISOString())
})

test("a budget that is overspent is below nothing, and one without requests is not known", () => {
  const levels = opened()
  passes(10_000, levels)
  const before = levels.budget()
  assert.deepEqual([before.availability, before.budget.left], [null, null])
  assert.deepEqual(before.running.share, 1)
  passes(10_000, levels, [["api", 1000, 996]])
  assert.ok(Math.abs((levels.budget().budget.left ?? 0) + 3) < 1e-9)
})

test("what is counted and not yet written is in the figures", () => {
  const levels = opened()
  levels.add({ ...noRequests, kinds: [["score", 3, 2]] })
  time += 4000
  const { requests, running } = levels.budget()
  assert.deepEqual(requests, { total: 3, good: 2, failed: 1 })
  assert.equal(running.running_seconds, 4)
  assert.deepEqual([...levels.counted()], [["score", { total: 3, good: 2 }]])
})

test("time in which it did not run stands apart, whether it was stopped or killed, and is never good", () => {
  const first = opened()
  passes(10 * MINUTE_MS, first, [["score", 10, 10]])
  first.stop()
  passes(20 * MINUTE_MS, null)
  const second = opened()
  passes(10 * MINUTE_MS, second, [["score", 10, 10]])
  killed()
  passes(5 * MINUTE_MS, null)
  const third = opened()
  passes(5 * MINUTE_MS, third)
  const { running, requests, availability, days } = third.budget()
  assert.deepEqual(running, {
    running_seconds: 25 * 60,
    not_running_seconds: 25 * 60,
    down_seconds: 5 * 60,
    share: 0.5,
  })
  // Requests that came meanwhile are neither good nor bad: nobody counted them.
  assert.deepEqual(requests, { total: 1200, good: 1200, failed: 0 })
  assert.equal(availability, 1)
  const today = days.at(-1)
  assert.equal(today?.day, "2026-11-15")
  assert.deepEqual([today.running_seconds, today.not_running_seconds], [1500, 1500])
  const yesterday = days.at(-2)
  // Before it was first started nothing was measured, which is not the same as down.
  assert.deepEqual([yesterday?.running_seconds, yesterday?.not_running_seconds], [0, 0])
  assert.equal(days.length, 15)
})

test("a process that was held did not run meanwhile", () => {
  const levels = opened()
  passes(MINUTE_MS, levels, [["score", 1, 1]])
  time += HOUR_MS
  passes(10_000, levels, [["score", 1, 1]])
  const { running } = levels.budget()
  assert.deepEqual([running.running_seconds, running.not_running_seconds], [120, 3550])
})

test("a kill loses what was counted since the last ten seconds and nothing before", () => {
  const levels = opened()
  passes(5 * MINUTE_MS, levels, [["score", 7, 6]])
  levels.add({ ...noRequests, kinds: [["score", 1000, 0]] })
  killed()
  appendFileSync(file, '{"type":"ran","from":17')
  const { requests } = opened().budget()
  assert.deepEqual(requests, { total: 210, good: 180, failed: 30 })
})

test("minutes of the last day say when it failed, the worst first", () => {
  const levels = opened()
  passes(MINUTE_MS, levels, [["score", 100, 100]])
  passes(MINUTE_MS, levels, [["score", 100, 90]])
  passes(MINUTE_MS, levels, [["score", 100, 50]])
  const { worst_minutes: worst, burn } = levels.budget()
  assert.deepEqual(worst, [
    { at: "2026-11-15T12:02:00.000Z", total: 600, good: 300, failed: 300 },
    { at: "2026-11-15T12:01:00.000Z", total: 600, good: 540, failed: 60 },
  ])
  // 360 of 1800 failed: 200 times what may.
  assert.deepEqual(
    burn.map(({ hours, rate }) => [hours, Math.round(rate ?? 0)]),
    [
      [1, 200],
      [6, 200],
      [24, 200],
    ],
  )
  time += 2 * HOUR_MS
  passes(10_000, levels, [["score", 100, 100]])
  const [hour, six] = levels.budget().burn
  assert.equal(hour?.rate, 0)
  assert.ok((six?.rate ?? 0) > 0)
  time += DAY_MS
  passes(10_000, levels, [["score", 1, 1]])
  assert.deepEqual(levels.budget().worst_minutes, [])
  assert.equal(levels.budget().requests.failed, 360)
})

test("a month ends at midnight of UTC, and can be looked at afterwards", () => {
  time = Date.UTC(2026, 10, 30, 23, 50)
  const levels = opened()
  passes(10 * MINUTE_MS, levels, [["score", 10, 9]])
  passes(10 * MINUTE_MS, levels, [["score", 10, 10]])
  const december = levels.budget()
  assert.deepEqual(
    [december.month, december.requests],
    ["2026-12", { total: 600, good: 600, failed: 0 }],
  )
  assert.equal(december.measured_from, "2026-12-01T00:00:00.000Z")
  const november = levels.budget("2026-11")
  assert.deepEqual(november.requests, { total: 600, good: 540, failed: 60 })
  assert.equal(november.to, "2026-12-01T00:00:00.000Z")
  assert.equal(november.days.length, 30)
  assert.deepEqual([november.burn, november.worst_minutes], [[], []])
  assert.equal(november.running.running_seconds, 600)
  for (const month of ["2026-10", "2027-01"]) {
    const other = levels.budget(month)
    assert.deepEqual([other.measured_from, other.availability], [null, null])
    assert.deepEqual([other.running.share, other.running.not_running_seconds], [null, 0])
  }
})

test("a file from before the budget is taken over, and the budget begins with this start", () => {
  const from = start - HOUR_MS
  const ran = { type: "ran", from, to: from + 10_000, answered: 5, failed: 1, scored: [] }
  const until = { type: "until", at: start - 60_000, stopped: false }
  writeFileSync(file, ["assay service levels 1", ran, until, ""].map(asLine).join("\n"))
  const levels = opened()
  passes(10 * MINUTE_MS, levels, [["api", 2, 2]])
  assert.equal(levels.levels("24h").counts?.answered, 5)
  const { measured_from: since, requests, running } = levels.budget()
  assert.equal(since, new Date(start).toISOString())
  assert.deepEqual(requests, { total: 120, good: 120, failed: 0 })
  assert.deepEqual([running.not_running_seconds, running.down_seconds], [0, 0])
  assert.match(readFileSync(file, "utf8"), /^assay service levels 2\n/)
})

const asLine = (line: string | object): string =>
  typeof line === "string" ? line : JSON.stringify(line)

test("days are kept for 400 days and minutes for one, and the file stays small", () => {
  const kinds: KindCounts = [
    ["score", 123_456, 123_450],
    ["api", 1234, 1234],
    ["pages", 123, 123],
  ]
  const today = Date.UTC(2026, 10, 15)
  const days = Array.from({ length: 500 }, (_, n) => ({
    ...{ type: "day", at: today - n * DAY_MS, up: DAY_MS, down: 0, kinds },
  }))
  const minutes = Array.from({ length: 3000 }, (_, n) => ({
    ...{ type: "minute", at: start - (n + 1) * MINUTE_MS, kinds },
  }))
  const since = { type: "since", at: today - 499 * DAY_MS }
  const lines = ["assay service levels 2", since, ...days, ...minutes, ""]
  writeFileSync(file, lines.map(asLine).join("\n"))
  const levels = opened()
  const kept = readFileSync(file, "utf8").split("\n")
  const count = (type: string): number =>
    kept.filter((line) => line.includes(`"type":"${type}"`)).length
  assert.deepEqual([count("day"), count("minute")], [401, 1440])
  assert.ok(statSync(file).size < 300_000, `${statSync(file).size}`)
  // What was dropped is not measured, rather than a time in which it did not run.
  const old = levels.budget("2025-09")
  assert.deepEqual([old.measured_from, old.running.not_running_seconds], [null, 0])
  assert.equal(levels.budget("2026-10").requests.failed, 31 * 6)
})
