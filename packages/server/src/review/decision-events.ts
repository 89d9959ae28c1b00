import type { EventData } from "@assay/core/contract"
import { decisionEventId, derivedEventId } from "@assay/stores/event-id"
import type { NewEvent } from "@assay/stores/records-events"
import type { NewReview } from "@assay/stores/records-reviews"

export type DecisionKind = "decision.critical" | "decision.review"

/** What events about a decision are made of, besides what a review holds. */
export interface ToldDecision extends NewReview {
  readonly at: number
  readonly band: EventData<DecisionKind>["band"]
  /** The events it is told by. */
  readonly kinds: readonly DecisionKind[]
  /**
   * Whether its journal is of an older format. The events of such a one may be there already, under
   * the ids that an older program made: hashes of kind and decision.
   */
  readonly olderJournal: boolean
}

/** The events about a decision. A journal that is read twice makes the same ones twice. */
export function decisionEvents(told: ToldDecision): NewEvent[] {
  const { id, at, ref, tenantId, identityKey, stage, kinds, olderJournal } = told
  if (kinds.length === 0) return []
  const data: EventData<DecisionKind> = {
    decision_id: id,
    decided_at: new Date(at).toISOString(),
    ref,
    subject: told.identityType,
    risk_score: told.score,
    ...(stage === null ? {} : { threat_stage: stage as Stage }),
    band: told.band,
    recommended_action: told.action as Action,
    reasons: told.reasons,
    model_version: told.modelVersion,
  }
  return kinds.map((kind) => ({
    id: olderJournal ? derivedEventId([kind, id]) : decisionEventId(kind, id),
    ...{ tenantId, kind, at, ref, identityKey, sealed: null, data },
  }))
}

type Stage = NonNullable<EventData<DecisionKind>["threat_stage"]>
type Action = EventData<DecisionKind>["recommended_action"]
