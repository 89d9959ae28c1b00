import type { Band } from "@assay/core/score"
import { VERSION } from "../../base/version.ts"
import { findingOf, type Severity, type SunkEvent } from "./finding.ts"

/** The version of OCSF that records say. */
export const OCSF_VERSION = "1.8.0"

const FINDINGS = { uid: 2, name: "Findings" }
const DETECTION_FINDING = { uid: 2004, name: "Detection Finding" }
const CREATE = { id: 1, name: "Create" }
/** What each event is to whoever keeps findings: a new one. */
const NEW = { id: 1, name: "New" }
const SEVERITIES: Readonly<Record<Severity, { readonly id: number; readonly name: string }>> = {
  informational: { id: 1, name: "Informational" },
  low: { id: 2, name: "Low" },
  medium: { id: 3, name: "Medium" },
  high: { id: 4, name: "High" },
  critical: { id: 5, name: "Critical" },
}
const RISK_LEVELS: Readonly<Record<Band, { readonly id: number; readonly name: string }>> = {
  low: { id: 1, name: "Low" },
  elevated: { id: 2, name: "Medium" },
  high: { id: 3, name: "High" },
  critical: { id: 4, name: "Critical" },
}
/** Of observables. Phone numbers have no type of their own, so theirs is named. */
const OBSERVED = {
  user: { type_id: 4, type: "User Name" },
  email: { type_id: 5, type: "Email Address" },
  phone: { type_id: 99, type: "Phone Number" },
}
const BEHAVIORAL = { id: 2, name: "Behavioral" }

/** An event as a Detection Finding of OCSF. What OCSF has no member for is in `unmapped`. */
export function ocsfOf(event: SunkEvent): object {
  const finding = findingOf(event)
  const { atMs, severity, isAlert, score, band, title, message, modelVersion } = finding
  const { id: severityId, name: severityName } = SEVERITIES[severity]
  const level = band === null ? null : RISK_LEVELS[band]
  return {
    activity_id: CREATE.id,
    activity_name: CREATE.name,
    category_uid: FINDINGS.uid,
    category_name: FINDINGS.name,
    class_uid: DETECTION_FINDING.uid,
    class_name: DETECTION_FINDING.name,
    type_uid: DETECTION_FINDING.uid * 100 + CREATE.id,
    type_name: `${DETECTION_FINDING.name}: ${CREATE.name}`,
    time: atMs,
    message,
    severity_id: severityId,
    severity: severityName,
    status_id: NEW.id,
    status: NEW.name,
    is_alert: isAlert,
    metadata: {
      version: OCSF_VERSION,
      uid: event.id,
      event_code: event.type,
      ...(event.tenant !== null && { tenant_uid: event.tenant }),
      product: { name: "Assay", vendor_name: "Assay", version: VERSION },
    },
    finding_info: {
      uid: event.id,
      title,
      desc: message,
      types: [event.type],
      created_time: atMs,
      ...(modelVersion !== null && {
        analytic: {
          ...{ name: "Assay risk model", version: modelVersion },
          ...{ type_id: BEHAVIORAL.id, type: BEHAVIORAL.name },
        },
      }),
    },
    ...(score !== null && { risk_score: score }),
    ...(level !== null && { risk_level_id: level.id, risk_level: level.name }),
    ...observed(finding),
    unmapped: { assay: { type: event.type, data: event.data } },
  }
}

function observed({ ref, identity }: ReturnType<typeof findingOf>): object {
  const observables = [
    ...(ref === null ? [] : [{ name: "unmapped.assay.data.ref", ...OBSERVED.user, value: ref }]),
    ...(identity === null
      ? []
      : [
          {
            name: "unmapped.assay.data.identity",
            ...OBSERVED[identity.type],
            value: identity.value,
          },
        ]),
  ]
  return observables.length === 0 ? {} : { observables }
}
