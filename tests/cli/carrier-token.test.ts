import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { after, suite, test } from "node:test"
import { promisify } from "node:util"
import { openTrialCarrier } from "../../packages/carrier/src/open-trial-carrier.ts"
import { makeTrialClient } from "../../packages/carrier/src/trial-client.ts"

const run = promisify(execFile)
const EXAMPLE = resolve(import.meta.dirname, "../../examples/carrier-token.ts")
const SCOPE = "sim-swap-subscriptions:read"

suite("the example that fetches a carrier's token", async () => {
  const folder = mkdtempSync(join(tmpdir(), "assay-token-"))
  const { client, keyId, privateKeyPem } = await makeTrialClient("assay")
  const carrier = await openTrialCarrier({ clients: [client] })
  after(async () => {
    await carrier.close()
    rmSync(folder, { recursive: true })
  })
  const file = join(folder, "providers.json")
  writeFileSync(join(folder, "client.pem"), privateKeyPem)
  const settings = {
    name: "trial",
    token_url: carrier.tokenUrl,
    client_id: "assay",
    private_key_file: "client.pem",
    key_id: keyId,
  }
  writeFileSync(file, JSON.stringify({ camara: [settings] }))

  test("prints a token that the carrier's APIs take", async () => {
    const { stdout } = await run(process.execPath, [EXAMPLE, file, "trial", SCOPE])
    const url = `${carrier.url}/sim-swap-subscriptions/v0.3/subscriptions`
    const headers = { authorization: `Bearer ${stdout.trim()}` }
    const response = await fetch(url, { headers })
    assert.deepEqual([response.status, await response.json()], [200, []])
  })

  test("fails for a carrier that is not in the file, and for a scope that is not given", async () => {
    await assert.rejects(run(process.execPath, [EXAMPLE, file, "other", SCOPE]), {
      stderr: /names no carrier of this name/,
    })
    await assert.rejects(run(process.execPath, [EXAMPLE, file, "trial", "everything"]), {
      stderr: /The carrier gave no token: invalid_scope/,
    })
  })
})
