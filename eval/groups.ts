import type { ScoredIdentity } from "./scored-identities.ts"

/**
 * A property that splits results into groups, so that an average does not hide a group it fails.
 */
interface Grouping {
  readonly factor: string
  readonly names: readonly string[]
  readonly nameOf: (row: ScoredIdentity) => string
}

export const groups: readonly Grouping[] = [
  {
    factor: "domain",
    names: ["free", "own", "unlisted", "masked", "disposable"],
    nameOf: ({ domain }) => domain,
  },
  {
    factor: "age of the address",
    names: [
      "unknown",
      "under 30 days",
      "30 days to 1 year",
      "1 to 3 years",
      "3 to 10 years",
      "older",
    ],
    nameOf: ({ emailAgeDays }) => ageName(emailAgeDays),
  },
  { factor: "masked", names: ["yes", "no"], nameOf: ({ masked }) => (masked ? "yes" : "no") },
  {
    factor: "confidence",
    names: ["low", "medium", "high"],
    nameOf: ({ confidence }) => confidence,
  },
]

function ageName(days: number | null): string {
  if (days === null) return "unknown"
  if (days < 30) return "under 30 days"
  if (days < 365) return "30 days to 1 year"
  if (days < 1_095) return "1 to 3 years"
  return days < 3_650 ? "3 to 10 years" : "older"
}
