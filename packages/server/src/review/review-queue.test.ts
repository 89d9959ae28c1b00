import assert from "node:assert/strict"
import { test } from "node:test"
import { EVENT_ID_PATTERN, EVENTS } from "@assay/core/contract"
import { Value } from "typebox/value"
import { closed } from "../../../core/testing/closed.ts"
import { emailInput, phoneInput } from "../../../core/testing/score/arbitrary-inputs-suite.ts"
import { DAY_MS } from "@assay/runtime/time"
import { newDecisionId } from "@assay/stores/decision-id"
import { decisionEventId, derivedEventId } from "@assay/stores/event-id"
import { type Decision, DECISION_FORMAT, ERASED } from "@assay/stores/decisions"
import type { NewEvent } from "@assay/stores/records-events"
import type { NewReview } from "@assay/stores/records-reviews"
import { withRef } from "../score/case-ref.ts"
import { openModels } from "../score/models.ts"
import { type QueuedDecision, queuedText, readQueued, rowsAbout } from "./queued-decisions.ts"
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
  return (await queuedAndTold(decisions, days)).reviews
}

async function queuedAndTold(
  decisions: readonly Decision[],
  days = 90,
  olderJournal = false,
): Promise<{ reviews: readonly NewReview[]; events: readonly NewEvent[] }> {
  const found: QueuedDecision[] = []
  const queue = reviewQueue({
    loadModels: () => openModels("/nowhere"),
    days,
    now: () => at + DAY_MS,
    async add(queued) {
      // As they go from thread to thread.
      found.push(...readQueued(queuedText(queued)))
      assert.deepEqual(readQueued(queuedText(queued)), queued)
    },
  })
  await queue(decisions, { olderJournal })
  return rowsAbout(found)
}

test("critical decisions and those that wait are told, as the contract has it", async () => {
  const one = decision({ input: withRef(input, "order 7") })
  const two = decision({ score: 61, action: "review" })
  const three = decision({ score: 90, action: "step_up_auth" })
  const phone = decision({
    ...{ identityType: "phone", stage: null, score: 82, action: "review" },
    input: JSON.stringify(phoneInput()),
  })
  const { events } = await queuedAndTold([
    one,
    two,
    three,
    phone,
    decision({ score: 79, action: "allow" }),
    decision({ tenantId: null }),
    decision({ ...ERASED }),
  ])
  assert.deepEqual(
    events.map(({ kind, data }) => [kind, (data as { decision_id: string }).decision_id]),
    [
      ["decision.critical", one.id],
      ["decision.review", one.id],
      ["decision.review", two.id],
      ["decision.critical", three.id],
      ["decision.critical", phone.id],
      ["decision.review", phone.id],
    ],
  )
  const { data, id, ...first } = events[0] as NewEvent
  const { tenantId, identityKey } = one
  assert.deepEqual(first, {
    ...{ tenantId, kind: "decision.critical", at, ref: "order 7", identityKey, sealed: null },
  })
  assert.deepEqual(data, {
    decision_id: one.id,
    decided_at: new Date(at).toISOString(),
    ref: "order 7",
    subject: "email",
    risk_score: 85,
    threat_stage: "ATTACKED",
    band: "critical",
    recommended_action: "block",
    reasons: ["ATO_CONFIRMED"],
    model_version: "1.1",
  })
  for (const { kind, data: body } of events)
    assert.ok(Value.Check(closed(EVENTS[kind].data), body), kind)
  // A journal that is read again makes the same events.
  const again = await queuedAndTold([one])
  assert.deepEqual(again.events[0]?.id, id)
  assert.equal(new Set(events.map((each) => each.id)).size, events.length)
  for (const event of events) assert.match(event.id, new RegExp(EVENT_ID_PATTERN))
})

test("events about decisions of an older journal have the ids that an older program gave them", async () => {
  const told = decision()
  const kinds = ["decision.critical", "decision.review"] as const
  const { events } = await queuedAndTold([told], 90, true)
  assert.deepEqual(
    events.map(({ id }) => id),
    kinds.map((kind) => derivedEventId([kind, told.id])),
  )
  const now = await queuedAndTold([told])
  assert.deepEqual(
    now.events.map(({ id }) => id),
    kinds.map((kind) => decisionEventId(kind, told.id)),
  )
})

test("a thousand decisions at once go in several steps, and none is lost or doubled", async () => {
  const many = Array.from({ length: 1_500 }, () => decision())
  const { reviews, events } = await queuedAndTold(many)
  assert.deepEqual(
    reviews.map(({ id }) => id),
    many.map(({ id }) => id),
  )
  assert.equal(new Set(events.map(({ id }) => id)).size, 3_000)
})

test("nobody is told of what is too old, or that something waits where nothing does", async () => {
  const old = decision({ at: at - 40 * DAY_MS })
  const { reviews, events } = await queuedAndTold([old])
  assert.deepEqual([reviews.length, events.length], [1, 0])
  const off = await queuedAndTold([decision()], 0)
  assert.deepEqual(
    [off.reviews.length, off.events.map(({ kind }) => kind)],
    [0, ["decision.critical"]],
  )
})

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
    ...{ reasons: ["ATO_CONFIRMED"], ref: "order 7", at, band: "critical" },
    ...{ kinds: ["decision.critical", "decision.review"], waits: true, olderJournal: false },
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
