import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { DAY_MS, HOUR_MS } from "@assay/runtime/time"
import type { Decisions } from "@assay/stores/decisions"
import { openSqliteDecisions } from "@assay/stores/sqlite/decisions"
import { newDecision } from "../../../stores/testing/decisions-suite.ts"
import { openDecisionCounts } from "./counts.ts"

const folder = mkdtempSync(join(tmpdir(), "assay-counts-"))
const nowMs = Date.UTC(2026, 10, 15, 12)
let past: Decisions
before(async () => {
  past = openSqliteDecisions(join(folder, "decisions"))
})
after(async () => {
  await past.close()
  rmSync(folder, { recursive: true })
})

const counting = (partsMax?: number): ReturnType<typeof openDecisionCounts> =>
  openDecisionCounts({ past, now: () => nowMs, ...(partsMax !== undefined && { partsMax }) })

test("a tenant without decisions has counts of nothing, and no share", async () => {
  const { total, complete, actions, stages } = await counting().of(5, "7d")
  assert.deepEqual([total, complete], [0, true])
  assert.deepEqual(actions[0], { action: "allow", count: 0, share: null })
  assert.equal(stages.length, 7)
})

test("counts are of the period, and shares of what they name", async () => {
  const blocked = { action: "block", stage: "TESTED", score: 81 }
  const phone = { identityType: "phone", stage: null, confidence: null, score: 30 } as const
  await past.add([
    newDecision({ at: nowMs - HOUR_MS }),
    newDecision({ at: nowMs - 2 * HOUR_MS, ...blocked }),
    newDecision({ at: nowMs - 3 * HOUR_MS, ...phone, action: "step_up_auth" }),
    newDecision({ at: nowMs - 3 * HOUR_MS, ...phone, action: "allow" }),
    newDecision({ at: nowMs - 3 * HOUR_MS, tenantId: 2 }),
    newDecision({ at: nowMs - 2 * DAY_MS, ...blocked }),
    newDecision({ at: nowMs - 20 * DAY_MS, ...blocked }),
  ])
  const day = await counting().of(1, "24h")
  assert.deepEqual([day.total, day.complete, day.counted_from], [4, true, day.from])
  assert.deepEqual(day.subjects, [
    { subject: "email", count: 2, share: 0.5 },
    { subject: "phone", count: 2, share: 0.5 },
  ])
  const some = <T extends { count: number }>(parts: readonly T[]): T[] =>
    parts.filter(({ count }) => count > 0)
  assert.deepEqual(some(day.actions), [
    { action: "allow", count: 2, share: 0.5 },
    { action: "step_up_auth", count: 1, share: 0.25 },
    { action: "block", count: 1, share: 0.25 },
  ])
  assert.deepEqual(some(day.bands), [
    { band: "low", count: 1, share: 0.25 },
    { band: "elevated", count: 2, share: 0.5 },
    { band: "critical", count: 1, share: 0.25 },
  ])
  // Phone numbers have no stage.
  assert.deepEqual(some(day.stages), [
    { stage: "CLEAN", count: 1, share: 0.5 },
    { stage: "TESTED", count: 1, share: 0.5 },
  ])
  assert.equal((await counting().of(1, "7d")).total, 5)
  assert.equal((await counting().of(1, "30d")).total, 6)
})

test("where there are too many to read, it says since when they are counted", async () => {
  const many = Array.from({ length: 10_000 }, (_, n) =>
    newDecision({ at: nowMs - DAY_MS + n * 8_000, tenantId: 3 }),
  )
  await past.add(many)
  const { total, complete, counted_from: since } = await counting(2).of(3, "24h")
  assert.equal(complete, false)
  assert.equal(total, many.filter(({ at }) => at >= Date.parse(since)).length)
  assert.ok(total > 0 && total < many.length)
  const whole = await counting().of(3, "24h")
  assert.deepEqual([whole.total, whole.complete], [many.length, true])
})

test("who asks while a count is under way gets the same, and a failure is not kept", async () => {
  let fails = true
  const failing = openDecisionCounts({
    past: {
      count: async (part) => {
        if (fails) throw new Error("away")
        return await past.count(part)
      },
    },
    now: () => nowMs,
  })
  await assert.rejects(failing.of(3, "24h"), /away/)
  fails = false
  const [one, other] = [failing.of(3, "24h"), failing.of(3, "24h")]
  assert.equal(one, other)
  assert.equal((await one).total, 10_000)
})
