import assert from "node:assert/strict"
import { test } from "node:test"
import { runIn } from "./run-in.ts"
import { follow, stepsOf } from "./steps.ts"

test("a route added by the steps answers, asks for a key and is described, in three files", async () => {
  using copy = follow(stepsOf("Add a route"))
  assert.deepEqual(copy.touched, [
    "packages/server/src/tally/feature.ts",
    "packages/server/src/run/features.ts",
    "floors.ts",
  ])
  const { startService } = await runIn(copy)
  await using service = await startService({ args: ["--workers", "1"] })
  const answer = await service.request("/api/v1/tally")
  const { sources } = (await answer.json()) as { sources: number }
  assert.ok(sources > 0)
  assert.equal((await service.request("/api/v1/tally", { key: null })).status, 401)
  const described = await service.request("/openapi.json", { key: null })
  const { paths } = (await described.json()) as { paths: Record<string, unknown> }
  assert.ok("/api/v1/tally" in paths)
})
