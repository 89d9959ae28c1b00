import type { ProviderSpend } from "@assay/stores/records-provider-costs"

/** What one call would cost, and whom. In millionths of the unit prices are set in. */
export type Spend = ProviderSpend

export interface Spending {
  /**
   * Whether this may be spent today, under the tenant's cap and the one over all tenants. What is
   * allowed is on disk before the answer: a process that dies may have counted a call that was
   * never made, and never the other way round. Rejects where that cannot be written: then the call
   * must not be made, and its signals failed (`error`), which is no cap.
   */
  spend(spend: Spend): Promise<boolean>
}
