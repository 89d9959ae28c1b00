import assert from "node:assert/strict"
import { test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { openStartTurns } from "./start-turns.ts"

test("one starts at a time, lanes take turns, and a turn is given back once", async () => {
  const turns = openStartTurns<string>(60_000)
  const started: string[] = []
  const giveBack: (() => void)[] = []
  const want = (lane: string): void => {
    const back = turns.take(lane, () => want(lane))
    if (back === null) return
    started.push(lane)
    giveBack.push(back)
    // A lane that had a turn wants another one.
    if (started.length < 5) want(lane)
  }
  want("uploads")
  want("codes")
  assert.deepEqual(started, ["uploads"])
  giveBack[0]?.()
  while (started.length < 2) await delay(1)
  giveBack[0]?.()
  await delay(5)
  assert.equal(started.length, 2)
  for (let n = 1; n < 4; n++) {
    giveBack[n]?.()
    while (started.length < n + 2) await delay(1)
  }
  assert.deepEqual(started, ["uploads", "codes", "uploads", "codes", "uploads"])
})

test("a lane that does not want its turn any more leaves it to the next", async () => {
  const turns = openStartTurns<string>(60_000)
  const back = turns.take("first", () => assert.fail("has it already"))
  turns.take("second", () => undefined)
  const third = new Promise<void>((resolve) => void turns.take("third", resolve))
  back?.()
  await third
})

test("a start that takes too long keeps nobody waiting", async () => {
  const turns = openStartTurns<number>(1)
  turns.take(0, () => undefined)
  await new Promise<void>((resolve) => void turns.take(1, resolve))
})

test("a lane with priority has more turns than the others, and the others still have theirs", async () => {
  const turns = openStartTurns<string>(60_000, (lane) => lane === "messages")
  const started: string[] = []
  const want = (lane: string): void => {
    const back = turns.take(lane, () => want(lane))
    if (back === null) return
    started.push(lane)
    if (started.length < 12) want(lane)
    back()
  }
  want("uploads")
  want("messages")
  while (started.length < 12) await delay(1)
  const uploads = started.filter((lane) => lane === "uploads").length
  assert.ok(uploads >= 2 && uploads <= 5, started.join(" "))
})
