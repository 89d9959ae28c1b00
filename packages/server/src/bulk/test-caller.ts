import type { Caller } from "../accounts/callers.ts"
import { plans } from "../accounts/plans.ts"
import { DEFAULT_SCORING } from "../accounts/tenant-settings.ts"

/** A caller without limits, for tests that are not about them. */
export const testCaller: Caller = {
  keyId: "k",
  tenantId: 1,
  plan: plans.enterprise,
  scopes: new Set(["score"]),
  ...DEFAULT_SCORING,
}
