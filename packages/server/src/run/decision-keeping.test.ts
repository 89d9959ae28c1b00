import assert from "node:assert/strict"
import { test, type TestContext } from "node:test"
import { setImmediate as turn } from "node:timers/promises"
import { openLog } from "@assay/runtime/log"
import { DAY_MS } from "@assay/runtime/time"
import { type DecisionKeeping, keepDecisions } from "./decision-keeping.ts"
import type { Records } from "@assay/stores/records"
import { aloneTurns } from "../http/alone-turns.ts"
import type { DecisionsWriter } from "./ports.ts"

const log = openLog("error")

/** A store whose methods can be made to hang, as one behind a lock or a lost connection does. */
function hangingWriter(): {
  readonly writer: DecisionsWriter
  readonly called: { fold: number; forgetBefore: number; close: number }
  readonly hangs: Set<"fold" | "forgetBefore">
} {
  const called = { fold: 0, forgetBefore: 0, close: 0 }
  const hangs = new Set<"fold" | "forgetBefore">()
  const answer = async <T>(method: "fold" | "forgetBefore", result: T): Promise<T> => {
    called[method]++
    if (hangs.has(method)) await new Promise(() => undefined)
    return result
  }
  const unused = (): never => assert.fail("not asked for here")
  return {
    called,
    hangs,
    writer: {
      fold: () => answer("fold", { folded: 0, torn: 0, damaged: 0 }),
      forgetBefore: () => answer("forgetBefore", 0),
      ofIdentity: unused,
      eraseIdentity: unused,
      async close() {
        called.close++
      },
    },
  }
}

/** Lets this many seconds pass, and waits for the work of each. */
async function seconds(t: TestContext, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    t.mock.timers.tick(1000)
    for (let turns = 0; turns < 5; turns++) await turn()
  }
}

const alone = {
  noting: async <T>(fold: () => Promise<T>): Promise<T> => await fold(),
  turns: aloneTurns({} as Records),
}

test("a deletion that takes long is not begun again each second, and decisions are folded meanwhile", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] })
  const { writer, called, hangs } = hangingWriter()
  let nowMs = 100 * DAY_MS
  await keepDecisions({ writer, days: 7, ...alone, log, now: () => nowMs, patienceMs: 50 })
  assert.deepEqual(called, { fold: 1, forgetBefore: 1, close: 0 })
  nowMs += DAY_MS
  hangs.add("forgetBefore")
  await seconds(t, 5)
  assert.equal(called.forgetBefore, 2, "once at the start and once for the next day")
  assert.equal(called.fold, 6)
})

test("a fold that hangs is waited for by those after it, not joined by them", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] })
  const { writer, called, hangs } = hangingWriter()
  await keepDecisions({ writer, days: 7, ...alone, log, now: () => 0, patienceMs: 50 })
  hangs.add("fold")
  await seconds(t, 5)
  assert.equal(called.fold, 2)
})

test("a store that hangs keeps the service neither from starting nor from stopping", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] })
  for (const method of ["fold", "forgetBefore"] as const) {
    const { writer, called, hangs } = hangingWriter()
    hangs.add(method)
    const keeping: DecisionKeeping = await keepDecisions({
      writer,
      days: 7,
      ...alone,
      log,
      now: () => 0,
      patienceMs: 50,
    })
    await keeping.stop()
    assert.equal(called.close, 1, method)
  }
})
