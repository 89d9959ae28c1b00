import { HOUR_MS } from "@assay/runtime/time"

/**
 * Used tokens, solutions and tickets, until they would have ended anyway. In memory only: a row for
 * each would show a thief of the disk when messages came, and the number of rows would show whether
 * they were sealed in a browser.
 */
export interface Spent {
  /** True once per hash, until its time is over. */
  spend(hash: Uint8Array, expiresAtMs: number): boolean
}

/** Some 30 MB. Sealers take hours for as many tokens, and tickets as many seconds of work each. */
const REMEMBERED_MAX = 300_000
/** Of a hash; enough that no two are the same by chance. */
const NAME_BYTES = 16

export function openSpent({
  now,
  rememberedMax = REMEMBERED_MAX,
}: {
  readonly now: () => number
  readonly rememberedMax?: number
}): Spent {
  /** By the hour they end in, which is how they are forgotten. */
  const byHour = new Map<number, Set<string>>()
  let remembered = 0
  /** What ends in this hour or before is taken for spent. */
  let forgottenHour = 0
  const forget = (hour: number): void => {
    remembered -= byHour.get(hour)?.size ?? 0
    byHour.delete(hour)
    forgottenHour = Math.max(forgottenHour, hour)
  }
  return {
    spend(hash, expiresAtMs) {
      const hour = Math.floor(expiresAtMs / HOUR_MS)
      const current = Math.floor(now() / HOUR_MS)
      for (const past of byHour.keys()) if (past < current) forget(past)
      const name = Buffer.from(hash.subarray(0, NAME_BYTES)).toString("base64")
      if (hour <= forgottenHour || byHour.get(hour)?.has(name) === true) return false
      while (remembered >= rememberedMax) forget(Math.min(...byHour.keys()))
      // A token that cannot be remembered must not be accepted.
      if (hour <= forgottenHour) return false
      byHour.set(hour, (byHour.get(hour) ?? new Set()).add(name))
      remembered += 1
      return true
    },
  }
}
