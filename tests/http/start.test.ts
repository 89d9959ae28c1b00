import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { mintApiKey } from "../../packages/server/src/accounts/api-key.ts"
import { BUILT } from "../../scripts/program.ts"
import { assay } from "../cli/assay.ts"
import { type Service, startService } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"

const temporary = temporaryDirectory()
const email = { email: "ana.silva@mail.example" }

/** Started once, on a directory that did not exist. */
let service: Service
/** Of a service that has stopped in order, for tests to copy and change. */
const stopped = join(temporary, "stopped")
let stoppedKey: string | null
before(async () => {
  service = await startService({ dataDirectory: join(temporary, "first") })
  const brief = await startService({ dataDirectory: stopped })
  stoppedKey = brief.key
  await brief.stop()
})
after(() => service.stop())

function copyOfStopped(name: string): string {
  const data = join(temporary, name)
  cpSync(stopped, data, { recursive: true })
  return data
}

function secretFile(name: string): string {
  const file = join(temporary, name)
  writeFileSync(file, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600 })
  return file
}

test("a first start makes a directory nobody else can read, and prints curl lines that work as printed", async () => {
  const data = service.dataDirectory
  assert.equal(statSync(data).mode & 0o777, 0o700)
  for (const entry of readdirSync(data, { recursive: true, withFileTypes: true })) {
    const found = statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })
    assert.equal((found?.mode ?? 0) & 0o077, 0, `${entry.name} is open to others`)
  }
  assert.match(readFileSync(join(data, "secret"), "utf8"), /^[0-9a-f]{64}\n$/)
  assert.match(service.stdout(), /API reference +http:\/\/localhost:\d+\/docs/)
  const lines = service
    .stdout()
    .split("\n")
    .filter((line) => line.trim().startsWith("curl "))
  assert.equal(lines.length, 2)
  for (const line of lines) {
    const { status, body } = await shell(`${line} -w '\\n%{http_code}'`)
    assert.equal(status, 0)
    assert.match(body, /"risk_score":\d+[^]*\n200$/)
  }
})

test("a second start prints the same key, keys made before still work, and compiled code is the owner's alone", async () => {
  const data = join(temporary, "second")
  const first = await startService({ dataDirectory: data, env: { NODE_COMPILE_CACHE: "" } })
  const made = (
    await assay(["keys", "create", "--tenant", "kept", "--plan", "enterprise"], {
      ASSAY_DATA: data,
    })
  ).out.trim()
  await first.stop()
  // Beside the programs where they were built, in the data directory where sources run.
  const places = [join(BUILT, "compiled-code"), join(data, "compiled-code")]
  const compiled = places
    .filter((place) => existsSync(place))
    .flatMap((place) => readdirSync(place, { recursive: true, withFileTypes: true }))
  assert.ok(compiled.some((entry) => entry.isFile()))
  for (const { parentPath, name } of compiled)
    assert.equal(statSync(join(parentPath, name)).mode & 0o077, 0, `${name} is open to others`)
  await using second = await startService({ dataDirectory: data })
  assert.equal(second.key, first.key)
  assert.equal((await second.request("/api/v1/risk/score", { json: email })).status, 200)
  assert.equal((await second.request("/api/v1/risk/score", { key: made, json: email })).status, 200)
})

test("two services on one directory: the second is refused and the first goes on", async () => {
  const { code, err } = await assay(["serve"], {
    ASSAY_DATA: service.dataDirectory,
    PORT: "0",
  })
  assert.equal(code, 1)
  assert.match(err, /Another Assay is already running/)
  assert.equal((await service.request("/readyz")).status, 200)
})

test(
  "HOST listens on that address and on no other",
  { skip: process.platform !== "linux" },
  async () => {
    await using service = await startService({ env: { HOST: "127.0.0.2" } })
    assert.equal((await service.request("/healthz")).status, 200)
    assert.match(service.baseUrl, /127\.0\.0\.2/)
    await assert.rejects(fetch(`http://127.0.0.1:${service.port}/healthz`))
  },
)

test("a port that is taken is named, and the start fails", async () => {
  const { code, err } = await assay(["serve"], {
    ASSAY_DATA: join(temporary, "port"),
    PORT: String(service.port),
  })
  assert.equal(code, 1)
  assert.match(err, new RegExp(`Port ${service.port} is taken`))
})

test("production loads no demo, prints no key, refuses demo keys and demo data", async () => {
  const production = { NODE_ENV: "production", ASSAY_SECRET_FILE: secretFile("production-secret") }
  const data = join(temporary, "production")
  const bare = await assay(["serve"], { NODE_ENV: "production", PORT: "0" })
  assert.equal(bare.code, 1)
  assert.match(bare.err, /ASSAY_DATA must name the data directory/)

  const onDemo = await assay(["serve"], { ...production, ASSAY_DATA: stopped, PORT: "0" })
  assert.equal(onDemo.code, 1)
  assert.match(onDemo.err, /demo data/)

  await using service = await startService({
    dataDirectory: data,
    env: { ...production, DROP: "on" },
  })
  assert.match(service.stderr(), /drop is off: in production it takes DROP_PORT or DROP_ORIGIN/)
  assert.equal(service.key, null)
  assert.ok(!existsSync(join(data, "secret")))
  assert.equal(
    (await service.request("/api/v1/risk/score", { key: stoppedKey, json: email })).status,
    401,
  )
  const key = (
    await assay(["keys", "create", "--tenant", "first", "--plan", "enterprise"], {
      ...production,
      ASSAY_DATA: data,
    })
  ).out.trim()
  const answer = (await (
    await service.request("/api/v1/risk/score", { key, json: email })
  ).json()) as Record<string, unknown>
  assert.equal(answer["threat_stage"], "CLEAN")
  assert.equal(answer["confidence"], "low")
  assert.match(String(answer["risk_reasons"]), /No exposure source is loaded/i)
  assert.equal((await service.request("/metrics", { key: null })).status, 404)
})

