/**
 * The terms of a score as they are printed: in hundredths, the last of them what is left to the
 * score. Each rounded by itself, they could miss the score by a hundredth, and whoever adds them up
 * would find a fault that is none.
 */
export function inHundredths(
  terms: readonly number[],
  score: number,
): readonly [...number[], rounding: number] {
  const printed = terms.map((term) => Math.round(term * 100))
  const rounding = printed.reduce((left, term) => left - term, score * 100)
  return [...printed.map(asPoints), asPoints(rounding)]
}

const asPoints = (hundredths: number): number => hundredths / 100
