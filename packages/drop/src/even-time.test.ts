import assert from "node:assert/strict"
import { test } from "node:test"
import { inEvenTime } from "./even-time.ts"

test("T19: work that takes less than a step ends with the step, whatever it took and however it ended", async () => {
  const clock = { ms: 0 }
  const times = {
    now: () => clock.ms,
    wait: async (ms: number) => void (clock.ms += ms),
  }
  const endOf = async (tookMs: number, fault?: Error): Promise<number> => {
    const startedAt = clock.ms
    const work = async (): Promise<void> => {
      clock.ms += tookMs
      if (fault !== undefined) throw fault
    }
    await inEvenTime(250, work, times).catch((error: unknown) => assert.equal(error, fault))
    return clock.ms - startedAt
  }
  assert.deepEqual(
    [await endOf(0), await endOf(3), await endOf(249), await endOf(9, new Error("full"))],
    [250, 250, 250, 250],
  )
  assert.equal(await endOf(260), 500)
})
