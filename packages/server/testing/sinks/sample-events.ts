import { EVENTS } from "@assay/core/contract"
import { SUNK_KINDS, type SunkEvent, type SunkKind } from "../../src/sinks/formats/finding.ts"

/** One of every kind that a sink gets, as the documentation shows it. */
export function sampleEvents(): readonly SunkEvent[] {
  return SUNK_KINDS.map((type, n) => ({
    id: `evt_01kacbgk5x9v8f2m4q6r7s3t${String(n).padStart(2, "0")}`,
    type,
    timestamp: "2026-11-18T09:30:00.125Z",
    ...sampleOf(type),
  }))
}

function sampleOf(type: SunkKind): Pick<SunkEvent, "tenant" | "data"> {
  if (type === "sink.test") return { tenant: null, data: { sink: "soc" } }
  const { owner, example } = EVENTS[type]
  return { tenant: owner === "service" ? null : "acme", data: { ...example } }
}
