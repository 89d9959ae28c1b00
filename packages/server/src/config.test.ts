import assert from "node:assert/strict"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test } from "node:test"
import { ConfigError, readConfig, shownSettings } from "./config.ts"

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.faults
  }
}

test("an empty environment gives a safe local service", () => {
  const config = readConfig({})
  assert.equal(config.port, 8080)
  assert.equal(config.host, null)
  assert.equal(config.production, false)
  assert.equal(config.workers, 1)
})

test("all wrong settings are reported at once, without their values", () => {
  const faults = faultsOf({
    PORT: "eighty",
    ASSAY_WORKERS: "0",
    ASSAY_LOG_LEVEL: "loud",
    DATABASE_URL: "mysql://user:pw@host",
  })
  assert.equal(faults.length, 4)
  assert.doesNotMatch(faults.join("\n"), /eighty|loud|pw/)
})

test("a mistyped ASSAY_ setting is refused instead of ignored", () => {
  assert.match(faultsOf({ ASSAY_WORKER: "2" }).join(), /ASSAY_WORKER is not a setting/)
  assert.deepEqual(faultsOf({ ASSAY_SOAK: "1" }), [])
})

test("production needs a data directory and a secret outside it", () => {
  assert.equal(faultsOf({ NODE_ENV: "production" }).length, 2)
  assert.equal(faultsOf({ NODE_ENV: "production", ASSAY_DATA: "/srv/assay" }).length, 1)
  assert.equal(
    faultsOf({
      NODE_ENV: "production",
      ASSAY_DATA: "/srv/assay",
      ASSAY_SECRET_FILE: "/srv/assay/s",
    }).length,
    1,
  )
  assert.deepEqual(
    faultsOf({
      NODE_ENV: "production",
      ASSAY_DATA: "/srv/assay",
      ASSAY_SECRET_FILE: "/etc/assay/s",
    }),
    [],
  )
  assert.deepEqual(
    faultsOf({ NODE_ENV: "production", ASSAY_DATA: "/srv/assay", ASSAY_SECRET_IN_DATA: "true" }),
    [],
  )
})

test("a secret can come from a file and is masked when shown", () => {
  const file = join(mkdtempSync(join(tmpdir(), "assay-config-")), "url")
  writeFileSync(file, "postgres://assay:hunter2@db/assay\n")
  const env = { DATABASE_URL_FILE: file, ASSAY_METRICS_TOKEN: "a-token-of-some-length" }
  assert.equal(readConfig(env).databaseUrl, "postgres://assay:hunter2@db/assay")
  const shown = JSON.stringify(shownSettings(env))
  assert.doesNotMatch(shown, /hunter2|a-token-of/)
  assert.match(faultsOf({ DATABASE_URL_FILE: "/nowhere/at/all" }).join(), /cannot be read/)
})

test("the workers flag wins over the environment", () => {
  assert.equal(readConfig({ ASSAY_WORKERS: "2" }, "3").workers, 3)
  assert.throws(() => readConfig({}, "many"), ConfigError)
})
