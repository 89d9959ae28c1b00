import assert from "node:assert/strict"
import { test } from "node:test"
import { setImmediate as turn } from "node:timers/promises"
import { openLog } from "@assay/runtime/log"
import { DAY_MS, HOUR_MS } from "@assay/runtime/time"
import type { Records } from "@assay/stores/records"
import { aloneTurns } from "../http/alone-turns.ts"
import { keepSettling } from "./writers.ts"

test("what ended long ago is forgotten each hour, also after the clock was set back", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] })
  let nowMs = 100 * DAY_MS
  let forgotten = 0
  const end = keepSettling(
    {
      settleDue: async () => undefined,
      async forget() {
        forgotten++
      },
      idle: async () => undefined,
    },
    { now: () => nowMs, turns: aloneTurns({} as Records) },
    openLog("error"),
    "feedback",
  )
  const after = async (ms: number): Promise<number> => {
    nowMs += ms
    t.mock.timers.tick(1000)
    for (let turns = 0; turns < 5; turns++) await turn()
    return forgotten
  }
  assert.equal(await after(0), 1)
  assert.equal(await after(HOUR_MS - 1), 1)
  assert.equal(await after(1), 2)
  assert.equal(await after(-30 * DAY_MS), 3)
  assert.equal(await after(HOUR_MS - 1), 3)
  await end()
})
