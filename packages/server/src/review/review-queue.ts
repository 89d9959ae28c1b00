import { EVENT_DAYS, REVIEWED_ACTIONS } from "@assay/core/contract"
import {
  bandOf,
  type EmailInput,
  emailReasonCodes,
  type PhoneInput,
  phoneReasonCodes,
} from "@assay/core/score"
import { isExplained } from "@assay/runtime/explained"
import { DAY_MS } from "@assay/runtime/time"
import { type Decision, DECISION_FORMAT } from "@assay/stores/decisions"
import { refIn } from "../score/case-ref.ts"
import type { Models } from "../score/models.ts"
import type { DecisionKind } from "./decision-events.ts"
import type { QueuedDecision } from "./queued-decisions.ts"

interface QueueOptions {
  /** Called before the first review, and again for a decision of a model that is not known. */
  readonly loadModels: () => Models
  /** How long a decision may wait; 0: none waits. */
  readonly days: number
  readonly now: () => number
  /** Reviews and events together: what waits is told, and what is told is there. */
  readonly add: (queued: readonly QueuedDecision[]) => Promise<void>
}

const REVIEWED: ReadonlySet<string> = new Set(REVIEWED_ACTIONS)
/** Journals of a long time may come at once. A decision is a review and two events at most. */
const DECISIONS_AT_ONCE = 700

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
}: QueueOptions): (
  decisions: readonly Decision[],
  from: { olderJournal: boolean },
) => Promise<void> {
  const reasonsOf = reasonCodes(loadModels)
  return async (decisions, { olderJournal }) => {
    const at = now()
    const oldest = { review: at - days * DAY_MS, event: at - EVENT_DAYS * DAY_MS }
    let queued: QueuedDecision[] = []
    for (const decision of decisions) {
      const { tenantId } = decision
      if (tenantId === null || decision.format !== DECISION_FORMAT) continue
      const waits = days > 0 && decision.at > oldest.review && REVIEWED.has(decision.action)
      const band = bandOf(decision.score)
      const kinds: DecisionKind[] = []
      if (decision.at > oldest.event) {
        if (band === "critical") kinds.push("decision.critical")
        if (waits) kinds.push("decision.review")
      }
      if (!waits && kinds.length === 0) continue
      queued.push({
        id: decision.id,
        at: decision.at,
        tenantId,
        keyId: decision.keyId,
        identityKey: decision.identityKey,
        identityType: decision.identityType,
        action: decision.action,
        stage: decision.stage,
        score: decision.score,
        modelVersion: decision.modelVersion,
        reasons: reasonsOf(decision),
        ref: refIn(decision.input),
        ...{ band, kinds, waits, olderJournal },
      })
      if (queued.length < DECISIONS_AT_ONCE) continue
      await add(queued)
      queued = []
    }
    if (queued.length > 0) await add(queued)
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
