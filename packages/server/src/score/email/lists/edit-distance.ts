/**
 * Whether one slip of the keyboard turns one text into the other: a letter added, left out or
 * replaced, or two neighbours swapped (Damerau-Levenshtein distance 1). Equal texts are not one
 * slip apart.
 */
export function isOneSlipApart(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a]
  if (long.length - short.length > 1) return false
  let start = 0
  while (start < short.length && short[start] === long[start]) start++
  let tail = 0
  while (
    tail < short.length - start &&
    short[short.length - 1 - tail] === long[long.length - 1 - tail]
  )
    tail++
  // What is left between the common beginning and the common end.
  const [leftShort, leftLong] = [short.length - start - tail, long.length - start - tail]
  if (leftShort === 0) return leftLong === 1
  if (leftShort === 1) return leftLong === 1
  return (
    leftShort === 2 &&
    leftLong === 2 &&
    short[start] === long[start + 1] &&
    short[start + 1] === long[start]
  )
}
