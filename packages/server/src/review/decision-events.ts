import { EVENT_DAYS, type EventData } from "@assay/core/contract"
import { bandOf } from "@assay/core/score"
import { DAY_MS } from "@assay/runtime/time"
import { type Decision, DECISION_FORMAT } from "@assay/stores/decisions"
import { derivedEventId } from "@assay/stores/event-id"
import type { NewEvent } from "@assay/stores/records-events"
import { refIn } from "../score/case-ref.ts"

type DecisionKind = "decision.critical" | "decision.review"

/** Whether an event about a decision would be kept for a while. */
export function isYoung({ at }: Decision, nowMs: number): boolean {
  return at > nowMs - EVENT_DAYS * DAY_MS
}

/** Whether a decision is told for its band, whatever its action. */
export function isTold(decision: Decision, nowMs: number): boolean {
  const { tenantId, score, format } = decision
  if (tenantId === null || format !== DECISION_FORMAT || bandOf(score) !== "critical") return false
  return isYoung(decision, nowMs)
}

/** An event about a decision. A journal that is read twice makes the same one twice. */
export function decisionEvent(
  kind: DecisionKind,
  decision: Decision,
  reasons: readonly string[],
): NewEvent {
  const { id, at, tenantId, identityKey, stage } = decision
  const ref = refIn(decision.input)
  const data: EventData<DecisionKind> = {
    decision_id: id,
    decided_at: new Date(at).toISOString(),
    ref,
    subject: decision.identityType,
    risk_score: decision.score,
    ...(stage === null ? {} : { threat_stage: stage as Stage }),
    band: bandOf(decision.score),
    recommended_action: decision.action as Action,
    reasons,
    model_version: decision.modelVersion,
  }
  return {
    id: derivedEventId([kind, id]),
    tenantId,
    kind,
    at,
    ref,
    identityKey,
    sealed: null,
    data,
  }
}

type Stage = NonNullable<EventData<DecisionKind>["threat_stage"]>
type Action = EventData<DecisionKind>["recommended_action"]
