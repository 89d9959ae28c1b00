import assert from "node:assert/strict"
import { join } from "node:path"
import { test } from "node:test"
import { phoneModels } from "@assay/core/score"
import { assay } from "../cli/assay.ts"
import { devCarrier } from "../cli/running-carrier.ts"
import { type Service, startService } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"

const HISTORY_MISSING = "SIM history was not available"
/** An answer may come before the carrier's; a later one has it. */
const ASKED_MAX = 200

interface Explained {
  readonly phone_number: string
  readonly number_type: string
  readonly sim_swap_risk: string
  readonly risk_reasons: readonly string[]
  readonly explanation: {
    readonly signals: {
      readonly state: string
      readonly results: readonly { readonly signal: string; readonly status: string }[]
    }
  }
}

async function ask(service: Service, number: string): Promise<Explained> {
  const response = await service.request("/api/v1/phone-risk?explain=true", {
    json: { phone_number: number },
  })
  assert.equal(response.status, 200)
  return (await response.json()) as Explained
}

/** The first answer that did not have to do without the carrier's. */
async function heard(service: Service, number: string): Promise<Explained> {
  for (let n = 0; n < ASKED_MAX; n++) {
    const answer = await ask(service, number)
    const { state, results } = answer.explanation.signals
    const sim = results.find(({ signal }) => signal === "sim_change")
    if (state === "asked" && sim?.status !== "timeout") return answer
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error("the carrier was never heard")
}

test("every number of the table that assay dev carrier prints is answered as the table says", async () => {
  const folder = join(temporaryDirectory(), "trial")
  const carrier = await devCarrier("--port", "0", "--dir", folder)
  const service = await startService({
    env: { ASSAY_PROVIDERS: join(folder, "providers.json") },
  })
  const rows = [...carrier.out.matchAll(/^(\+\d+) +(\w+)(, unknown)? +(\S.*)$/gm)]
  assert.ok(rows.length > 30)
  const before = await ask(service, rows[1]?.[1] ?? "")
  assert.deepEqual([before.explanation.signals.state, before.sim_swap_risk], ["not_allowed", "low"])

  const set = await assay(["tenants", "set", "demo", "providers=true"], {
    ASSAY_DATA: service.dataDirectory,
  })
  assert.equal(set.code, 0, set.err)
  for (let n = 0; n < ASKED_MAX; n++) {
    if ((await ask(service, "+61491570999")).explanation.signals.state !== "not_allowed") break
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  for (const [, number = "", risk, unknown, shows] of rows) {
    // A number that is answered late or not at all stays without an answer, however often it is
    // asked.
    const answer = /5 seconds/.test(shows ?? "")
      ? await ask(service, number)
      : await heard(service, number)
    assert.equal(answer.sim_swap_risk, risk, `${number}: ${shows}`)
    const missing = answer.risk_reasons.includes(HISTORY_MISSING)
    // Of a line without a SIM its history is not missed.
    const hasSim = phoneModels["1.1"].fields.simTypes?.includes(answer.number_type) === true
    assert.equal(missing, unknown !== undefined && hasSim, `${number}: ${shows}`)
    const { phone_number: echo, ...rest } = answer
    assert.equal(echo, number)
    assert.ok(!JSON.stringify(rest).includes(number.slice(1)), `${number} is told twice`)
  }
  assert.equal(await service.stop(), 0)
  assert.equal(await carrier.stop(), 0)
})
