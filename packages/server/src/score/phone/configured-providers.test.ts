import assert from "node:assert/strict"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { isExplained } from "@assay/runtime/explained"
import { readConfig } from "../../base/config.ts"
import { configuredProviders } from "./provider-settings.ts"

const folder = mkdtempSync(join(tmpdir(), "assay-configured-"))
after(() => rmSync(folder, { recursive: true }))
const file = join(folder, "providers.json")

function faultsOf(path: string): readonly string[] {
  try {
    configuredProviders(readConfig({ ASSAY_PROVIDERS: path }))
    return []
  } catch (error) {
    assert.ok(isExplained(error, "config"))
    return error.message.split("\n  ").slice(1)
  }
}

test("nobody is asked unless a file names somebody", () => {
  assert.equal(configuredProviders(readConfig({})), null)
})

test("providers are read from the file that is named, without their secrets", () => {
  const twilio = { user: "AC1", password_file: "password", fields: { sim_swap: 0.02 } }
  writeFileSync(join(folder, "password"), "hunter2")
  writeFileSync(file, JSON.stringify({ daily_cap: 5, tenant_daily_cap: 1, twilio }))
  const providers = configuredProviders(readConfig({ ASSAY_PROVIDERS: file }))
  assert.equal(providers?.daily_cap, 5)
  assert.equal(providers.twilio?.password_file, join(folder, "password"))
  assert.doesNotMatch(JSON.stringify(providers), /hunter2/)
})

test("a fault of the file stops who would ask, and nobody else", () => {
  writeFileSync(file, JSON.stringify({ daily_cap: "canary", tenant_daily_cap: 1 }))
  assert.deepEqual(faultsOf(file), [
    "ASSAY_PROVIDERS names settings that cannot be used: at /daily_cap: takes a number from 0 to 1000000000",
  ])
  assert.deepEqual(faultsOf(join(folder, "canary.json")), [
    "ASSAY_PROVIDERS names settings that cannot be used: the file cannot be read",
  ])
  assert.equal(readConfig({ ASSAY_PROVIDERS: file }).providersFile, file)
})
