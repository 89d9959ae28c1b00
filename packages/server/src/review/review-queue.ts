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
import type { NewReview } from "@assay/stores/records-reviews"
import { refIn } from "../score/case-ref.ts"
import type { Models } from "../score/models.ts"

interface QueueOptions {
  /** Called before the first review, and again for a decision of a model that is not known. */
  readonly loadModels: () => Models
  /** How long a decision may wait; 0: none waits. */
  readonly days: number
  readonly now: () => number
  readonly add: (reviews: readonly NewReview[]) => Promise<void>
}

const REVIEWED: ReadonlySet<string> = new Set(REVIEWED_ACTIONS)
/** Journals of a long time may come at once. */
const ROWS_AT_ONCE = 2_000

/** Sends decisions to the analysts whose action says so and that are not too old already. */
export function reviewQueue({
  loadModels,
  days,
  now,
  add,
}: QueueOptions): (decisions: readonly Decision[]) => Promise<void> {
  const reasonsOf = reasonCodes(loadModels)
  return async (decisions) => {
    const oldest = now() - days * DAY_MS
    const reviews = decisions.flatMap((decision): NewReview[] => {
      const { tenantId, action, at, format } = decision
      const waits = REVIEWED.has(action) && at > oldest && days > 0
      if (!waits || tenantId === null || format !== DECISION_FORMAT) return []
      return [
        {
          id: decision.id,
          tenantId,
          keyId: decision.keyId,
          identityKey: decision.identityKey,
          identityType: decision.identityType,
          action,
          stage: decision.stage,
          score: decision.score,
          modelVersion: decision.modelVersion,
          reasons: reasonsOf(decision),
          ref: refIn(decision.input),
        },
      ]
    })
    for (let from = 0; from < reviews.length; from += ROWS_AT_ONCE)
      await add(reviews.slice(from, from + ROWS_AT_ONCE))
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
