import { EVENT_KINDS, EVENTS, type EventItem } from "@assay/core/contract"
import type { SunkEvent } from "../../src/sinks/formats/finding.ts"

/** An event of every kind, as the documentation shows it. */
export function sampleEvents(): readonly SunkEvent[] {
  return EVENT_KINDS.map((type, n) => ({
    id: `evt_01kacbgk5x9v8f2m4q6r7s3t${String(n).padStart(2, "0")}`,
    type,
    timestamp: "2026-11-18T09:30:00.125Z",
    tenant: EVENTS[type].owner === "service" ? null : "acme",
    data: EVENTS[type].example as EventItem["data"],
  }))
}
