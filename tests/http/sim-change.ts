// Asks a service about numbers of the trial carrier.
import assert from "node:assert/strict"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { PhoneRiskResult } from "@assay/core/contract"
import type { Service } from "./service.ts"

export const RANGE = "+61491570"
const TRIES = 20

/** Writes the file that names the trial carrier as a provider, and returns its path. */
export function writeTrialProvider(
  folder: string,
  { url, tokenUrl }: { readonly url: string; readonly tokenUrl: string },
  privateKeyPem: string,
  caps: { readonly daily_cap: number; readonly tenant_daily_cap: number },
): string {
  const file = join(folder, "providers.json")
  writeFileSync(join(folder, "key.pem"), privateKeyPem)
  const north = {
    name: "north",
    ranges: [RANGE],
    base_url: url,
    token_url: tokenUrl,
    client_id: "assay",
    private_key_file: "key.pem",
    timeout_ms: 30_000,
    apis: { sim_swap: { price: 0.5, answers: "date" } },
  }
  writeFileSync(file, JSON.stringify({ budget_ms: 2_000, ...caps, camara: [north] }))
  return file
}

/**
 * How asking for the SIM's last change ended, on a machine however slow: what comes late is there
 * for the next try.
 */
export async function simChange(service: Service, key: string, ending: number): Promise<string> {
  for (let tries = 0; tries < TRIES; tries++) {
    const response = await service.request("/api/v1/phone-risk?explain=true", {
      key,
      json: { phone_number: `${RANGE}${ending}` },
    })
    assert.equal(response.status, 200)
    const { explanation } = (await response.json()) as PhoneRiskResult
    const { results } = (
      explanation as {
        signals: { results: { signal: string; status: string; provider_code: string | null }[] }
      }
    ).signals
    const [result] = results.filter(({ signal }) => signal === "sim_change")
    if (result !== undefined && result.status !== "timeout")
      return [result.status, ...(result.provider_code === null ? [] : [result.provider_code])].join(
        " ",
      )
  }
  throw new Error("the provider never answered in time")
}
