import type { IdentityKey } from "@assay/core/identity"
import { askVelocity, type VelocityOptions } from "../velocity.ts"
import { openNumberNames } from "./number-names.ts"
import type { PhoneContext } from "./phone-context.ts"

export interface VelocityOfNumbers {
  /**
   * Records that an account used a number, and counts the tenant's accounts that did in 24 hours.
   * Never throws: null where the counters could not be asked, which is not the same as none.
   */
  accounts24h(
    key: IdentityKey,
    context: PhoneContext,
    tenantId: number | null,
  ): Promise<number | null>
}

export function openVelocityOfNumbers(options: VelocityOptions): VelocityOfNumbers {
  const nameUse = openNumberNames(options.secrets.subkeys.context)
  return {
    async accounts24h(key, context, tenantId) {
      const found = await askVelocity(() => nameUse(key, context, tenantId), options)
      return found === null ? null : found.mailbox
    },
  }
}
