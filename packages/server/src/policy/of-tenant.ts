import type { Policy, Records } from "@assay/stores/records"
import type { Caller } from "../accounts/callers.ts"
import { Problem } from "../base/problem.ts"

/** A key of the service has no tenant, and so no policy. */
export function tenantIdOf({ tenantId }: Caller): number {
  if (tenantId !== null) return tenantId
  throw new Problem("insufficient-scope", "A policy takes a key of a tenant.")
}

/** The version that acts. */
export async function newestPolicy(
  records: Pick<Records, "policies">,
  tenantId: number,
): Promise<Policy> {
  const [policy] = await records.policies({ tenantId, limit: 1 })
  if (policy === undefined) throw new Error("A tenant has no policy")
  return policy
}
