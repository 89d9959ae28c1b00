import type { ShadowAnswer } from "@assay/stores/decisions"
import type { Caller } from "../accounts/callers.ts"
import type { ShadowPolicy } from "../accounts/shadow-policy.ts"
import type { Metrics } from "../base/metrics.ts"

/** What scoring counts. */
export type ScoringMetrics = Pick<Metrics, "countShadowFailed" | "countSignalsFailed">

/**
 * The answer of the caller's shadow, null where there is none. Null also where it cannot be
 * computed, because its model is not loaded or by a fault of ours: the request is answered all the
 * same, and the decision has no shadow.
 */
export function orNoShadow(
  { shadow }: Pick<Caller, "shadow">,
  metrics: Pick<Metrics, "countShadowFailed">,
  compute: (shadow: ShadowPolicy<Caller>) => ShadowAnswer,
): ShadowAnswer | null {
  if (shadow === null) return null
  try {
    return compute(shadow)
  } catch {
    metrics.countShadowFailed()
    return null
  }
}
