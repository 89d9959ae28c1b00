import type { Caller } from "../../accounts/callers.ts"
import type { Limits } from "../../accounts/limits.ts"

/** A stream's place among those its tenant may have open at once. */
export interface StreamPlace {
  /**
   * Takes a place if the plan counts them and none is held yet, also when the plan changed
   * meanwhile; throws if there is none.
   */
  hold(caller: Caller): Promise<void>
  /** Gives it back. One that is taken later is given back at once. */
  leave(): void
}

export function openPlace(limits: Pick<Limits, "openStream">): StreamPlace {
  let giveBack: (() => void) | null = null
  let left = false
  return {
    async hold(caller) {
      if (caller.plan.limits === null || giveBack !== null) return
      giveBack = await limits.openStream(caller)
      if (left) giveBack()
    },
    leave() {
      if (left) return
      left = true
      giveBack?.()
    },
  }
}
