// How well probabilities fit what happened. None of these depends on the order of the rows.

/** A probability that was given, and whether it came about. */
export interface Outcome {
  readonly p: number
  readonly bad: boolean
}

/** Rows of similar probability, seen as one. */
export interface OutcomeBin {
  readonly rows: number
  readonly meanP: number
  readonly badRate: number
}

/** Mean squared error (Brier 1950): 0 is perfect. */
export function brierScore(outcomes: readonly Outcome[]): number {
  return mean(outcomes, ({ p, bad }) => (p - (bad ? 1 : 0)) ** 2)
}

/** Mean surprise in nats: 0 is perfect, and a wrong certainty has no limit. */
export function logLoss(outcomes: readonly Outcome[]): number {
  return mean(outcomes, ({ p, bad }) => -Math.log(bad ? p : 1 - p))
}

/** Expected calibration error: the distance of promise and outcome, over bins of equal mass. */
export function calibrationError(outcomes: readonly Outcome[], bins: number): number {
  const gaps = equalMassBins(outcomes, bins).reduce(
    (sum, { rows, meanP, badRate }) => sum + rows * Math.abs(meanP - badRate),
    0,
  )
  return gaps / outcomes.length
}

/**
 * Bins by rising probability, as equal in size as possible while equal probabilities share a bin.
 * So there may be fewer bins than requested, and never an empty one.
 */
export function equalMassBins(outcomes: readonly Outcome[], bins: number): OutcomeBin[] {
  const sorted = byRisingP(outcomes)
  const found: OutcomeBin[] = []
  let from = 0
  for (let bin = 1; bin <= bins && from < sorted.length; bin++) {
    const to = endOfTies(sorted, Math.round((sorted.length * bin) / bins) - 1)
    if (to <= from) continue
    const members = sorted.slice(from, to)
    found.push({
      rows: members.length,
      meanP: mean(members, ({ p }) => p),
      badRate: mean(members, ({ bad }) => (bad ? 1 : 0)),
    })
    from = to
  }
  return found
}

/**
 * The chance that a bad row has the higher of two probabilities, half of it for a tie
 * (Mann-Whitney); null where one of the two outcomes is missing.
 */
export function rocAuc(outcomes: readonly Outcome[]): number | null {
  const sorted = byRisingP(outcomes)
  let good = 0
  let bad = 0
  let wins = 0
  for (let from = 0; from < sorted.length;) {
    const to = endOfTies(sorted, from)
    const tiedBad = sorted.slice(from, to).filter((row) => row.bad).length
    const tiedGood = to - from - tiedBad
    wins += tiedBad * (good + tiedGood / 2)
    good += tiedGood
    bad += tiedBad
    from = to
  }
  return good === 0 || bad === 0 ? null : wins / (good * bad)
}

/** The 97.5th percentile of the normal distribution, for intervals of 95 %. */
const Z = 1.959963984540054

/**
 * Between what a share lies by what was counted, with a confidence of 95 % (Wilson 1927). Unlike
 * the textbook interval it stays within 0 and 1 and does not shrink to nothing at either end.
 */
export function wilsonInterval(bad: number, rows: number): readonly [low: number, high: number] {
  if (rows === 0) return [0, 1]
  const share = bad / rows
  const spread = (Z * Z) / rows
  const middle = (share + spread / 2) / (1 + spread)
  const half = (Z * Math.sqrt((share * (1 - share)) / rows + spread / (4 * rows))) / (1 + spread)
  // Where all or none are bad, that end is exact, and rounding must not move it.
  return [bad === 0 ? 0 : middle - half, bad === rows ? 1 : middle + half]
}

function byRisingP(outcomes: readonly Outcome[]): Outcome[] {
  return outcomes.toSorted((a, b) => a.p - b.p)
}

/** Where the run of equal probabilities ends that the row at `at` belongs to. */
function endOfTies(sorted: readonly Outcome[], at: number): number {
  const p = sorted[at]?.p
  let end = at + 1
  while (end < sorted.length && sorted[end]?.p === p) end++
  return end
}

function mean<T>(rows: readonly T[], value: (row: T) => number): number {
  return rows.reduce((sum, row) => sum + value(row), 0) / rows.length
}