test("in production the first page is the console's, or by a setting the way to the drop", async () => {
  const production = { NODE_ENV: "production", ASSAY_SECRET_FILE: secretFile("home-secret") }
  const data = join(temporary, "home")
  const first = async (to: Service): Promise<Response> =>
    await fetch(`${to.baseUrl}/`, { redirect: "manual" })
  {
    await using service = await startService({ dataDirectory: data, env: production })
    const page = await first(service)
    assert.equal(page.status, 200)
    assert.match(await page.text(), /data-demo-key=""/)
    const reference = await fetch(`${service.baseUrl}/docs/static/swagger-initializer.js`)
    assert.doesNotMatch(await reference.text(), /ask_(demo|live)_|preauthorize/)
  }
  const env = { ...production, DROP: "on", DROP_ORIGIN: "https://drop.example", ASSAY_HOME: "drop" }
  await using service = await startService({ dataDirectory: data, drop: true, env })
  const page = await first(service)
  assert.equal(page.status, 302)
  assert.equal(page.headers.get("location"), "https://drop.example/drop")
  assert.equal((await service.request("/console", { key: null })).status, 200)
})

test("a preset key is the first key, once: it does not come back after it was revoked", async () => {
  const data = join(temporary, "bootstrap")
  const key = mintApiKey()
  const env = {
    NODE_ENV: "production",
    ASSAY_SECRET_FILE: secretFile("bootstrap-secret"),
    ASSAY_BOOTSTRAP_KEY: key,
  }
  const first = await startService({ dataDirectory: data, env })
  assert.equal((await first.request("/api/v1/risk/score", { key, json: email })).status, 200)
  const commands = {
    NODE_ENV: "production",
    ASSAY_SECRET_FILE: env.ASSAY_SECRET_FILE,
    ASSAY_DATA: data,
  }
  const id = /key_[0-9a-f]{16}/.exec((await assay(["keys", "list"], commands)).out)?.[0] ?? ""
  await assay(["keys", "revoke", id], commands)
  await first.stop()
  await using second = await startService({ dataDirectory: data, env })
  assert.equal((await second.request("/api/v1/risk/score", { key, json: email })).status, 401)

  const wrong = await assay(["serve"], {
    ...commands,
    ASSAY_DATA: join(temporary, "wrong-key"),
    PORT: "0",
    ASSAY_BOOTSTRAP_KEY: "canary-key",
  })
  assert.equal(wrong.code, 1)
  assert.match(wrong.err, /ASSAY_BOOTSTRAP_KEY is not an API key/)
  assert.doesNotMatch(wrong.err, /canary/)
})

test("a directory opened with another secret is refused by server and commands alike", async () => {
  const data = copyOfStopped("other-secret")
  renameSync(join(data, "secret"), join(temporary, "kept-secret"))
  for (const env of [
    { ASSAY_DATA: data, PORT: "0" },
    { ASSAY_DATA: data, PORT: "0", ASSAY_SECRET_FILE: secretFile("different") },
  ]) {
    const { code, err } = await assay(["serve"], env)
    assert.equal(code, 1)
    assert.match(err, /made with another master secret/)
    assert.equal((await assay(["keys", "list"], env)).code, 1)
  }
})

test("a damaged or missing secret is named; a directory of a newer program is refused", async () => {
  const bad = join(temporary, "bad-secret")
  writeFileSync(bad, "not hexadecimal", { mode: 0o600 })
  const damaged = await assay(["serve"], {
    ASSAY_DATA: join(temporary, "x"),
    ASSAY_SECRET_FILE: bad,
    PORT: "0",
  })
  assert.match(damaged.err, /must hold 64 hexadecimal digits/)
  const missing = await assay(["serve"], {
    ASSAY_DATA: join(temporary, "y"),
    ASSAY_SECRET_FILE: join(temporary, "nowhere"),
    PORT: "0",
  })
  assert.match(missing.err, /does not exist/)

  const data = copyOfStopped("newer")
  writeFileSync(join(data, "format.json"), '{"format":3,"demo":true}\n')
  const newer = await assay(["serve"], { ASSAY_DATA: data, PORT: "0" })
  assert.equal(newer.code, 1)
  assert.match(newer.err, /has format 3; this program knows formats up to 2/)

  writeFileSync(join(data, "format.json"), '{"format":1,"demo":true,"indexed":true}\n')
  const older = await assay(["serve"], { ASSAY_DATA: data, PORT: "0" })
  assert.equal(older.code, 1)
  assert.match(
    older.err,
    /holds keys of identity\/v1, .+ Name a new directory with ASSAY_DATA and import again\./,
  )
  assert.doesNotMatch(older.err, /listening/)
})

test("a list with a line that cannot be used stops the start and names the place", async () => {
  const data = copyOfStopped("lists")
  writeFileSync(join(data, "lists", "mine.csv"), "good.example,free,\nbad.example,nonsense,\n")
  const { code, err } = await assay(["serve"], { ASSAY_DATA: data, PORT: "0" })
  assert.equal(code, 1)
  assert.match(err, /mine\.csv, line 2: the category must be one of/)
})

async function shell(line: string): Promise<{ status: number | null; body: string }> {
  const { spawn } = await import("node:child_process")
  const child = spawn("sh", ["-c", line])
  let body = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (body += text))
  return await new Promise((resolve) => child.once("close", (status) => resolve({ status, body })))
}
