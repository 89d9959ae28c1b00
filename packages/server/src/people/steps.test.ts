import assert from "node:assert/strict"
import { test } from "node:test"
import { Problem } from "../base/problem.ts"
import { openSteps, type Steps } from "./steps.ts"

const over = (error: unknown): boolean => error instanceof Problem && error.code === "step-over"
const subkey = new Uint8Array(32).fill(7)

/** Nodes that share records. */
function nodes(count: number, clock = { ms: 0 }): Steps[] {
  const used = new Set<string>()
  const records = {
    useOnce: async ({ name }: { readonly name: string }) => used.size < used.add(name).size,
    wasUsed: async (name: string) => used.has(name),
  }
  return Array.from({ length: count }, () => openSteps({ subkey, records, now: () => clock.ms }))
}

test("a step gives back what it was begun with, once, for its own kind and for five minutes", async () => {
  const clock = { ms: 0 }
  const [steps = assert.fail()] = nodes(1, clock)
  const step = steps.begin("totp", { personId: "per_1", secret: "CANARY" })
  assert.ok(!Buffer.from(step, "base64url").includes("CANARY"))
  await assert.rejects(steps.take("passkey", step), over)
  assert.deepEqual(await steps.read("totp", step), { personId: "per_1", secret: "CANARY" })
  assert.deepEqual(await steps.take("totp", step), { personId: "per_1", secret: "CANARY" })
  await assert.rejects(steps.take("totp", step), over)
  await assert.rejects(steps.read("totp", step), over)
  const late = steps.begin("totp", {})
  clock.ms = 5 * 60_000
  await assert.rejects(steps.read("totp", late), over)
  await assert.rejects(steps.take("totp", late), over)
})

test("a step that one node began goes on at another, and is good once among all", async () => {
  const [first = assert.fail(), second = assert.fail(), third = assert.fail()] = nodes(3)
  const step = first.begin("passkey", { challenge: "c" })
  assert.deepEqual(await second.read("passkey", step), { challenge: "c" })
  assert.deepEqual(await second.take("passkey", step), { challenge: "c" })
  for (const node of [first, second, third]) {
    await assert.rejects(node.read("passkey", step), over)
    await assert.rejects(node.take("passkey", step), over)
  }
})

test("a step of another secret, or one made up, is over", async () => {
  const [steps = assert.fail()] = nodes(1)
  const options = {
    subkey: new Uint8Array(32).fill(8),
    records: { useOnce: async () => true, wasUsed: async () => false },
  }
  const elsewhere = openSteps({ ...options, now: () => 0 }).begin("totp", {})
  for (const step of [elsewhere, "", "x", "A".repeat(200)])
    await assert.rejects(steps.take("totp", step), over)
})
