import assert from "node:assert/strict"
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { assay, assayHere } from "./assay.ts"

const directory = mkdtempSync(join(tmpdir(), "assay-cli-calibrate-"))
after(() => rmSync(directory, { recursive: true }))
const env = { ASSAY_DATA: join(directory, "data") }

function fileOf(name: string, lines: readonly string[]): string {
  const file = join(directory, name)
  writeFileSync(file, `${lines.join("\n")}\n`)
  return file
}

// Four times as likely to be bad as was said, in an order that has nothing to do with the outcome.
const rows = Array.from({ length: 3_000 }, (_, i) => {
  const p = [0.01, 0.03, 0.06, 0.12][i % 4] ?? 0
  return { p, outcome: (i * 7_919) % 1_000 < 4_000 * p ? "bad" : "good" }
})
const labels = fileOf("labels.csv", [
  "p,outcome",
  ...rows.map(({ p, outcome }) => `${p},${outcome}`),
])

test("a calibration is printed alone on standard output, and what it improves beside it", async () => {
  const { code, out, err } = await assay(["calibrate", "--labels", labels], env)
  assert.equal(code, 0, err)
  assert.equal(
    err,
    `3000 labels, 660 bad and 2340 good, of model email 1.1.
Measured on the 900 newest, 198 bad, by a fit to the older ones:
MEASURE            BEFORE  AFTER
Brier score        0.1862  0.1422
calibration error  0.1650  0.0135
log loss           0.6066  0.4386
AUC                0.7720  0.7720
The calibration, fitted to all labels:
`,
  )
  assert.match(out, /^\{"A":1\.\d+,"B":[12]\.\d+,"hash":"[0-9a-f]{32}"\}\n$/)
})

test("the same labels as CSV and as NDJSON give the same bytes", async () => {
  const ndjson = fileOf(
    "labels.ndjson",
    rows.map((row) => JSON.stringify(row)),
  )
  const [csv, json] = await Promise.all([
    assay(["calibrate", "--labels", labels], env),
    assay(["calibrate", "--labels", ndjson], env),
  ])
  assert.deepEqual(json, csv)
})

test("labels that cannot be used are refused in one line that quotes nothing of them", async () => {
  const few = fileOf("few.csv", ["p,outcome", "0.1,bad", "0.2,good"])
  const odd = fileOf("odd.csv", ["p,outcome", "0.1,canary-word"])
  const addresses = fileOf("addresses.csv", ["email,outcome", "canary-word@mail.example,bad"])
  const decisions = fileOf("decisions.csv", ["decision_id,outcome", "canary-word,bad"])
  const cases: [string[], RegExp][] = [
    [["--labels", few], /needs at least 200 bad outcomes .* there are 1 bad and 1 good/],
    [["--labels", odd], /Line 2: outcome takes bad, good/],
    [["--labels", addresses], /Line 2: takes exactly one of p, input and decision_id/],
    [["--labels", decisions], /Line 2: there is no such decision/],
    [["--labels", join(directory, "none.csv")], /cannot be read \(ENOENT\)/],
    [["--labels", labels, "--apply"], /Name the tenant with --tenant/],
    [["--labels", labels, "--tenant", "acme", "--apply"], /There is no tenant acme/],
  ]
  for (const [args, message] of cases) {
    const { code, out, err } = await assayHere(["calibrate", ...args], env)
    assert.equal(code, 1, `${args.join(" ")}: ${err}`)
    assert.equal(out, "")
    assert.match(err, message)
    assert.equal(err.trim().split("\n").length, 1, err)
    assert.ok(!err.includes("canary"), err)
  }
  assert.equal((await assay(["calibrate"], env)).code, 2)
})

test("a calibration is applied to the tenant named, and its next scores carry it", async () => {
  const own = { ASSAY_DATA: join(directory, "own") }
  assert.equal((await assayHere(["tenants", "create", "acme"], own)).code, 0)
  await assayHere(["tenants", "set", "acme", "prior_abuse=0.05"], own)
  const applied = await assay(["calibrate", "--labels", labels, "--tenant", "acme", "--apply"], own)
  assert.equal(applied.code, 0, applied.err)
  assert.match(applied.err, /Applied to tenant acme\./)
  const { hash } = JSON.parse(applied.out) as { hash: string }
  const { out } = await assayHere(["tenants", "show", "acme"], own)
  assert.ok(out.includes(hash), out)
  assert.match(out, /prior_abuse +0\.05/)
})

test("a calibration that is only printed leaves nothing behind", async () => {
  await assay(["calibrate", "--labels", labels], { ASSAY_DATA: join(directory, "untouched") })
  assert.ok(!readdirSync(directory).includes("untouched"))
})
