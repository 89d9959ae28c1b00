import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { openTestNameServer } from "../../packages/server/testing/score/email/network/test-name-server.ts"
import { openTestRegistry } from "../../packages/server/testing/score/email/network/test-registry.ts"
import { startService } from "../http/service.ts"
import { assay } from "./assay.ts"

const directory = mkdtempSync(join(tmpdir(), "assay-cli-network-"))
const data = join(directory, "data")
after(() => rmSync(directory, { recursive: true }))
before(async () => {
  const service = await startService({ dataDirectory: data })
  await service.stop()
})

test("doctor asks the configured providers, and about nobody's domain", async () => {
  const names = await openTestNameServer({ ".": { NS: ["a.root-servers.example"] } })
  const registry = await openTestRegistry({})
  const { code, out, err } = await assay(["doctor"], {
    ASSAY_DATA: data,
    ASSAY_DNS: names.address,
    ASSAY_RDAP_URL: registry.url,
  })
  assert.equal(code, 0, out + err)
  assert.match(out, /^ok +network +the configured providers answer$/m)
  assert.deepEqual(
    names.asked.map(({ name, type }) => [name, type]),
    [[".", "NS"]],
  )
  assert.deepEqual(
    registry.asked.map(({ path }) => path),
    ["/help"],
  )
})

test("doctor names the providers that do not answer and fails", async () => {
  const names = await openTestNameServer({ ".": "servfail" })
  const registry = await openTestRegistry({})
  registry.close()
  const { code, out } = await assay(["doctor"], {
    ASSAY_DATA: data,
    ASSAY_DNS: names.address,
    ASSAY_RDAP_URL: registry.url,
  })
  assert.equal(code, 1)
  assert.match(out, /^fault +network +no usable answer from ASSAY_DNS and ASSAY_RDAP_URL$/m)
})

test("doctor asks nobody where nothing is configured", async () => {
  const { code, out } = await assay(["doctor"], { ASSAY_DATA: data })
  assert.equal(code, 0, out)
  assert.match(out, /^ok +network +look-ups over the network are off$/m)
})

test("settings of look-ups are checked before a start, without repeating them", async () => {
  const { code, err } = await assay(["serve"], {
    ASSAY_DATA: join(directory, "never"),
    ASSAY_DNS: "resolver.canary",
    ASSAY_RDAP_URL: "http://canary.example/",
    ASSAY_RDAP_REDIRECTS: "perhaps",
    ASSAY_NETWORK_BUDGET_MS: "0",
  })
  assert.equal(code, 1)
  for (const name of [
    "ASSAY_DNS",
    "ASSAY_RDAP_URL",
    "ASSAY_RDAP_REDIRECTS",
    "ASSAY_NETWORK_BUDGET_MS",
  ])
    assert.match(err, new RegExp(`^ +${name} takes `, "m"))
  assert.doesNotMatch(err, /canary|perhaps/)
})
