import type { SourceDescription } from "@assay/stores/exposure-index"

/**
 * What names of operators begin with, in sources as in the providers of signals. No import can take
 * such a name.
 */
const PREFIX = "camara:"

/** The name of the source that an operator's notifications are kept under. */
export function operatorSourceName(operator: string): string {
  return `${PREFIX}${operator}`
}

/** An operator knows its own network: nothing it says of its numbers is guessed. */
export function operatorSource(name: string): SourceDescription {
  return {
    name,
    title: `SIM changes reported by ${name.slice(PREFIX.length)}`,
    kind: "sim_change",
    confidence: 1,
    classes: [],
    flags: { spamList: false, fabricated: false, sensitive: false, verified: true },
    eventDate: null,
    circulates: false,
  }
}
