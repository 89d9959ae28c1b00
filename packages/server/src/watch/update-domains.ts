import { isDeepStrictEqual } from "node:util"
import type { Records } from "@assay/stores/records"
import type { WatchedDomain } from "@assay/stores/records-watch"
import {
  domainHash,
  type KeptDomain,
  keptValues,
  type KeyedLists,
  keyedLists,
  withShipped,
} from "../score/email/kept-domain.ts"
import type { Lists } from "../score/email/lists.ts"
import { ownDomains } from "../score/email/lists/own-domains.ts"
import { shippedVersion } from "../score/email/lists/shipped-lists.ts"
import type { Tenants } from "./tenants.ts"
import { valuesVersion } from "./values-version.ts"

interface UpdateOptions {
  readonly records: Pick<Records, "watchingTenants" | "staleWatchDomains" | "setWatchDomains">
  /** Opened at the first domain that is watched: nobody else in the primary asks lists. */
  readonly openLists: () => Lists
  /** Grows whenever workers took changed lists over. */
  readonly reloads: () => number
  /** Grows whenever identities were added: a worker may have asked other lists. */
  readonly additions: () => number
  readonly identitySubkey: Uint8Array
}

/**
 * Brings the values of watched domains in line with the lists and the tenants' own domains of now.
 * Which are to be made again, their version says, so that it goes on after a kill.
 */
export type UpdateDomains = (tenants: Tenants) => Promise<void>

const DOMAINS_AT_ONCE = 200

export function domainUpdater(options: UpdateOptions): UpdateDomains {
  const { records, openLists, reloads, additions, identitySubkey } = options
  const hashOf = domainHash(identitySubkey)
  let lists: Lists | null = null
  let reloaded = reloads()
  let done: readonly unknown[] = []

  return async (tenants) => {
    const state = [tenants, reloads(), additions()]
    if (state.every((each, place) => each === done[place])) return
    await update(tenants)
    done = state
  }

  async function update(tenants: Tenants): Promise<void> {
    const watching = await records.watchingTenants()
    if (watching.length === 0) return
    const before = reloads()
    if (lists === null) lists = openLists()
    else if (before !== reloaded) lists.reload()
    reloaded = before
    let keyed: KeyedLists | null = null
    for (const tenantId of watching) {
      const caller = tenants.get(tenantId)
      if (caller == null) continue
      const { domains } = caller
      const own = domains && ownDomains(domains)
      const version = valuesVersion(lists.version(), domains)
      for (let more = true; more;) {
        const stale = await records.staleWatchDomains({ tenantId, version, limit: DOMAINS_AT_ONCE })
        if (stale.length === 0) break
        const shipped = stale.some(({ kept }) => keptOf(kept).shipped.version !== shippedVersion())
        if (keyed === null || (shipped && keyed.shipped === null))
          keyed = await keyedLists(lists.own(), hashOf, shipped)
        const names = keyed
        await records.setWatchDomains({
          tenantId,
          domains: stale.map(({ domainKey, kept, values }) => {
            const now = withShipped(keptOf(kept), names)
            const made = { ...keptValues(now, names, own, hashOf) }
            const changed = !isDeepStrictEqual(made, values)
            return { domainKey, kept: { ...now }, values: made, version, changed }
          }),
        })
        more = stale.length === DOMAINS_AT_ONCE
      }
    }
  }
}

function keptOf(kept: WatchedDomain["kept"]): KeptDomain {
  return kept as unknown as KeptDomain
}
