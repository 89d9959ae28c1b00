import type { CarrierSettings } from "./camara-settings.ts"

/** Which carrier has the numbers that begin so, by the beginning. */
export type CarrierRanges = ReadonlyMap<string, string>

type Carrier = Pick<CarrierSettings, "name" | "ranges">

/** Of two carriers with the same range the first has it: it is asked first. */
export function carrierRanges(carriers: readonly Carrier[]): CarrierRanges {
  const ranges = new Map<string, string>()
  for (const { name, ranges: own } of carriers)
    for (const range of own) if (!ranges.has(range)) ranges.set(range, name)
  return ranges
}

/** A plus sign and one digit. */
const SHORTEST = 2

/** The carrier whose range fits the number best: the longest decides. null: no carrier's. */
export function carrierFor(e164: string, ranges: CarrierRanges): string | null {
  for (let length = e164.length; length >= SHORTEST; length--) {
    const name = ranges.get(e164.slice(0, length))
    if (name !== undefined) return name
  }
  return null
}
