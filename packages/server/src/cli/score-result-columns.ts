import type { IdentityType } from "@assay/core/identity"
import type { Outcome } from "./score-row.ts"

/** The members of a result that become columns, in this order; `problem` follows them. */
export const RESULT_COLUMNS = {
  email: [
    "risk_score",
    "confidence",
    "threat_stage",
    "exposed",
    "exposure_count",
    "last_seen",
    "recommended_action",
    "risk_reasons",
  ],
  phone: [
    "risk_score",
    "risk_level",
    "sim_swap_risk",
    "sim_change_detected",
    "sim_change_window",
    "ownership_confidence",
    "network_continuity",
    "number_type",
    "carrier_region",
    "recommendation",
    "risk_reasons",
  ],
} as const

/** Names of the added columns; all with a prefix where the input has one of them already. */
export function addedNames(identityType: IdentityType, taken: readonly string[]): string[] {
  const names = [...RESULT_COLUMNS[identityType], "problem"]
  return names.some((name) => taken.includes(name)) ? names.map((name) => `assay_${name}`) : names
}

/** The cells of the added columns. What is not known, and what there is no result for, is empty. */
export function addedCells(identityType: IdentityType, { result, problem }: Outcome): string[] {
  const cells = RESULT_COLUMNS[identityType].map((name) => cellOf(result?.[name]))
  return [...cells, problem ?? ""]
}

function cellOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(String).join("; ")
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : ""
}
