/** The middle value; with an even count, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError("nothing has no median")
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const upper = sorted[Math.floor(middle)] as number
  const lower = sorted[Math.ceil(middle) - 1] as number
  return (lower + upper) / 2
}

/** The value that this share of all values does not pass: 0.95 for p95. */
export function percentile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new RangeError("nothing has no percentiles")
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] as number
}
