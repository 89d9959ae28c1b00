import assert from "node:assert/strict"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import type { EmailRiskResult } from "@assay/core/contract"
import type { EmailExplanation } from "@assay/core/score"
import { root } from "../../../scripts/repository.ts"
import { runIn } from "./run-in.ts"
import { follow, stepsOf } from "./steps.ts"

test("a factor added by the steps scores and explains, in a row and two files", async () => {
  using copy = follow(stepsOf("Add a factor"))
  assert.deepEqual(copy.touched, [
    "packages/core/src/score/email-input.ts",
    "packages/server/src/score/email/email-evidence.ts",
  ])
  const { assay, startService } = await runIn(copy)
  const dataDirectory = join(copy.path, "data")
  const env = { ASSAY_DATA: dataDirectory }
  const shown = await assay(["model", "show", "email", "1.1", "--json"], env)
  const document = JSON.parse(shown.out) as object
  const file = join(dataDirectory, "models", "email-9.0.json")
  mkdirSync(join(dataDirectory, "models"), { recursive: true, mode: 0o700 })
  writeFileSync(file, JSON.stringify({ ...document, version: "9.0", factors: [rowOfPage()] }))
  const checked = await assay(["model", "check", file], env)
  assert.equal(checked.code, 0, checked.err)

  await using service = await startService({ dataDirectory, args: ["--workers", "1"] })
  const made = await assay(["keys", "create", "--tenant", "acme", "--plan", "enterprise"], env)
  const ask = async () => {
    const response = await service.request("/api/v1/risk/score?explain=true", {
      key: made.out.trim(),
      json: { email: "lena.fischer@mail.example" },
    })
    return (await response.json()) as EmailRiskResult
  }
  const before = await ask()
  assert.equal((await assay(["tenants", "set", "acme", "model.email=9.0"], env)).code, 0)
  const { risk_score, risk_reasons, explanation } = await ask()
  assert.ok(risk_score > before.risk_score)
  assert.ok(risk_reasons.some((reason) => /^Found in \d exposures$/.test(reason)))
  const { contributions } = explanation as unknown as EmailExplanation
  assert.ok(contributions.some(({ code, points }) => code === "OFTEN_EXPOSED" && points > 0))
})

/** The row that the page shows. */
function rowOfPage(): unknown {
  const page = readFileSync(join(root, "docs/extending.md"), "utf8")
  const block = /^## Add a factor\n.*?^```json\n(.*?)^```$/ms.exec(page)?.[1]
  return JSON.parse(block ?? "")
}
