import { execFile } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { openTrialCarrier } from "../../packages/carrier/src/open-trial-carrier.ts"
import { makeTrialClient } from "../../packages/carrier/src/trial-client.ts"
import { root } from "../../scripts/repository.ts"
import { assayProgram } from "../../scripts/program.ts"

/** A carrier for trials that knows every SIM and takes five seconds to say so. */
export interface SlowCarrier {
  /** For ASSAY_PROVIDERS. */
  readonly settingsFile: string
  /** Numbers in its range: more than the bench asks about before an answer would be remembered. */
  readonly numbers: readonly string[]
  /** Lets the demo's tenant ask it. */
  switchOn(dataDirectory: string): Promise<void>
  asked(): number
  close(): Promise<void>
}

const LATENCY_MS = 5_000
const RANGE = "+4917"
const NUMBERS = 20_000

const run = promisify(execFile)

export async function startSlowCarrier(folder: string): Promise<SlowCarrier> {
  const { client, keyId, privateKeyPem } = await makeTrialClient("assay")
  const carrier = await openTrialCarrier({ clients: [client] })
  carrier.scriptAll({ faults: [{ kind: "late", latency_ms: LATENCY_MS }] })
  const place = join(folder, "carrier")
  mkdirSync(place)
  writeFileSync(join(place, "client.pem"), privateKeyPem, { mode: 0o600 })
  const settingsFile = join(place, "providers.json")
  writeFileSync(
    settingsFile,
    JSON.stringify({
      daily_cap: 1_000_000,
      tenant_daily_cap: 1_000_000,
      camara: [
        {
          name: "slow",
          ranges: [RANGE],
          base_url: carrier.url,
          token_url: carrier.tokenUrl,
          client_id: client.clientId,
          private_key_file: "client.pem",
          key_id: keyId,
          apis: { sim_swap: { price: 0.01, answers: "date" }, call_forwarding: { price: 0.01 } },
        },
      ],
    }),
  )
  return {
    settingsFile,
    numbers: Array.from({ length: NUMBERS }, (_, n) => `${RANGE}0${String(n).padStart(7, "0")}`),
    async switchOn(dataDirectory) {
      const args = assayProgram()
      await run(process.execPath, [...args, "tenants", "set", "demo", "providers=true"], {
        cwd: root,
        env: { PATH: process.env["PATH"], ASSAY_DATA: dataDirectory },
      })
      // Workers look for changed tenants every two seconds.
      await new Promise((resolve) => setTimeout(resolve, 5_000))
    },
    asked: () => carrier.requests().filter(({ path }) => !path.startsWith("/token")).length,
    close: () => carrier.close(),
  }
}
