/** The middle value; with an even count, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError("nothing has no median")
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const upper = sorted[Math.floor(middle)] as number
  const lower = sorted[Math.ceil(middle) - 1] as number
  return (lower + upper) / 2
}
