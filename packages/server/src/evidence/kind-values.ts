import type { EmailSentKind, PhoneSentKind } from "@assay/core/contract"

/** What a kind says besides having been observed. */
export interface KindValue {
  /** The number the index keeps for a value; null for one that does not fit. */
  read(value: unknown): number | null
  /** What a value must be, for the error about one that does not fit. */
  readonly rule: string
}

/** No line is older than a hundred years. */
const DAYS_MAX = 36_525

const days: KindValue = {
  read: (value) =>
    Number.isInteger(value) && (value as number) >= 0 && (value as number) <= DAYS_MAX
      ? (value as number)
      : null,
  rule: `must be whole days, from 0 to ${DAYS_MAX}`,
}

const flag: KindValue = {
  read: (value) => (typeof value === "boolean" ? Number(value) : null),
  rule: "must be true or false",
}

/** The numbers stand in entries, so they never change. */
function word(numbers: Readonly<Record<string, number>>): KindValue {
  const known = new Map(Object.entries(numbers))
  return {
    read: (value) => known.get(value as string) ?? null,
    rule: `must be one of ${[...known.keys()].join(", ")}`,
  }
}

/** The kinds that say nothing without a value; every other takes none. */
export const KIND_VALUES: ReadonlyMap<EmailSentKind | PhoneSentKind, KindValue> = new Map([
  ["line_status", word({ active: 1, inactive: 0, absent: -1 })],
  ["subscription", word({ prepaid: 1, postpaid: 2 })],
  ["call_forwarding", flag],
  ["catch_all", flag],
  ["tenure", days],
  ["sim_unchanged", days],
])
