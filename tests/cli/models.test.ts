import assert from "node:assert/strict"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { emailModels } from "@assay/core/score"
import { temporaryDirectory } from "../http/temporary.ts"
import { assay, assayHere } from "./assay.ts"

const directory = temporaryDirectory()
const env = { ASSAY_DATA: join(directory, "data") }
const document = emailModels["1.1"]
const heavier = { ...document, version: "1.2", abuse: { ...document.abuse, disposable: 3.5 } }

function file(name: string, content: unknown): string {
  const path = join(directory, name)
  writeFileSync(path, JSON.stringify(content))
  return path
}

test("models are listed without a service, and listing makes no data directory", async () => {
  const { code, out } = await assay(["model", "list"], env)
  assert.equal(code, 0)
  assert.match(out, /^MODEL +VERSION +FROM +TENANTS +SHA-256\n/)
  assert.match(out, /\nemail +1\.0 +shipped +0 +[0-9a-f]{64}\n/)
  assert.match(out, /\nemail +1\.1 +shipped +default +0 +[0-9a-f]{64}\n/)
  assert.match(out, /\nphone +1\.0 +shipped +0 +[0-9a-f]{64}\n/)
  assert.match(out, /\nphone +1\.1 +shipped +default +0 +[0-9a-f]{64}\n/)
  assert.ok(!existsSync(env.ASSAY_DATA))
})

test("a model is shown in sections, in part, as its document and by its schema", async () => {
  const { out } = await assay(["model", "show", "email"], env)
  assert.match(out, /^email 1\.1, shipped, sha256 [0-9a-f]{64}\n/)
  assert.match(out, /\npriors\n {2}credential 0\.0033, abuse 0\.01\n/)
  assert.match(out, /\n {2}limits\.TRADED +floor 40, cap 64, windowDays 180\n/)
  assert.match(out, /\n {2}velocity24h +2: 1\.5, 3: 2\.2, 6: 2\.8\n/)
  const part = await assayHere(["model", "show", "email", "1.0", "--path", "abuse.disposable"], env)
  assert.equal(part.out, "2.8\n")
  const pointer = await assayHere(
    ["model", "show", "email", "--path", "/exposure/kinds", "--json"],
    env,
  )
  assert.deepEqual(JSON.parse(pointer.out), document.exposure.kinds)
  const whole = await assayHere(["model", "show", "email", "--json"], env)
  assert.deepEqual(JSON.parse(whole.out), document)
  const schema = JSON.parse((await assayHere(["model", "show", "email", "--schema"], env)).out) as {
    properties: { priors: { properties: object } }
  }
  // A document may have rows of factors; this one has none.
  assert.deepEqual(Object.keys(schema.properties), [...Object.keys(document), "factors"])
  assert.deepEqual(Object.keys(schema.properties.priors.properties), ["credential", "abuse"])
})

test("a difference names every member and what it asks of the version", async () => {
  const minor = await assay(["model", "diff", "email", "1.1", file("minor.json", heavier)], env)
  assert.equal(
    minor.out,
    "MEMBER             BEFORE  AFTER  ASKS FOR\n" +
      "/abuse/disposable  2.8     3.5    MINOR\n" +
      "1 member differs: only weights, tables or texts change, which asks for a new MINOR version.\n",
  )
  const limits = { ...document.stages.limits, CLEAN: { floor: null, cap: 13, windowDays: null } }
  const major = { ...heavier, stages: { ...document.stages, limits } }
  const other = await assayHere(["model", "diff", "email", "1.1", file("major.json", major)], env)
  assert.match(other.out, /\n\/stages\/limits\/CLEAN\/cap +14 +13 +MAJOR\n/)
  assert.match(other.out, /asks for a new MAJOR version, and 1\.2 is none after 1\.1\.\n$/)
  const none = await assayHere(["model", "diff", "email", "1.0", "1.0"], env)
  assert.equal(none.out, "No member differs.\n")
  const shipped = await assayHere(["model", "diff", "email", "1.0", "1.1"], env)
  assert.match(shipped.out, /\n\/abuse\/confirmedFraud\/nats +4 +7 +MINOR\n/)
  assert.match(shipped.out, /asks for a new MINOR version\.\n$/)
  for (const line of shipped.out.split("\n")) assert.ok(line.length <= 200, line)
  const phone = await assayHere(["model", "diff", "phone", "1.0", "1.1"], env)
  assert.match(phone.out, /asks for a new MINOR version\.\n$/)
})

