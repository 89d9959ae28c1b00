import assert from "node:assert/strict"
import { test } from "node:test"
import { setImmediate as turn, setTimeout as delay } from "node:timers/promises"
import { inTurns, type Turns } from "../../scripts/in-turns.ts"

/** Where nothing is idle, and where everything is. */
const busy = { idleMs: () => 0, lookMs: 1 }
const idle = (): Pick<Turns, "idleMs" | "lookMs"> => {
  let ms = 0
  return { idleMs: () => (ms += 1_000), lookMs: 1 }
}

/** Begins twenty, lets them end one by one, and tells their order and how many were under way. */
async function begun(turns: Turns): Promise<{ order: number[]; most: number }> {
  const order: number[] = []
  const ends: (() => void)[] = []
  let [under, most] = [0, 0]
  const all = Array.from({ length: 20 }, (_, n) => n)
  const done = inTurns(
    all,
    async (n) => {
      order.push(n)
      most = Math.max(most, ++under)
      await new Promise<void>((resolve) => ends.push(resolve))
      under--
    },
    turns,
  )
  while (order.length < all.length || ends.length > 0) {
    // Long enough for more to be begun, where the machine is said to be idle.
    for (let n = 0; n < 50 && under < turns.most; n++) await delay(1)
    ends.shift()?.()
    await turn()
  }
  await done
  return { order, most }
}

test("where no core is idle the least are under way, where one is one more after the other", async () => {
  const inOrder = Array.from({ length: 20 }, (_, n) => n)
  assert.deepEqual(await begun({ least: 3, most: 6, ...busy }), { order: inOrder, most: 3 })
  assert.deepEqual(await begun({ least: 3, most: 6, ...idle() }), { order: inOrder, most: 6 })
  assert.deepEqual(await begun({ least: 1, most: 1, ...idle() }), { order: inOrder, most: 1 })
})

test("what fails is told", async () => {
  const failing = inTurns(
    [1, 2, 3],
    async (n) => {
      await turn()
      if (n === 2) throw new Error("the second")
    },
    { least: 1, most: 1, ...busy },
  )
  await assert.rejects(failing, /the second/)
})
