import { BANDS, type EmailModel, type PhoneModel } from "@assay/core/score"
import { percent, table } from "./page.ts"

type Model = EmailModel | PhoneModel

/** What a score means as a probability, at the edges of the bands. */
export function scaleSection({ scale, costs }: Model): string {
  const { anchorPoints, anchorOdds, pointsToDouble } = scale
  const odds = (points: number): number =>
    2 ** ((points - anchorPoints) / pointsToDouble) / anchorOdds
  const rows = BANDS.map(({ name, from }, i) => {
    const to = (BANDS[i + 1]?.from ?? 101) - 1
    return [name, `${from} to ${to}`, percent(odds(from) / (1 + odds(from)))]
  })
  const challenge = costs.challenge / (costs.loss * costs.stopsTakeover)
  const block = (costs.wrongBlock - costs.challenge) / (costs.loss * (1 - costs.stopsTakeover))
  const pointsAt = (at: number): number =>
    Math.round(anchorPoints + pointsToDouble * Math.log2(at * anchorOdds))
  return [
    "## Scale and action",
    `The score is linear in log-odds: ${anchorPoints} points are odds of 1 to ${anchorOdds}, and every ${pointsToDouble} points double the odds.`,
    table(["Band", "Score", "Nominal probability at its lower edge"], rows),
    `The action is the cheapest of those the score permits. Costs are in units of one unnecessary challenge: ${costs.loss} when a bad actor gets through, ${costs.wrongBlock} for blocking a good user, ${costs.review} for a review and ${costs.reviewDelay} for the wait; a challenge stops ${percent(costs.stopsTakeover)} of stolen credentials and ${percent(costs.stopsAbuse)} of abusive owners, a review finds ${percent(costs.reviewCatch)} of bad actors. A challenge pays from ${pointsAt(challenge)} points on, a block from ${pointsAt(block)}.`,
  ].join("\n\n")
}

/** A table of steps or of points to interpolate between, in one line. */
export function points(of: readonly (readonly [number, number])[], unit: string): string {
  return of.map(([x, nats]) => `${x}${unit}: ${nats > 0 ? "+" : ""}${nats}`).join("; ")
}

/** The sentences of a model's texts, at any nesting. */
export function sentencesOf(texts: unknown): string {
  if (typeof texts === "string") return texts
  return Object.values(texts as Record<string, unknown>)
    .map(sentencesOf)
    .join(" / ")
}
