import assert from "node:assert/strict"
import { test } from "node:test"
import { emailInput, phoneInput } from "../../../core/testing/score/arbitrary-inputs-suite.ts"
import { DAY_MS } from "@assay/runtime/time"
import { newDecisionId } from "@assay/stores/decision-id"
import { type Decision, DECISION_FORMAT, ERASED } from "@assay/stores/decisions"
import type { NewReview } from "@assay/stores/records-reviews"
import { withRef } from "../score/case-ref.ts"
import { openModels } from "../score/models.ts"
import { reviewQueue } from "./review-queue.ts"

const at = Date.UTC(2026, 2, 10)
const input = JSON.stringify(
  emailInput({ signals: [{ type: "attack", source: "s", age: 3, conf: 0.95 }] }),
)

function decision(change: Partial<Decision> = {}): Decision {
  const { at: madeAt = at } = change
  return {
    id: newDecisionId(madeAt),
    at: madeAt,
    tenantId: 7,
    keyId: "k1",
    identityType: "email",
    identityKey: new Uint8Array(16).fill(1),
    modelVersion: "1.1",
    calibration: null,
    score: 85,
    stage: "ATTACKED",
    confidence: "high",
    action: "block",
    input,
    format: DECISION_FORMAT,
    shadow: null,
    ...change,
  }
}

async function queued(decisions: readonly Decision[], days = 90): Promise<readonly NewReview[]> {
  const all: NewReview[] = []
  const queue = reviewQueue({
    loadModels: () => openModels("/nowhere"),
    days,
    now: () => at + DAY_MS,
    add: async (reviews) => void all.push(...reviews),
  })
  await queue(decisions)
  return all
}

test("what is to be reviewed or blocked waits, with its reasons and the name of its case", async () => {
  const one = decision({ input: withRef(input, "order 7") })
  const two = decision({
    identityType: "phone",
    action: "review",
    stage: null,
    input: JSON.stringify(phoneInput()),
  })
  const [first, second, ...others] = await queued([
    one,
    two,
    decision({ action: "allow" }),
    decision({ action: "step_up_auth" }),
    decision({ tenantId: null }),
    decision({ ...ERASED }),
  ])
  assert.deepEqual(others, [])
  const { id, tenantId, keyId, identityKey, identityType, action, stage, score, modelVersion } = one
  assert.deepEqual(first, {
    ...{ id, tenantId, keyId, identityKey, identityType, action, stage, score, modelVersion },
    ...{ reasons: ["ATO_CONFIRMED"], ref: "order 7" },
  })
  assert.deepEqual([second?.id, second?.ref, second?.action], [two.id, null, "review"])
})

test("what is too old or comes while nothing waits is left out", async () => {
  const old = decision({ at: at - 88 * DAY_MS })
  const older = decision({ at: at - 90 * DAY_MS })
  assert.deepEqual(
    (await queued([old, older])).map(({ id }) => id),
    [old.id],
  )
  assert.deepEqual(await queued([decision()], 0), [])
})

test("a decision that cannot be explained waits all the same, and holds up none", async () => {
  const unknown = decision({ modelVersion: "9.9" })
  const broken = decision({ input: "{" })
  const found = await queued([unknown, unknown, broken, decision()])
  assert.deepEqual(
    found.map(({ reasons }) => reasons),
    [[], [], [], ["ATO_CONFIRMED"]],
  )
})
