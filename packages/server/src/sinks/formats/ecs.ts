import type { Band } from "@assay/core/score"
import { VERSION } from "../../base/version.ts"
import { findingOf, type Severity, type SunkEvent, type SunkKind } from "./finding.ts"

/** The version of the Elastic Common Schema that documents say. */
export const ECS_VERSION = "9.4.0"

interface Class {
  readonly category: readonly string[]
  readonly type: readonly string[]
}

const THREAT: Class = { category: ["threat"], type: ["indicator"] }
const CLASSES: Readonly<Record<SunkKind, Class>> = {
  "risk.email.changed": THREAT,
  "risk.phone.changed": THREAT,
  "exposure.added": THREAT,
  "decision.critical": THREAT,
  "decision.review": THREAT,
  "key.created": { category: ["iam"], type: ["creation"] },
  "key.rotated": { category: ["iam"], type: ["change"] },
  "key.revoked": { category: ["iam"], type: ["deletion"] },
  "key.quota_reached": { category: ["api"], type: ["denied"] },
  "import.finished": { category: ["database"], type: ["change"] },
  "import.failed": { category: ["database"], type: ["error"] },
  "drop.digest": { category: ["email"], type: ["info"] },
  "webhook.disabled": { category: ["configuration"], type: ["change"] },
  "webhook.test": { category: ["configuration"], type: ["info"] },
  "sink.test": { category: ["configuration"], type: ["info"] },
}

/** Elastic's own levels. */
const LEVELS: Readonly<Record<Band, string>> = {
  low: "Low",
  elevated: "Moderate",
  high: "High",
  critical: "Critical",
}
const SEVERITIES: Readonly<Record<Severity, number>> = {
  informational: 0,
  low: 21,
  medium: 47,
  high: 73,
  critical: 99,
}

/**
 * An event as a document of the Elastic Common Schema. Risk is `static`: calculated outside of the
 * stack. The whole event is under `assay`, a name of our own, which the schema leaves free.
 */
export function ecsOf(event: SunkEvent): object {
  const finding = findingOf(event)
  const { severity, isAlert, score, band, ref, identity, message, reasons } = finding
  const { category, type } = CLASSES[event.type]
  return {
    "@timestamp": event.timestamp,
    ecs: { version: ECS_VERSION },
    message,
    event: {
      id: event.id,
      kind: isAlert ? "alert" : "event",
      ...{ category, type, action: event.type },
      ...{ module: "assay", dataset: "assay.event", provider: "assay" },
      severity: SEVERITIES[severity],
      ...(score !== null && { risk_score: score, risk_score_norm: score }),
      ...(reasons.length > 0 && { reason: reasons.join("; ") }),
    },
    observer: { vendor: "Assay", product: "Assay", version: VERSION },
    ...(event.tenant !== null && { organization: { name: event.tenant } }),
    ...((ref !== null || identity !== null) && {
      user: {
        ...(ref !== null && { id: ref }),
        ...(identity?.type === "email" && { email: identity.value }),
        ...(score !== null &&
          band !== null && {
            risk: { static_score: score, static_score_norm: score, static_level: LEVELS[band] },
          }),
      },
    }),
    assay: { type: event.type, data: event.data },
  }
}
