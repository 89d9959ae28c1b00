import assert from "node:assert/strict"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import type { PhoneRiskResult } from "@assay/core/contract"
import type { PhoneExplanation } from "@assay/core/score"
import { runIn } from "./run-in.ts"
import { follow, stepsOf } from "./steps.ts"

test("a provider added by the steps is listed, asked and shown in a score, in three files", async () => {
  using copy = follow(stepsOf("Add a phone provider"))
  assert.deepEqual(copy.touched, [
    "packages/server/src/score/providers/almanac/almanac.ts",
    "packages/server/src/score/phone/providers.ts",
    "floors.ts",
  ])
  const settings = join(copy.path, "providers.json")
  const almanac = { forwarded: ["+61491570"] }
  writeFileSync(settings, JSON.stringify({ daily_cap: 0, tenant_daily_cap: 0, almanac }))
  const { assay, startService } = await runIn(copy)
  const dataDirectory = join(copy.path, "data")
  const env = { ASSAY_DATA: dataDirectory, ASSAY_PROVIDERS: settings }

  const listed = await assay(["providers", "list"], env)
  assert.match(listed.out, /^almanac +every number +call_forwarding +0$/m, listed.err)

  await using service = await startService({ dataDirectory, env, args: ["--workers", "1"] })
  const made = await assay(["keys", "create", "--tenant", "acme", "--plan", "enterprise"], env)
  assert.equal((await assay(["tenants", "set", "acme", "providers=true"], env)).code, 0)
  const response = await service.request("/api/v1/phone-risk?explain=true", {
    key: made.out.trim(),
    json: { phone_number: "+61491570401" },
  })
  const { risk_reasons, explanation } = (await response.json()) as PhoneRiskResult
  assert.ok(
    risk_reasons.some((reason) => reason.includes("forwarded")),
    risk_reasons.join(),
  )
  const { contributions, signals } = explanation as unknown as PhoneExplanation & {
    signals: { results: { signal: string; status: string; source: string }[] }
  }
  assert.ok(contributions.some(({ code }) => code === "CALL_FORWARDING"))
  assert.deepEqual(
    signals.results.map(({ signal, status, source }) => [signal, status, source]),
    [["call_forwarding", "ok", "almanac"]],
  )
})
