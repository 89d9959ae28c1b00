import assert from "node:assert/strict"
import { test } from "node:test"
import { newDecision } from "../testing/decisions-suite.ts"
import { blockOf, PAIRS, passing, textsOf } from "./decision-block.ts"
import { listSearch } from "./decision-search.ts"
import type { DecisionFilter } from "./decisions.ts"

const decisions = [
  newDecision({ at: 1, action: "allow", stage: "CLEAN", score: 3 }),
  newDecision({ at: 2, action: "block", stage: "TESTED", score: 80 }),
  newDecision({ at: 3, action: "block", stage: "TRADED", score: 79 }),
  newDecision({ at: 4, action: "review", stage: null, identityType: "phone", score: 25 }),
]
const block = blockOf(decisions)

/** Whether an engine would read the block, as both of them decide it. */
function isRead(outcomes: string, filter: DecisionFilter): boolean {
  const texts = textsOf({ ...filter })
  return (
    texts.outcomes.every((text) => outcomes.includes(text)) &&
    texts.pairs.every(
      (some) => !outcomes.includes(PAIRS) || some.some((text) => outcomes.includes(text)),
    )
  )
}

const filters: [filter: DecisionFilter, found: number][] = [
  [{ action: "block", scores: [80, 100] }, 1],
  [{ action: "block", scores: [60, 79] }, 1],
  [{ action: "block", scores: [0, 24] }, 0],
  [{ action: "allow", scores: [80, 100] }, 0],
  [{ stage: "TRADED", scores: [80, 100] }, 0],
  [{ stage: "CLEAN", scores: [0, 24] }, 1],
  [{ identityType: "phone", scores: [25, 59] }, 1],
  [{ identityType: "phone", scores: [60, 79] }, 0],
  // A range of several parts needs one of them.
  [{ action: "review", scores: [20, 100] }, 1],
  [{ action: "allow", scores: [25, 100] }, 0],
]

test("a block that has an action and a band, and never in one decision, is not read", () => {
  for (const [filter, found] of filters) {
    const search = listSearch({ ...filter, limit: 9 })
    assert.equal(passing(block, search).length, found, JSON.stringify(filter))
    assert.equal(isRead(block.outcomes, filter), found > 0, JSON.stringify(filter))
  }
})

test("a block of before, which tells no pairs, is read and finds the same", () => {
  const kept = (JSON.parse(block.outcomes) as unknown[]).filter((each) => Array.isArray(each))
  const before = { ...block, outcomes: JSON.stringify(kept) }
  for (const [filter, found] of filters) {
    const search = listSearch({ ...filter, limit: 9 })
    assert.equal(passing(before, search).length, found, JSON.stringify(filter))
    assert.ok(isRead(before.outcomes, filter), JSON.stringify(filter))
  }
})
