import type { Caller } from "../../../src/accounts/callers.ts"
import { plans } from "../../../src/accounts/plans.ts"
import { DEFAULT_SCORING } from "../../../src/accounts/tenant-settings.ts"

/** A caller without limits, for tests that are not about them. */
export const testCaller: Caller = {
  keyId: "k",
  tenantId: 1,
  plan: plans.enterprise,
  scopes: new Set(["score"]),
  person: null,
  shadow: null,
  ...DEFAULT_SCORING,
}
