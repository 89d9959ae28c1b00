// Every section of docs/extending.md, followed in one copy of the repository: making a copy and
// building its programs takes longer than most of the tests.
import assert from "node:assert/strict"
import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import type { EmailRiskResult, PhoneRiskResult } from "@assay/core/contract"
import type { EmailExplanation, PhoneExplanation } from "@assay/core/score"
import { root } from "../../../scripts/repository.ts"
import type { Service } from "../../http/service.ts"
import { changesBy, follow, stepsOf } from "./steps.ts"

/** The files that each section makes or changes. */
const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  "Add a file format": [
    "packages/corpus/src/formats/arrows.ts",
    "packages/corpus/src/formats/formats.ts",
  ],
  "Add a store engine": [
    "packages/stores/src/json/engine.ts",
    "packages/stores/src/open/open-index.ts",
    "floors.ts",
    "packages/stores/testing/json/suite-opener.ts",
    "packages/stores/src/json/engine.test.ts",
  ],
  "Add a phone provider": [
    "packages/server/src/score/providers/almanac/almanac.ts",
    "packages/server/src/score/phone/providers.ts",
    "floors.ts",
  ],
  "Add a route": [
    "packages/server/src/tally/feature.ts",
    "packages/core/src/contract/rights.ts",
    "packages/server/src/run/features.ts",
    "floors.ts",
  ],
  "Add a factor": [
    "packages/core/src/score/email-input.ts",
    "packages/server/src/score/email/email-evidence.ts",
  ],
}
const WRITING = "Add a route that writes"
const SECONDS_UNTIL_KNOWN = 30

// The copy's own helpers run its programs. They are imported here and not in a hook, because what
// they do after the tests would then belong to the hook.
const copy = follow([...Object.keys(SECTIONS), WRITING].flatMap((heading) => stepsOf(heading)))
after(() => copy[Symbol.dispose]())
copy.run(["scripts/build-programs.ts"])
const main = "packages/server/built/main.js"
const inCopy = (file: string): Promise<unknown> => import(join(copy.path, file))
const { assay } = (await inCopy("tests/cli/assay.ts")) as typeof import("../../cli/assay.ts")
const { startService } = (await inCopy(
  "tests/http/service.ts",
)) as typeof import("../../http/service.ts")

const dataDirectory = join(copy.path, "data")
const providers = join(copy.path, "providers.json")
const env = { ASSAY_DATA: dataDirectory, ASSAY_PROVIDERS: providers }

let service: Service
before(async () => {
  const almanac = { forwarded: ["+61491570"] }
  writeFileSync(providers, JSON.stringify({ daily_cap: 0, tenant_daily_cap: 0, almanac }))
  await writeModel()
  service = await startService({ dataDirectory, env, args: ["--workers", "1"] })
})
after(() => service.stop())

test("each section by itself fits the repository, and touches few files", () => {
  for (const [heading, files] of Object.entries(SECTIONS))
    assert.deepEqual([...changesBy(stepsOf(heading)).keys()], files, heading)
  const written = [...changesBy(stepsOf(WRITING)).keys()]
  assert.equal(written.length, 13, written.join("\n"))
})

test("a format added by the steps is found, named by the command and imported", () => {
  const list = join(copy.path, "list.txt")
  writeFileSync(list, "ann@mail.example => one\nbob@mail.example => two\nno arrow\n")
  writeFileSync(join(copy.path, "secret"), "5a".repeat(32), { mode: 0o600 })
  const elsewhere = {
    ASSAY_DATA: join(copy.path, "data-of-import"),
    ASSAY_SECRET_FILE: join(copy.path, "secret"),
  }
  const importing = [main, "corpus", "import", list, "--source", "toy"]

  const looked = copy.run([...importing, "--dry-run"], elsewhere)
  assert.match(looked, /list\.txt: lines of address => password; combolist, dated /)
  assert.match(looked, /ann@mail\.example +\*{8} +plaintext/)
  assert.match(looked, /rejected: the line has no delimiter of this format/)

  const imported = copy.run([...importing, "--format", "arrows"], elsewhere)
  assert.match(imported, /^Batch 1 of toy is live\.$/m)
  assert.match(imported, /^imported +2$/m)
  assert.match(imported, /^ {2}no-delimiter +1$/m)

  const wrong = spawnSync(
    process.execPath,
    ["--conditions=source", ...importing, "--format", "zqxjkv"],
    { cwd: copy.path, encoding: "utf8", env: { ...process.env, ...elsewhere } },
  )
  assert.equal(wrong.status, 1)
  assert.match(wrong.stderr, /--format takes arrows, combolist, /)
})

