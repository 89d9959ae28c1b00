import { findingOf, type SunkEvent } from "./finding.ts"

/** An event for Splunk's HTTP Event Collector, with what its risk-based alerting looks for. */
export function splunkOf(event: SunkEvent, host: string): object {
  const { atMs, message, severity, score, ref } = findingOf(event)
  const { id, type, timestamp, tenant, data } = event
  return {
    // Seconds with their fraction.
    time: atMs / 1000,
    host,
    source: "assay",
    sourcetype: "assay:event",
    event: {
      ...{ id, type, timestamp, tenant, severity, message, data },
      ...(ref !== null &&
        score !== null && {
          ...{ risk_object: ref, risk_object_type: "user" },
          ...{ risk_score: score, risk_message: message },
        }),
    },
  }
}
