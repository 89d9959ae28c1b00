import assert from "node:assert/strict"
import { test } from "node:test"
import { DAY_MS, HOUR_MS } from "@assay/runtime/time"
import { runMaintenance } from "./maintenance.ts"

test("the file is written anew after so many messages and every night, and what is due goes every hour", async () => {
  const clock = { now: 100 * DAY_MS }
  const done: string[] = []
  let unordered = 0
  let broken = false
  const faults: unknown[] = []
  const maintenance = runMaintenance({
    drops: {
      async purge({ day }) {
        done.push(`purge ${day}`)
      },
      async rewrite() {
        if (broken) throw new Error("no room")
        done.push("rewrite")
        unordered = 0
      },
      unordered: async () => unordered,
    },
    rewriteAfter: 3,
    now: () => clock.now,
    onFault: (error) => faults.push(error),
  })
  const look = async (): Promise<string[]> => {
    done.length = 0
    await maintenance.lookNow()
    return [...done]
  }
  assert.deepEqual(await look(), ["purge 100"])
  assert.deepEqual(await look(), [])
  unordered = 2
  assert.deepEqual(await look(), [])
  unordered = 3
  assert.deepEqual(await look(), ["rewrite"])
  clock.now += HOUR_MS
  assert.deepEqual(await look(), ["purge 100"])
  clock.now += DAY_MS
  assert.deepEqual(await look(), ["purge 101", "rewrite"])
  clock.now += DAY_MS
  broken = true
  assert.deepEqual(await look(), ["purge 102"])
  assert.equal(faults.length, 1)
  broken = false
  assert.deepEqual(await look(), ["rewrite"], "a failure is tried again")
  await maintenance.stop()
})
