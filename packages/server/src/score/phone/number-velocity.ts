import type { IdentityKey } from "@assay/core/identity"
import type { Metrics } from "../../base/metrics.ts"
import type { Log } from "@assay/runtime/log"
import type { Secrets } from "@assay/runtime/secrets"
import type { Counters } from "@assay/stores/counters"
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

interface VelocityOptions {
  readonly counters: Pick<Counters, "velocity">
  readonly secrets: Secrets
  readonly log: Log
  readonly metrics: Pick<Metrics, "countVelocityFailed" | "countSignupsDropped">
}

export function openVelocityOfNumbers(options: VelocityOptions): VelocityOfNumbers {
  const { counters, secrets, log, metrics } = options
  const nameUse = openNumberNames(secrets.subkeys.context)
  return {
    async accounts24h(key, context, tenantId) {
      try {
        const { mailbox, dropped } = await counters.velocity(nameUse(key, context, tenantId))
        if (dropped > 0) metrics.countSignupsDropped(dropped)
        return mailbox
      } catch (error) {
        log.warn("velocity could not be asked for", { error })
        metrics.countVelocityFailed()
        return null
      }
    },
  }
}
