// A stranger's first minute, as examples/sign-up.ts spends it, at the real service.
import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { test } from "node:test"
import { promisify } from "node:util"
import { bareEnvironment } from "./bare-environment.ts"
import { examplePath } from "./examples.ts"
import { startService } from "./service.ts"

test("a stranger signs up, scores an address and sees the decision and the use", async () => {
  await using service = await startService({ args: ["--workers", "1"] })
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ["--conditions=source", examplePath("sign-up.ts"), service.baseUrl],
    { env: bareEnvironment() },
  )
  assert.equal(stderr, "")
  const [tenant, score, decision, usage, took, key = "", ...rest] = stdout.trimEnd().split("\n")
  assert.match(tenant ?? "", /^signed up as \w/)
  assert.match(score ?? "", /^score \d+, LEAKED, step_up_auth$/)
  assert.match(decision ?? "", /^decision dec_\w+, by model \d+\.\d+$/)
  assert.match(usage ?? "", /^1 of \d+ lookups used$/)
  assert.match(took ?? "", /^all of it took [\d.]+ s; the key:$/)
  assert.deepEqual(rest, [])
  // The key is the stranger's own.
  const asked = await service.request("/api/v1/risk/score", { key, json: { email: "a@b.example" } })
  assert.equal(asked.status, 200)
  assert.notEqual(key, service.key)
})
