import { type CostSettings, type Costs, decide, type Edges, pricesFor, pricesOf } from "./action.ts"
import { logOddsOf, scaleOf, type ScaleDocument, sigmoid } from "./scale.ts"
import type { Action } from "./vocabulary.ts"

/** What each action is expected to cost at a score, and the one that is taken there. */
export interface CostPoint {
  readonly score: number
  readonly costs: Readonly<Record<Action, number>>
  readonly action: Action
}

export interface CostCurve {
  readonly costs: Costs
  readonly edges: Edges
  /** One for each score from 0 to 100. */
  readonly points: readonly CostPoint[]
}

/** What of a policy decides about actions. */
export interface CurveSettings {
  readonly costs?: CostSettings | null | undefined
  readonly confirmedBeforeBlock?: boolean | null | undefined
}

/**
 * The expected costs over the score, as decisions weigh them. An identity's own costs also depend
 * on what its risk is made of; here all of it is that somebody else uses the identity, which is the
 * case the edges are computed for. Nothing is confirmed, and confidence is not low.
 */
export function costCurve(
  model: { readonly scale: ScaleDocument; readonly costs: Costs },
  settings: CurveSettings = {},
): CostCurve {
  const scale = scaleOf(model.scale)
  const prices = pricesFor(pricesOf(scale, model.costs), scale, settings.costs)
  const mayBlock = settings.confirmedBeforeBlock !== true
  const points = Array.from({ length: 101 }, (_, score): CostPoint => {
    const p = sigmoid(logOddsOf(scale, score))
    const facts = { score, p, takeover: p, abuse: 0, stepUpEff: null, mayBlock, mayAllow: true }
    const { costs, action } = decide(prices, facts)
    return { score, costs, action }
  })
  return { costs: prices.costs, edges: prices.edges, points }
}
