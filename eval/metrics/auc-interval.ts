import { rocAuc, type Outcome } from "@assay/core/score"

export interface AucInterval {
  readonly auc: number
  readonly low: number
  readonly high: number
}

/** The two-sided 95 % point of the normal distribution. */
const Z = 1.959964

/**
 * The area under the ROC curve with its 95 % interval after DeLong, DeLong and Clarke-Pearson
 * (1988), by mid-ranks as in Sun and Xu (2014); null where there are fewer than two of either
 * outcome.
 */
export function aucInterval(outcomes: readonly Outcome[]): AucInterval | null {
  const bad = outcomes.filter((outcome) => outcome.bad)
  const good = outcomes.filter((outcome) => !outcome.bad)
  const auc = rocAuc(outcomes)
  if (auc === null || bad.length < 2 || good.length < 2) return null
  const among = midRanks(outcomes)
  // For each row the share of the other outcome that it beats, a tie as a half.
  const shares = (own: readonly Outcome[], others: number): number[] => {
    const alone = midRanks(own)
    return own.map(({ p }) => ((among.get(p) ?? 0) - (alone.get(p) ?? 0)) / others)
  }
  const spread =
    variance(shares(bad, good.length)) / bad.length +
    variance(shares(good, bad.length)) / good.length
  const reach = Z * Math.sqrt(spread)
  return { auc, low: Math.max(0, auc - reach), high: Math.min(1, auc + reach) }
}

/** The mean rank of each probability, counted from 1. */
function midRanks(outcomes: readonly Outcome[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  for (const { p } of outcomes) counts.set(p, (counts.get(p) ?? 0) + 1)
  const ranks = new Map<number, number>()
  let below = 0
  for (const [p, count] of [...counts].sort(([one], [other]) => one - other)) {
    ranks.set(p, below + (count + 1) / 2)
    below += count
  }
  return ranks
}

function variance(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1)
}