test("an engine added by the steps passes the port's suite and serves", async () => {
  const suite = copy.run(["--test", "packages/stores/src/json/engine.test.ts"])
  assert.match(suite, /^ℹ fail 0$/m)
  assert.match(suite, /^ℹ pass 49$/m)

  const file = join(copy.path, "index.json")
  const itsData = join(copy.path, "data-of-engine")
  const withEngine = { ASSAY_INDEX_URL: `json://${file}` }
  await using serving = await startService({ dataDirectory: itsData, env: withEngine })
  const json = { email: "ana.silva@mail.example" }
  const answer = await serving.request("/api/v1/risk/score", { json })
  assert.equal(answer.status, 200)
  assert.match(await answer.text(), /"exposed":true/)
  const doctor = copy.run([main, "doctor"], { ...withEngine, ASSAY_DATA: itsData })
  assert.match(doctor, /^warning +index +an index in a JSON file is for trials$/m)
  await serving.stop()
  assert.match(readFileSync(file, "utf8"), /"keyCheck":"v2:/)
})

test("only the openers choose an engine: nothing else imports one of records or compares its URL", () => {
  const files = execFileSync("git", ["ls-files", "packages/*/src/*.ts", "scripts"], {
    cwd: root,
    encoding: "utf8",
  })
  const choosing = files
    .trim()
    .split("\n")
    .filter((file) => !/^packages\/stores\/src\/|\.test\.ts$/.test(file))
    .filter((file) =>
      /@assay\/stores\/(sqlite|postgres|redis)\/|(databaseUrl|indexUrl) [!=]== null \?/.test(
        readFileSync(join(root, file), "utf8"),
      ),
    )
  assert.deepEqual(choosing, [])
})

test("a provider added by the steps is listed, asked and shown in a score", async () => {
  const listed = await assay(["providers", "list"], env)
  assert.match(listed.out, /^almanac +every number +call_forwarding +0$/m, listed.err)

  const made = await assay(["keys", "create", "--tenant", "phones", "--plan", "enterprise"], env)
  assert.equal((await assay(["tenants", "set", "phones", "providers=true"], env)).code, 0)
  const { risk_reasons, explanation } = await untilKnown(
    async () => {
      const response = await service.request("/api/v1/phone-risk?explain=true", {
        key: made.out.trim(),
        json: { phone_number: "+61491570401" },
      })
      return (await response.json()) as PhoneRiskResult
    },
    ({ risk_reasons }) => risk_reasons.some((reason) => reason.includes("forwarded")),
  )
  assert.ok(
    risk_reasons.some((reason) => reason.includes("forwarded")),
    risk_reasons.join(),
  )
  const { contributions, signals } = explanation as unknown as PhoneExplanation & {
    signals: { results: { signal: string; status: string; source: string }[] }
  }
  assert.ok(contributions.some(({ code }) => code === "CALL_FORWARDING"))
  assert.deepEqual(
    signals.results.map(({ signal, status, source }) => [signal, status, source]),
    [["call_forwarding", "ok", "almanac"]],
  )
})

test("a route added by the steps answers, asks for a key and is described", async () => {
  const answer = await service.request("/api/v1/tally")
  const { sources } = (await answer.json()) as { sources: number }
  assert.ok(sources > 0)
  assert.equal((await service.request("/api/v1/tally", { key: null })).status, 401)
  const described = await service.request("/openapi.json", { key: null })
  const { paths } = (await described.json()) as { paths: Record<string, unknown> }
  assert.ok("/api/v1/tally" in paths)
})

test("a factor added by the steps scores and explains", async () => {
  const made = await assay(["keys", "create", "--tenant", "acme", "--plan", "enterprise"], env)
  const ask = async () => {
    const response = await service.request("/api/v1/risk/score?explain=true", {
      key: made.out.trim(),
      json: { email: "lena.fischer@mail.example" },
    })
    return (await response.json()) as EmailRiskResult
  }
  const before = await ask()
  assert.equal((await assay(["tenants", "set", "acme", "model.email=9.0"], env)).code, 0)
  const isOfModel = ({ model_version }: EmailRiskResult) => model_version !== before.model_version
  const { risk_score, risk_reasons, explanation } = await untilKnown(ask, isOfModel)
  assert.ok(risk_score > before.risk_score)
  assert.ok(risk_reasons.some((reason) => /^Found in \d exposures$/.test(reason)))
  const { contributions } = explanation as unknown as EmailExplanation
  assert.ok(contributions.some(({ code, points }) => code === "OFTEN_EXPOSED" && points > 0))
})

test("a route that writes, added by the steps, keeps what it acknowledged", () => {
  // The test that is part of the steps, and the one that checks the floors of folders.
  for (const file of ["tests/http/remarks.test.ts", "tests/packages/floors.test.ts"])
    assert.match(copy.run(["--test", "--test-reporter=tap", file]), /^# fail 0$/m)
})

/** A model with the row that the page shows. */
async function writeModel(): Promise<void> {
  const shown = await assay(["model", "show", "email", "1.1", "--json"], env)
  const document = JSON.parse(shown.out) as object
  const file = join(dataDirectory, "models", "email-9.0.json")
  mkdirSync(join(dataDirectory, "models"), { recursive: true, mode: 0o700 })
  writeFileSync(file, JSON.stringify({ ...document, version: "9.0", factors: [rowOfPage()] }))
  const checked = await assay(["model", "check", file], env)
  assert.equal(checked.code, 0, checked.err)
}

/** The row that the page shows. */
function rowOfPage(): unknown {
  const page = readFileSync(join(root, "docs/extending.md"), "utf8")
  const block = /^## Add a factor\n.*?^```json\n(.*?)^```$/ms.exec(page)?.[1]
  return JSON.parse(block ?? "")
}

/** Asks until the service has learned what a command changed, which takes it some seconds. */
async function untilKnown<T>(ask: () => Promise<T>, isKnown: (answer: T) => boolean): Promise<T> {
  const deadline = performance.now() + SECONDS_UNTIL_KNOWN * 1000
  for (;;) {
    const answer = await ask()
    if (isKnown(answer) || performance.now() > deadline) return answer
    await delay(200)
  }
}
