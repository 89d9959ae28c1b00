import { REVIEWED_ACTIONS } from "@assay/core/contract"
import {
  type EmailInput,
  emailReasonCodes,
  type PhoneInput,
  phoneReasonCodes,
} from "@assay/core/score"
import { isExplained } from "@assay/runtime/explained"
import { DAY_MS } from "@assay/runtime/time"
import { type Decision, DECISION_FORMAT } from "@assay/stores/decisions"
import type { NewEvent } from "@assay/stores/records-events"
import type { NewReview } from "@assay/stores/records-reviews"
import { refIn } from "../score/case-ref.ts"
import type { Models } from "../score/models.ts"
import { decisionEvent, isTold, isYoung } from "./decision-events.ts"

interface QueueOptions {
  /** Called before the first review, and again for a decision of a model that is not known. */
  readonly loadModels: () => Models
  /** How long a decision may wait; 0: none waits. */
  readonly days: number
  readonly now: () => number
  /** Both together: what waits is told, and what is told is there. */
  readonly add: (reviews: readonly NewReview[], events: readonly NewEvent[]) => Promise<void>
}

const REVIEWED: ReadonlySet<string> = new Set(REVIEWED_ACTIONS)
/** Journals of a long time may come at once. */
const ROWS_AT_ONCE = 2_000

/**
 * Sends decisions to the analysts whose action says so and that are not too old already, and tells
 * of these and of critical ones by events. All this is done where journals are folded, so a request
 * pays nothing for it.
 */
export function reviewQueue({
  loadModels,
  days,
  now,
  add,
}: QueueOptions): (decisions: readonly Decision[]) => Promise<void> {
  const reasonsOf = reasonCodes(loadModels)
  return async (decisions) => {
    const at = now()
    let reviews: NewReview[] = []
    let events: NewEvent[] = []
    for (const decision of decisions) {
      const isCritical = isTold(decision, at)
      const waits = isReviewed(decision, at - days * DAY_MS) && days > 0
      if (!isCritical && !waits) continue
      const reasons = reasonsOf(decision)
      if (isCritical) events.push(decisionEvent("decision.critical", decision, reasons))
      if (waits) {
        reviews.push(reviewOf(decision, reasons))
        if (isYoung(decision, at)) events.push(decisionEvent("decision.review", decision, reasons))
      }
      if (reviews.length + events.length < ROWS_AT_ONCE) continue
      await add(reviews, events)
      reviews = []
      events = []
    }
    if (reviews.length + events.length > 0) await add(reviews, events)
  }
}

function isReviewed({ tenantId, action, at, format }: Decision, oldest: number): boolean {
  return REVIEWED.has(action) && at > oldest && tenantId !== null && format === DECISION_FORMAT
}

function reviewOf(decision: Decision, reasons: readonly string[]): NewReview {
  return {
    id: decision.id,
    tenantId: decision.tenantId ?? 0,
    keyId: decision.keyId,
    identityKey: decision.identityKey,
    identityType: decision.identityType,
    action: decision.action,
    stage: decision.stage,
    score: decision.score,
    modelVersion: decision.modelVersion,
    reasons,
    ref: refIn(decision.input),
  }
}

/**
 * What drove a decision, computed again from its input. None where that cannot be done: a decision
 * that cannot be explained must still be looked at, and must not hold up those after it.
 */
function reasonCodes(loadModels: () => Models): (decision: Decision) => string[] {
  let models: Models | null = null
  const missing = new Set<string>()
  return (decision) => {
    const model = `${decision.identityType} ${decision.modelVersion}`
    try {
      models ??= loadModels()
      return codesOf(decision, models)
    } catch (error) {
      // It may have been put there since the models were read, which is found out once.
      if (!isExplained(error, "model-not-loaded") || missing.has(model)) return []
      missing.add(model)
      models = null
    }
    try {
      models = loadModels()
      return codesOf(decision, models)
    } catch {
      return []
    }
  }
}

function codesOf({ identityType, modelVersion, input }: Decision, models: Models): string[] {
  return identityType === "email"
    ? emailReasonCodes(JSON.parse(input) as EmailInput, models.email(modelVersion))
    : phoneReasonCodes(JSON.parse(input) as PhoneInput, models.phone(modelVersion))
}
