import assert from "node:assert/strict"
import { test } from "node:test"
import type { FoldedDecision } from "./fold.ts"
import { tellOnce } from "./tell-once.ts"

function decided(identity: number, tenantId: number | null, atMs: number): FoldedDecision {
  return { tenantId, identityKey: new Uint8Array(16).fill(identity), identityType: "email", atMs }
}

test("each identity of each tenant is passed on once, by its first decision", async () => {
  const told: FoldedDecision[] = []
  const tell = tellOnce(async (some) => void told.push(...some))
  await tell([decided(1, 1, 10), decided(1, 1, 11), decided(1, 2, 12)])
  await tell([decided(1, 1, 13), decided(2, 1, 14)])
  await tell([decided(2, 1, 15)])
  assert.deepEqual(
    told.map(({ tenantId, atMs }) => [tenantId, atMs]),
    [
      [1, 10],
      [2, 12],
      [1, 14],
    ],
  )
})

test("what could not be passed on is passed on again", async () => {
  const told: FoldedDecision[] = []
  let away = true
  const tell = tellOnce(async (some) => {
    if (away) throw new Error("away")
    told.push(...some)
  })
  await assert.rejects(tell([decided(1, 1, 10)]), /away/)
  away = false
  await tell([decided(1, 1, 10)])
  assert.equal(told.length, 1)
})

test("what is remembered is bounded: a forgotten identity is passed on again, never left out", async () => {
  let count = 0
  const tell = tellOnce(async (some) => void (count += some.length), 2)
  for (const identity of [1, 2, 3, 1]) await tell([decided(identity, 1, 0)])
  assert.equal(count, 4)
})
