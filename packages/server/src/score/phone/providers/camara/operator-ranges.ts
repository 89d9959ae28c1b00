import type { OperatorSettings } from "../provider-settings.ts"

/** Which operator has the numbers that begin so, by the beginning. */
export type OperatorRanges = ReadonlyMap<string, string>

type Operator = Pick<OperatorSettings, "name" | "ranges">

/** Of two operators with the same range the first has it: it is asked first. */
export function operatorRanges(operators: readonly Operator[]): OperatorRanges {
  const ranges = new Map<string, string>()
  for (const { name, ranges: own } of operators)
    for (const range of own) if (!ranges.has(range)) ranges.set(range, name)
  return ranges
}

/** A plus sign and one digit. */
const SHORTEST = 2

/** The operator whose range fits the number best: the longest decides. null: no operator's. */
export function operatorFor(e164: string, ranges: OperatorRanges): string | null {
  for (let length = e164.length; length >= SHORTEST; length--) {
    const name = ranges.get(e164.slice(0, length))
    if (name !== undefined) return name
  }
  return null
}
