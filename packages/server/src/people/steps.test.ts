import assert from "node:assert/strict"
import { test } from "node:test"
import { Problem } from "../base/problem.ts"
import { openSteps } from "./steps.ts"

const over = (error: unknown): boolean => error instanceof Problem && error.code === "step-over"

test("a step gives back what it was begun with, once, for its own kind and for five minutes", () => {
  const clock = { ms: 0 }
  const steps = openSteps(() => clock.ms)
  const step = steps.begin("totp", { personId: "per_1", secret: "CANARY" })
  assert.ok(!Buffer.from(step, "base64url").includes("CANARY"))
  assert.throws(() => steps.take("passkey", step), over)
  assert.deepEqual(steps.read("totp", step), { personId: "per_1", secret: "CANARY" })
  assert.deepEqual(steps.take("totp", step), { personId: "per_1", secret: "CANARY" })
  assert.throws(() => steps.take("totp", step), over)
  assert.throws(() => steps.read("totp", step), over)
  const late = steps.begin("totp", {})
  clock.ms = 5 * 60_000
  assert.throws(() => steps.read("totp", late), over)
})

test("a step of another process, or one made up, is over", () => {
  const steps = openSteps(() => 0)
  const elsewhere = openSteps(() => 0).begin("totp", {})
  for (const step of [elsewhere, "", "x", "A".repeat(200)])
    assert.throws(() => steps.take("totp", step), over)
})
