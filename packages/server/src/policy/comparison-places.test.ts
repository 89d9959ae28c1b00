import assert from "node:assert/strict"
import { test } from "node:test"
import { HELD_MS, openComparisonPlaces } from "./comparison-places.ts"

function opened() {
  const clock = { ms: 1_000_000 }
  const places = openComparisonPlaces(() => clock.ms)
  const hold = (tenantId: number, token: string): Promise<boolean> =>
    places.hold({ tenantId, token })
  return { clock, hold, leave: places.leave }
}

test("a tenant has one place, which only its holder keeps and gives back", async () => {
  const { hold, leave } = opened()
  assert.equal(await hold(1, "a"), true)
  assert.equal(await hold(1, "b"), false)
  assert.equal(await hold(1, "a"), true)
  await leave({ tenantId: 1, token: "b" })
  assert.equal(await hold(1, "b"), false)
  await leave({ tenantId: 1, token: "a" })
  assert.equal(await hold(1, "b"), true)
})

test("few tenants have a place at once", async () => {
  const { hold, leave } = opened()
  assert.deepEqual(
    [await hold(1, "a"), await hold(2, "b"), await hold(3, "c")],
    [true, true, false],
  )
  await leave({ tenantId: 1, token: "a" })
  assert.equal(await hold(3, "c"), true)
})

test("a place that nobody keeps is free after a while, also if the clock is set back", async () => {
  const { clock, hold } = opened()
  assert.equal(await hold(1, "a"), true)
  clock.ms += HELD_MS - 1
  assert.equal(await hold(1, "b"), false)
  clock.ms += 1
  assert.equal(await hold(1, "b"), true)
  clock.ms -= 10 * HELD_MS
  assert.equal(await hold(1, "c"), true)
})
