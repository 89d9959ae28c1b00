import type { Scope } from "@assay/core/contract"
import { hashApiKey, hintOf, mintApiKey } from "../../packages/server/src/accounts/api-key.ts"
import type { PlanName } from "../../packages/server/src/accounts/plans.ts"
import type { Records } from "../../packages/stores/src/records.ts"

export interface MintedKey {
  readonly key: string
  readonly keyId: string
  readonly tenantId: number
}

/** A key of a new tenant, for an application in this process. */
export async function mintedKey(
  records: Records,
  tenant: string,
  plan: PlanName,
  scopes: readonly Scope[] = ["score", "feedback:write"],
): Promise<MintedKey> {
  const key = mintApiKey()
  const at = Date.now()
  const { id: tenantId } = await records.createTenant({ name: tenant, plan, at, actor: "test" })
  const keyId = `key_${tenant}`
  await records.createKey({
    id: keyId,
    tenantId,
    hash: hashApiKey(key),
    hint: hintOf(key),
    label: "",
    scopes: [...scopes],
    at,
    expiresAt: null,
    actor: "test",
  })
  return { key, keyId, tenantId }
}
