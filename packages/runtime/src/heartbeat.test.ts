import assert from "node:assert/strict"
import { mock, test } from "node:test"
import { watchHeartbeat } from "./heartbeat.ts"

test("a process is given up after four questions without an answer, once, and never for one late answer", async () => {
  mock.timers.enable({ apis: ["setInterval"] })
  try {
    let [silent, asked] = [0, 0]
    let answering = true
    const end = watchHeartbeat({
      silentMs: 4000,
      async ping() {
        asked++
        if (!answering) throw new Error("no answer")
      },
      onSilent() {
        silent++
      },
    })
    const seconds = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n++) {
        mock.timers.tick(1000)
        await Promise.resolve().then(() => undefined)
      }
    }
    await seconds(20)
    answering = false
    await seconds(3)
    answering = true
    await seconds(20)
    assert.deepEqual([silent, asked], [0, 43])
    answering = false
    await seconds(4)
    assert.equal(silent, 0)
    await seconds(10)
    assert.equal(silent, 1)
    end()
  } finally {
    mock.timers.reset()
  }
})
