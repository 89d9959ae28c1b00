import type { EmailInput } from "@assay/core/score"
import { Random } from "../random.ts"
import { seenEvidence } from "./exposures.ts"
import { leaksOf } from "./leaks.ts"
import { somePerson, type DomainClass } from "./person.ts"
import { takeoversOf } from "./takeovers.ts"
import { seenTrust } from "./trust.ts"

/** What the service would see of a simulated identity, and what became of it. */
export interface Identity {
  readonly input: EmailInput
  readonly domain: DomainClass
  /** Its credentials were used against it within a year. */
  readonly takeover: boolean
  /** It belonged to an abuser. */
  readonly abuse: boolean
}

// No clock: every simulated identity is scored on the same day.
const AS_OF = "2026-11-02"
const SOURCES = 14

/** The identity with this number. The same seed and number always give the same one. */
export function identityAt(seed: number, number: number): Identity {
  const random = new Random(seed, number)
  const person = somePerson(random)
  const leaks = leaksOf(person, random)
  const takeovers = takeoversOf(person, leaks, random)
  const { exposures, signals } = seenEvidence(leaks, takeovers, random)
  const { trust, coverage } = seenTrust(person, exposures, random)
  return {
    input: {
      as_of: AS_OF,
      checked: { sources: SOURCES, newestImport: AS_OF },
      exposures,
      signals,
      trust,
      rotatedAge: person.rotatedDays === null ? null : Math.floor(person.rotatedDays),
      coverage,
    },
    domain: person.domain,
    takeover: takeovers.takenOver,
    abuse: person.abuser,
  }
}
