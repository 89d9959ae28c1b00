import assert from "node:assert/strict"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import type { ErrorBudget } from "@assay/core/contract"
import { startService } from "../http/service.ts"
import { assay } from "./assay.ts"

const directory = mkdtempSync(join(tmpdir(), "assay-slo-"))
after(() => rmSync(directory, { recursive: true }))

test("slo prints what a running service has counted, and the same from its file once it is stopped", async () => {
  const data = join(directory, "served")
  const env = { ASSAY_DATA: data }
  const service = await startService({ dataDirectory: data, args: ["--workers", "1"] })
  for (let n = 0; n < 20; n++)
    await service.request("/api/v1/risk/score", { json: { email: `a${n}@mail.example` } })
  await service.request("/api/v1/risk/score", { json: { email: "no address" } })
  for (let n = 0; n < 5; n++) await service.request("/healthz")
  await service.request("/nowhere")
  // A worker hands over what it counted each second.
  let budget: ErrorBudget
  do {
    const { code, out, err } = await assay(["slo", "--json"], env)
    assert.equal(code, 0, err)
    budget = JSON.parse(out) as ErrorBudget
  } while (budget.requests.total < 21)
  assert.deepEqual(budget.requests, { total: 21, good: 21, failed: 0 })
  assert.deepEqual(budget.budget, { allowed: 0, left: 1 })
  assert.equal(budget.availability, 1)
  assert.ok(budget.running.running_seconds >= 0)

  const { code, out, err } = await assay(["slo"], env)
  assert.equal(code, 0, err)
  assert.match(out, /^requests +100 % good +aim 99\.9 %; 0 of 21 failed, 0 may$/m)
  assert.match(out, /^budget +100 % left +spent at a rate of 0\.0 over 1 h, /m)
  assert.match(out, /^ {2}score +100 % good +0 of 21 failed$/m)
  assert.match(out, /^ {2}api +no requests$/m)
  assert.match(out, /^DAY +REQUESTS +FAILED +GOOD +RAN +NOT RUNNING$/m)
  assert.doesNotMatch(out, /WORST MINUTES/)
  assert.match(err, /What was asked while the service did not run is not known/)

  await service.stop()
  const stopped = JSON.parse((await assay(["slo", "--json"], env)).out) as ErrorBudget
  assert.deepEqual(stopped.requests, budget.requests)
  assert.ok(stopped.running.running_seconds >= budget.running.running_seconds)
})

test("slo prints a month that is over, what failed in it and how long the service did not run", async () => {
  const data = join(directory, "kept")
  const service = await startService({ dataDirectory: data, args: ["--workers", "1"] })
  await service.stop()
  const file = join(data, "levels.log")
  const day = (date: string, up: number, down: number, good: number): object => ({
    type: "day",
    at: Date.parse(date),
    up,
    down,
    kinds: [["score", 10_000, good]],
  })
  const lines = [
    { type: "since", at: Date.parse("2026-03-30") },
    day("2026-03-30", 86_400_000, 0, 10_000),
    day("2026-03-31", 82_800_000, 1_800_000, 9_970),
  ]
  const header = readFileSync(file, "utf8").split("\n")[0]
  writeFileSync(file, [header, ...lines.map((line) => JSON.stringify(line)), ""].join("\n"))
  const { code, out, err } = await assay(["slo", "--month", "2026-03"], { ASSAY_DATA: data })
  assert.equal(code, 0, err)
  assert.match(out, /^requests +99\.85 % good +aim 99\.9 %; 30 of 20000 failed, 20 may$/m)
  assert.match(out, /^budget +-50 % left$/m)
  assert.match(
    out,
    /^running +97\.916 % +not running for 1 h 0 min since 2026-03-30T00:00:00\.000Z, 30 min 0 s of it without having been stopped$/m,
  )
  // The service did not exist yet, which is not the same as a day without requests.
  assert.doesNotMatch(out, /^2026-03-29/m)
  assert.match(out, /^2026-03-30 +10000 +0 +100 % +24 h 0 min +0 s$/m)
  assert.match(out, /^2026-03-31 +10000 +30 +99\.7 % +23 h 0 min +1 h 0 min$/m)
  assert.doesNotMatch(err, /node/)
  // Nothing is asked of the others.
  const DATABASE_URL = "postgres://assay@127.0.0.1:9/assay"
  const ofOne = await assay(["slo", "--month", "2026-03"], { ASSAY_DATA: data, DATABASE_URL })
  assert.equal(ofOne.out, out)
  assert.match(ofOne.err, /^This node does not run: this is what it was asked alone\./m)
  const before = await assay(["slo", "--month", "2026-02"], { ASSAY_DATA: data })
  assert.equal(before.out, "Nothing was measured in 2026-02.\n")
})

test("slo explains itself, refuses what is no month and makes no directory", async () => {
  const env = { ASSAY_DATA: join(directory, "never") }
  const help = await assay(["slo", "--help"], env)
  assert.equal(help.code, 0)
  assert.match(help.out, /Usage: assay slo \[options\]/)
  assert.match(help.out, /--month <month> .*--json +print JSON/s)
  for (const month of ["2026-13", "March", "2026-3"]) {
    const { code, err } = await assay(["slo", "--month", month], env)
    assert.equal(code, 2)
    assert.match(err, /--month takes a month such as 2026-03/)
  }
  const { code, out } = await assay(["slo"], env)
  assert.equal(code, 0)
  assert.match(out, /^Nothing was measured in \d{4}-\d\d\.$/m)
  assert.throws(() => rmSync(env.ASSAY_DATA), /ENOENT/)
})
