import type { SourceDescription } from "@assay/stores/exposure-index"

/**
 * What names of carriers begin with, in sources as in the providers of signals. No import can take
 * such a name.
 */
const PREFIX = "camara:"

/** The name of the source that a carrier's notifications are kept under. */
export function carrierSourceName(carrier: string): string {
  return `${PREFIX}${carrier}`
}

/** A carrier knows its own network: nothing it says of its numbers is guessed. */
export function carrierSource(name: string): SourceDescription {
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
