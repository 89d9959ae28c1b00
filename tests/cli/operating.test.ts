import assert from "node:assert/strict"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { startService } from "../http/service.ts"
import { assay } from "./assay.ts"

const directory = mkdtempSync(join(tmpdir(), "assay-cli-"))
after(() => rmSync(directory, { recursive: true }))

test("config prints every setting with its source and meaning, and masks secrets", async () => {
  const { code, out } = await assay(["config"], {
    PORT: "9000",
    ASSAY_METRICS_TOKEN: "canary-canary-canary",
  })
  assert.equal(code, 0)
  assert.match(out, /^PORT=9000 {2}\(environment\)$/m)
  assert.match(out, /^ASSAY_DATA=\.\/data {2}\(default\)$/m)
  assert.match(out, /^ASSAY_METRICS_TOKEN=\(secret\) {2}\(environment\)$/m)
  assert.doesNotMatch(out, /canary/)
})

test("wrong settings are all named and nothing is created", async () => {
  const data = join(directory, "never")
  const { code, err } = await assay(["serve"], {
    ASSAY_DATA: data,
    PORT: "x",
    ASSAY_LOG_LEVEL: "y",
    ASSAY_PROT: "1",
  })
  assert.equal(code, 1)
  assert.match(err, /PORT takes/)
  assert.match(err, /ASSAY_LOG_LEVEL takes/)
  assert.match(err, /ASSAY_PROT is not a setting/)
  assert.throws(() => rmSync(data), /ENOENT/)
})

test("doctor finds a healthy service healthy, while it runs and after it stopped", async () => {
  const data = join(directory, "healthy")
  const service = await startService({ dataDirectory: data })
  const running = await assay(["doctor"], { ASSAY_DATA: data })
  assert.equal(running.code, 0, running.out + running.err)
  for (const check of ["key", "records", "disk", "clock", "lists", "models", "index"])
    assert.match(running.out, new RegExp(`^(ok|warning) +${check} `, "m"))
  // By the settings of the service, which has no drop, not by those of this shell, which would turn
  // it on.
  assert.match(running.out, /^ok +drop +the anonymous drop is off$/m)
  assert.match(
    running.out,
    new RegExp(`^ok +service +version \\S+ is ready on port ${service.port};`, "m"),
  )
  await service.stop()
  const withoutKeys = await assay(["doctor"], { ASSAY_DATA: data })
  assert.match(withoutKeys.out, /^ok +service +none runs on this directory/m)
  assert.match(withoutKeys.out, /^warning +drop +no message is taken before there is a key/m)
  mkdirSync(join(data, "drop"), { recursive: true })
  const key = "age1um3ltkp2l6x5hccg5fuwhjj96vg2xhg9g9n27c50d9s32ugxqdjsycrqla"
  writeFileSync(join(data, "drop", "keys.txt"), `${key}\n`)
  const stopped = await assay(["doctor"], { ASSAY_DATA: data })
  assert.equal(stopped.code, 0, stopped.out + stopped.err)
  assert.match(
    stopped.out,
    /^(ok|warning) +drop +messages are sealed to 1 key \(x25519\)[,;] .* % /m,
  )
})

test("doctor names another secret and damaged keys as the faults and fails", async () => {
  const data = join(directory, "healthy")
  writeFileSync(join(data, "drop", "keys.txt"), "age1damaged\n")
  const other = join(directory, "other-secret")
  writeFileSync(other, `${"ab".repeat(32)}\n`, { mode: 0o600 })
  const { code, out } = await assay(["doctor"], { ASSAY_DATA: data, ASSAY_SECRET_FILE: other })
  assert.equal(code, 1)
  assert.match(out, /^fault +key +The index was made with another master secret$/m)
  assert.match(out, /^fault +records /m)
  assert.match(out, /^fault +drop +This is no key that messages can be sealed to/m)
  assert.doesNotMatch(out, /age1damaged/)
})

test("doctor on a directory without a service says so and leaves it as it is", async () => {
  const data = join(directory, "empty")
  mkdirSync(data)
  const { code, err } = await assay(["doctor"], { ASSAY_DATA: data })
  assert.equal(code, 1)
  assert.match(err, /No service was ever started/)
  assert.deepEqual(readdirSync(data), [])
})
