import { findingOf, type SunkEvent } from "./finding.ts"

/** A row of the table that `deploy/sentinel` makes in a workspace of Microsoft Sentinel. */
export function sentinelOf(event: SunkEvent): object {
  const { message, severity, score, band, stage, action, reasons, ref, identity } = findingOf(event)
  return {
    TimeGenerated: event.timestamp,
    EventId: event.id,
    EventType: event.type,
    Tenant: event.tenant,
    Severity: severity,
    Message: message,
    Ref: ref,
    Identity: identity?.value ?? null,
    RiskScore: score,
    RiskLevel: band,
    ThreatStage: stage,
    RecommendedAction: action,
    Reasons: reasons,
    Data: event.data,
  }
}
