/** What one call would cost, and whom. In millionths of the unit prices are set in. */
export interface Spend {
  readonly tenantId: number
  /** The provider's id. */
  readonly provider: string
  readonly micros: number
  readonly tenantCapMicros: number
}

export interface Spending {
  /**
   * Whether this may be spent today, under the tenant's cap and the one over all tenants. What is allowed is on disk before
   * the answer: a process that dies may have counted a call that was never made, and never the other way round.
   */
  spend(spend: Spend): Promise<boolean>
}

export const MICROS = 1_000_000
