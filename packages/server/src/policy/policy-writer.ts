import { RecordsError } from "@assay/stores/records-error"
import type { Policy, Shadow } from "@assay/stores/records"
import { writerPort } from "../base/writer-port.ts"
import type { Primary } from "../http/feature.ts"
import { type ComparisonPlaces, openComparisonPlaces } from "./comparison-places.ts"

/** A change of a tenant's policy, checked where it came in. */
export interface PolicyChange {
  readonly tenantId: number
  readonly settings: Readonly<Record<string, unknown>>
  readonly actor: string
  /** For the audit trail. */
  readonly requestId: string
  /** The version it is to follow. */
  readonly expected: number
  /** The earlier version it brings back; null for any other change. */
  readonly revertedTo: number | null
}

export interface ShadowChange {
  readonly tenantId: number
  /** null ends the shadow. */
  readonly settings: Readonly<Record<string, unknown>> | null
  readonly actor: string
  /** For the audit trail. */
  readonly requestId: string
}

/** What changes policies, in the primary. */
export interface PolicyKeeper extends ComparisonPlaces {
  /** The new version; null where the policy has another one by now, and nothing was changed. */
  set(change: PolicyChange): Promise<Policy | null>
  /** The new version; null where there was no shadow to end. */
  setShadow(change: ShadowChange): Promise<Shadow | null>
}

export const policyPort = writerPort<PolicyKeeper>(
  "policy",
  { set: true, setShadow: true, hold: true, leave: true },
  { failed: "The policy cannot be changed" },
)

export async function openPolicyWriter({
  records,
  now,
}: Pick<Primary, "records" | "now">): Promise<PolicyKeeper> {
  return {
    ...openComparisonPlaces(now),

    async set({ revertedTo, ...change }) {
      try {
        return await records.setTenantSettings({
          ...change,
          ...(revertedTo === null ? {} : { revertedTo }),
          at: now(),
        })
      } catch (error) {
        if (error instanceof RecordsError && error.code === "version-changed") return null
        throw error
      }
    },

    setShadow: (change) => records.setShadow({ ...change, at: now() }),
  }
}
