import { type Scope, TENANT_SCOPES } from "@assay/core/contract"

export interface PlanLimits {
  readonly requestsPerSecond: number
  readonly lookupsPerMonth: number
  /** Some thousands at most: once they are used up, every worker holds the day's whole list. */
  readonly identitiesPerDay: number
  /** Streams of lines that a tenant may have open, over all workers. */
  readonly streamsAtOnce: number
}

export interface Plan {
  /** null: unlimited. */
  readonly limits: PlanLimits | null
  /** The most a key of this plan can be given. */
  readonly scopes: readonly Scope[]
  /** Whether explanations name the sources of exposures. */
  readonly namedSources: boolean
  /**
   * Whether numbers may be sent to carriers and vendors, where the tenant itself switched that on
   * too.
   */
  readonly providers: boolean
}

export const plans = {
  free: {
    limits: {
      requestsPerSecond: 10,
      lookupsPerMonth: 1_000,
      identitiesPerDay: 100,
      streamsAtOnce: 2,
    },
    scopes: ["score", "feedback:write", "decisions:read", "usage:read"],
    namedSources: false,
    providers: false,
  },
  enterprise: { limits: null, scopes: TENANT_SCOPES, namedSources: true, providers: true },
} as const satisfies Record<string, Plan>

export type PlanName = keyof typeof plans

export function planOf(name: string): Plan {
  if (!Object.hasOwn(plans, name)) throw new Error("A tenant has a plan this program does not know")
  return plans[name as PlanName]
}
