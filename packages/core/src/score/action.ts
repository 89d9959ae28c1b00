import { pointsOf, roundHalfUp, type Scale } from "./scale.ts"
import type { Action, Confidence } from "./vocabulary.ts"

/** What each outcome costs, in units of one unnecessary challenge. */
export interface Costs {
  /** A bad actor gets through. */
  readonly loss: number
  /** A good user is challenged. */
  readonly challenge: number
  /** A good user is blocked. */
  readonly wrongBlock: number
  readonly review: number
  /** A good user waits for a review. */
  readonly reviewDelay: number
  /** Share of bad actors a review catches. */
  readonly reviewCatch: number
  /** Share of stolen credentials a challenge stops. */
  readonly stopsTakeover: number
  /** Share of abusive owners a challenge stops; they pass a challenge to their own mailbox. */
  readonly stopsAbuse: number
}

/** What a tenant may price for itself; the rest stays with the model. */
export interface CostSettings {
  readonly loss?: number | null
  readonly challenge?: number | null
  readonly wrongBlock?: number | null
}

export interface ActionCase {
  readonly score: number
  readonly p: number
  /**
   * Chance that somebody else uses the identity, and that its owner is the abuser: uncalibrated.
   */
  readonly takeover: number
  readonly abuse: number
  readonly stepUpEff: number | null
  readonly mayBlock: boolean
  /** False if the findings forbid letting it through, whatever a tenant's costs are. */
  readonly mayAllow: boolean
}

export interface Decision {
  readonly action: Action
  readonly permitted: readonly Action[]
  readonly costs: Readonly<Record<Action, number>>
  readonly edges: Edges
}

/** The scores at which the permitted actions change. */
export interface Edges {
  readonly challenge: number
  readonly block: number
}

/** Costs, and the edges that follow from them. */
export interface Prices {
  readonly costs: Costs
  readonly edges: Edges
}

export function pricesOf(scale: Scale, costs: Costs): Prices {
  return { costs, edges: edgesOf(scale, costs) }
}

/** The prices of the model where the tenant has none of its own. */
export function pricesFor(
  usual: Prices,
  scale: Scale,
  settings: CostSettings | null | undefined,
): Prices {
  return settings == null ? usual : pricesOf(scale, ownCosts(usual.costs, settings))
}

function ownCosts(costs: Costs, settings: CostSettings): Costs {
  const own = {
    loss: settings.loss ?? costs.loss,
    challenge: settings.challenge ?? costs.challenge,
    wrongBlock: settings.wrongBlock ?? costs.wrongBlock,
  }
  if (!(own.loss > 0 && own.challenge > 0 && own.wrongBlock > 0)) {
    throw new RangeError("settings.costs takes numbers above 0")
  }
  return { ...costs, ...own }
}

/** The cheapest action among those the score permits; of equal costs, the first permitted. */
export function decide({ costs, edges }: Prices, facts: ActionCase): Decision {
  const permitted = permittedAt(edges, facts)
  const expected = expectedCosts(costs, facts)
  let action = permitted[0]
  for (const other of permitted) if (expected[other] < expected[action]) action = other
  return { action, permitted, costs: expected, edges }
}

// The break-even odds of challenge against allow, and of block against challenge. The costs of the
// model put them on the band edges 25 and 80; a tenant's own costs move them. How well a challenge
// works in one context moves neither: a weak challenge is no reason to wave a risk through.
export function edgesOf(scale: Scale, costs: Costs): Edges {
  const { loss, challenge, wrongBlock, stopsTakeover } = costs
  const challengeEdge = roundHalfUp(pointsOf(scale, Math.log(challenge / (loss * stopsTakeover))))
  if (wrongBlock <= challenge) return { challenge: challengeEdge, block: challengeEdge }
  const blockOdds = (wrongBlock - challenge) / (loss * (1 - stopsTakeover))
  const blockEdge = roundHalfUp(pointsOf(scale, Math.log(blockOdds)))
  return { challenge: challengeEdge, block: Math.max(challengeEdge, blockEdge) }
}

type Permitted = readonly [Action, ...Action[]]
const ALLOW: Permitted = ["allow"]
const CHALLENGE: Permitted = ["step_up_auth", "review"]
const BLOCK: Permitted = ["block", "review"]
const REVIEW: Permitted = ["review"]

function permittedAt(edges: Edges, { score, mayAllow, mayBlock }: ActionCase): Permitted {
  if (score < edges.challenge) return mayAllow ? ALLOW : CHALLENGE
  if (score < edges.block) return CHALLENGE
  return mayBlock ? BLOCK : REVIEW
}

function expectedCosts(costs: Costs, facts: ActionCase): Record<Action, number> {
  const { p, takeover, abuse } = facts
  const stopsTakeover = facts.stepUpEff ?? costs.stopsTakeover
  const abuseOnly = (1 - takeover) * abuse
  const missed = takeover * (1 - stopsTakeover) + abuseOnly * (1 - costs.stopsAbuse)
  // A calibrated p keeps the shares that the two causes have in the uncalibrated one.
  const calibrated = p / (takeover + abuseOnly)
  return {
    allow: costs.loss * p,
    step_up_auth: costs.loss * missed * calibrated + costs.challenge * (1 - p),
    review: costs.review + costs.reviewDelay * (1 - p) + costs.loss * p * (1 - costs.reviewCatch),
    block: costs.wrongBlock * (1 - p),
  }
}

/**
 * Whether blocking may be considered at all: never on a guess, and on request only when confirmed.
 */
export function blockIsPermitted(
  confidence: Confidence,
  confirmed: boolean,
  confirmedBeforeBlock: boolean,
): boolean {
  return confidence !== "low" && (confirmed || !confirmedBeforeBlock)
}
