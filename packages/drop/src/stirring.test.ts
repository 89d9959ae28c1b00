import assert from "node:assert/strict"
import { test } from "node:test"
import { keepStirring } from "./stirring.ts"

test("T31: the store is written to again and again, also after a fault, and once more when it closes", async () => {
  let stirred = 0
  const thrice = Promise.withResolvers<undefined>()
  const stirring = keepStirring({
    drops: {
      async stir() {
        stirred += 1
        if (stirred === 3) thrice.resolve(undefined)
        if (stirred === 1) throw new Error("The disk of the drop is full")
      },
    },
    nextMs: () => 1,
  })
  // Its own timer keeps no process alive.
  const alive = setInterval(() => undefined, 1000)
  await thrice.promise
  clearInterval(alive)
  const before = stirred
  await stirring.stop()
  const after = stirred
  assert.ok(after > before)
  await new Promise((resolve) => setTimeout(resolve, 20))
  assert.equal(stirred, after, "and then no more")
})
