import assert from "node:assert/strict"
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, afterEach, beforeEach, mock, test } from "node:test"
import { openLog } from "@assay/runtime/log"
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@assay/runtime/time"
import { keepLevels, type LevelsKeeper } from "./keep-levels.ts"
import { classOf, longestOf, noRequests as none, type RequestCounts } from "./request-counts.ts"

const folder = mkdtempSync(join(tmpdir(), "assay-levels-"))
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

/** Lets time pass, in which the workers report every second. */
function passes(ms: number, levels: LevelsKeeper | null, counts = none): void {
  levels?.add(counts)
  for (let left = ms; left > 0; left -= 1000) {
    time += 1000
    levels?.add(none)
    if (levels !== null) mock.timers.tick(1000)
  }
}

test("a service that runs and is asked nothing is available, and its times are not known", () => {
  const levels = opened()
  passes(30 * MINUTE_MS, levels)
  const { availability, latency, counts, measured_from } = levels.levels("24h")
  assert.deepEqual(availability, { objective: 0.999, share: 1, down_seconds: 0 })
  assert.deepEqual([latency.p50_ms, latency.p99_ms, latency.within_objective], [null, null, null])
  assert.deepEqual(counts, { answered: 0, failed: 0, scored: 0, measured_seconds: 1800 })
  assert.equal(measured_from, new Date(start).toISOString())
})

test("requests that fail count for the ten seconds they failed in", () => {
  const levels = opened()
  passes(990_000, levels)
  passes(10_000, levels, { ...none, answered: 1, failed: 1 })
  // Half of ten seconds of a thousand.
  assert.equal(levels.levels("24h").availability.share, 0.995)
})

test("percentiles are the longest times of their classes, from a hundred scores on", () => {
  const levels = opened()
  const scored = (fast: number, slow: number): RequestCounts => ({
    ...none,
    answered: fast + slow,
    scored: [
      [classOf(3), fast],
      [classOf(900), slow],
    ],
  })
  passes(10_000, levels, scored(95, 4))
  assert.equal(levels.levels("24h").latency.p50_ms, null)
  passes(10_000, levels, scored(0, 1))
  const { p50_ms, p95_ms, p99_ms, within_objective } = levels.levels("24h").latency
  assert.deepEqual([p50_ms, p95_ms, p99_ms], [3.13, 3.13, 951])
  assert.equal(within_objective, 0.95)
})

test("the class of a time ends at or after it, and 200 ms end a class", () => {
  assert.equal(longestOf(classOf(200)), 200)
  assert.equal(classOf(200.01), 1)
  for (const ms of [0.11, 1, 4.7, 199, 201, 5000]) {
    const longest = longestOf(classOf(ms))
    assert.ok(longest >= ms && longest < ms * 1.2, `${ms} ${longest}`)
  }
  assert.ok(classOf(0) === classOf(0.01) && classOf(20_000) === classOf(900_000))
})

test("figures outlive a stop, and the time it was stopped counts for nothing", () => {
  const first = opened()
  passes(10 * MINUTE_MS, first, { ...none, answered: 5, failed: 0 })
  first.stop()
  passes(HOUR_MS, null)
  const again = opened()
  passes(10 * MINUTE_MS, again)
  const { availability, counts } = again.levels("24h")
  assert.deepEqual([availability.share, availability.down_seconds], [1, 0])
  assert.deepEqual([counts?.answered, counts?.measured_seconds], [5, 1200])
})

test("after a kill the time until the service is ready again is down, and counts once", () => {
  const killed = opened()
  passes(10 * MINUTE_MS, killed, { ...none, answered: 7, failed: 0 })
  mock.timers.reset()
  mock.timers.enable({ apis: ["setInterval"] })
  passes(5 * MINUTE_MS, null)
  // Killed again as soon as it was ready.
  opened()
  mock.timers.reset()
  mock.timers.enable({ apis: ["setInterval"] })
  passes(5 * MINUTE_MS, null)
  const again = opened()
  passes(20 * MINUTE_MS, again)
  const { availability, counts } = again.levels("24h")
  assert.deepEqual([availability.share, availability.down_seconds], [0.75, 600])
  assert.deepEqual([counts?.answered, counts?.measured_seconds], [7, 2400])
})

test("while no worker is heard of the service is down", () => {
  const levels = opened()
  passes(60_000, levels)
  // Their last report was in the span before.
  for (let n = 0; n < 6; n++) {
    time += 10_000
    mock.timers.tick(10_000)
  }
  const { share, down_seconds } = levels.levels("24h").availability
  assert.ok(down_seconds >= 50 && (share ?? 1) < 0.6, `${share} ${down_seconds}`)
})

test("a line that was not written in whole is passed over, and a file of another format set aside", () => {
  const first = opened()
  passes(60_000, first, { ...none, answered: 3, failed: 0 })
  appendFileSync(file, '{"type":"ran","from":17')
  assert.equal(opened().levels("24h").counts?.answered, 3)

  writeFileSync(file, "assay service levels 9\n{}\n")
  assert.equal(opened().levels("24h").counts?.answered, 0)
  assert.match(readFileSync(`${file}.set-aside`, "utf8"), /levels 9/)
})

test("ninety days are kept, by the hour, and the file stays small", () => {
  const levels = opened()
  for (let day = 0; day < 95; day++)
    for (let hour = 0; hour < 24; hour++) {
      time += HOUR_MS
      levels.add({ ...none, answered: 1, scored: [[-20, 1]] })
      mock.timers.tick(10_000)
    }
  const { points, counts } = levels.levels("90d")
  assert.equal(points.length, 90)
  assert.ok((counts?.answered ?? 0) <= 90 * 24)
  assert.ok(statSync(file).size < 400_000, `${statSync(file).size}`)
  const oldest = JSON.parse(readFileSync(file, "utf8").split("\n")[1] ?? "") as { at: number }
  assert.ok(oldest.at >= time - 90 * DAY_MS - HOUR_MS)
  assert.equal(statSync(file).mode & 0o777, 0o600)
})
