// Asks a service about numbers of the trial carrier.
import assert from "node:assert/strict"
import type { PhoneRiskResult } from "@assay/core/contract"
import type { Service } from "./service.ts"

export const RANGE = "+61491570"
const TRIES = 20

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
