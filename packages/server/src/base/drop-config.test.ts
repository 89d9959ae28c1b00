import assert from "node:assert/strict"
import { test } from "node:test"
import { isExplained } from "@assay/runtime/explained"
import { readConfig } from "./config.ts"

const ONION = `http://${"a".repeat(56)}.onion`

test("in production the drop is served only with a port or an origin of its own", () => {
  const production = {
    NODE_ENV: "production",
    ASSAY_DATA: "/tmp/none",
    ASSAY_SECRET_FILE: "/run/none",
  }
  assert.equal(readConfig(production).drop.on, false)
  assert.equal(readConfig({ ...production, DROP_PORT: "8443" }).drop.on, true)
  assert.equal(readConfig({ ...production, DROP_ORIGIN: "https://drop.example" }).drop.on, true)
  assert.equal(readConfig({ ...production, DROP_PORT: "1", DROP: "off" }).drop.on, false)
  assert.equal(readConfig({}).drop.on, true)
  assert.equal(readConfig({}).drop.port, null)
})

test("an origin is one that nobody on the way can read, and nothing but an origin", () => {
  for (const origin of ["https://drop.example", "http://localhost:9000", ONION])
    assert.equal(readConfig({ DROP_ORIGIN: origin }).drop.origin, origin)
  for (const wrong of [
    "http://drop.example",
    "https://drop.example/drop",
    "drop.example",
    "https://u:p@drop.example",
  ])
    assert.throws(() => readConfig({ DROP_ORIGIN: wrong }), { code: "config" }, wrong)
  assert.throws(() => readConfig({ DROP_ONION: "https://drop.example" }), { code: "config" })
})

test("wrong settings of the drop are refused by name, without their values", () => {
  for (const [name, value] of Object.entries({
    DROP: "yes",
    DROP_RETENTION_DAYS: "6",
    DROP_SEALERS: "0",
    DROP_SEALER_MEMORY_MB: "1319",
    DROP_QUESTION: "no answer",
    DROP_DIGEST_URL: "http://elsewhere.example/hook",
    DROP_NAME: "a\u0007b",
  })) {
    assert.throws(
      () => readConfig({ [name]: value }),
      (error) =>
        isExplained(error, "config") &&
        error.message.includes(name) &&
        !error.message.includes(value),
      name,
    )
  }
})
