import { portOf } from "@assay/runtime/rpc"
import type { DatabasePlace } from "@assay/stores/database"
import type { TenantSettings } from "../accounts/tenant-settings.ts"

/** What the thread that compares decisions is started with. */
export interface ComparisonThreadData {
  readonly place: DatabasePlace
  /** The directory of models besides the shipped ones. */
  readonly models: string
}

/** A tenant's decisions since a moment, and with what they are compared. */
export interface WantedComparison {
  readonly tenantId: number
  readonly fromMs: number
  readonly nowMs: number
  readonly with: { readonly proposal: TenantSettings } | { readonly shadowVersion: number }
}

/** The comparisons of a thread, each by its number. */
export interface ThreadComparisons {
  begin(wanted: WantedComparison): Promise<number>
  /** The text of the next lines, which may be none; null after the last. */
  next(comparison: number): Promise<string | null>
  /** Whether it came to its end or not. */
  end(comparison: number): Promise<void>
  close(): Promise<void>
}

export const comparisonsPort = portOf<ThreadComparisons>("comparisons", {
  begin: true,
  next: true,
  end: true,
  close: true,
})