test("a document is checked before it is used, and a fault is named by file, member and reason", async () => {
  const good = await assay(["model", "check", file("good.json", heavier)], env)
  assert.match(good.out, /^email 1\.2 can be used\.\nAgainst email 1\.1: 1 member differs: /)
  const cases: [unknown, RegExp][] = [
    [
      { ...heavier, priors: { credential: 0.1 } },
      /bad\.json: email model, \/priors\/abuse: is missing$/,
    ],
    [{ ...heavier, version: "1.0" }, /bad\.json: \/version: email 1\.0 is loaded already/],
    [{ name: "letter" }, /bad\.json: \/name: must be email or phone$/],
  ]
  for (const [content, message] of cases) {
    const { code, out, err } = await assay(["model", "check", file("bad.json", content)], env)
    assert.equal(code, 1)
    assert.equal(out, "")
    assert.match(err.trimEnd(), message)
    assert.equal(err.trimEnd().split("\n").length, 1)
  }
})

test("a model in the data directory is listed with those who use it and chosen by its version", async () => {
  mkdirSync(join(env.ASSAY_DATA, "models"), { recursive: true })
  writeFileSync(join(env.ASSAY_DATA, "models", "heavier.json"), JSON.stringify(heavier))
  await assayHere(["tenants", "create", "one"], env)
  await assayHere(["tenants", "create", "two"], env)
  const chosen = await assayHere(["tenants", "set", "one", "model.email=1.2"], env)
  assert.equal(chosen.out, "model.email: 1.1 (default) → 1.2\n")
  const { out } = await assayHere(["model", "list"], env)
  assert.match(out, /\nemail +1\.1 +shipped +default +1 +/)
  assert.match(out, /\nemail +1\.2 +heavier\.json +1 +[0-9a-f]{64}\n/)
  assert.match(out, /\nphone +1\.1 +shipped +default +2 +/)
  const diff = await assayHere(["model", "diff", "email", "1.1", "1.2"], env)
  assert.match(diff.out, /\/abuse\/disposable +2\.8 +3\.5 +MINOR/)
  const card = await assay(["model", "card", "email", "1.2"], env)
  assert.equal(card.code, 0, card.err)
  assert.match(card.out, /^# .*1\.2/)
  assert.match(card.out, /[Nn]ot validated/)
})

test("the card of the phone model says before any figure that outcomes never tested it", async () => {
  const { code, out, err } = await assayHere(["model", "card", "phone"], env)
  assert.equal(code, 0, err)
  assert.match(
    out,
    /^# Model card: phone 1\.1\n\n\*\*Not evaluated on outcomes, and not validated\.\*\*/,
  )
  assert.match(out, /\| valid mobile, nothing else known \| 0\.4 % \| 1 % \| 8 \| LOW \|/)
})

test("the card of the e-mail model shows both versions side by side, and 1.0 by name", async () => {
  const { out } = await assayHere(["model", "card", "email"], env)
  assert.match(out, /^# Model card: email 1\.1\n/)
  assert.match(out, /\n### Beside version 1\.0\n/)
  const first = await assayHere(["model", "card", "email", "1.0"], env)
  assert.match(first.out, /^# Model card: email 1\.0\n/)
  assert.doesNotMatch(first.out, /Beside version/)
})

test("what is missing or does not fit is named in one line", async () => {
  const cases: [string[], RegExp][] = [
    [["show", "email", "9.9"], /There is no email model 9\.9; there are 1\.0, 1\.1, 1\.2/],
    [["show", "email", "--path", "abuse.colour"], /has no member abuse\.colour/],
    [["diff", "phone", "1.0", join(directory, "good.json")], /good\.json holds the email model/],
    [["diff", "email", "1.0", join(directory, "none.json")], /none\.json cannot be read/],
  ]
  for (const [args, message] of cases) {
    const { code, out, err } = await assayHere(["model", ...args], env)
    assert.equal(code, 1, args.join(" "))
    assert.equal(out, "")
    assert.match(err, message)
    assert.equal(err.trimEnd().split("\n").length, 1, err)
  }
})
