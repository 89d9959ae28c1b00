import { setTimeout as delay } from "node:timers/promises"
import type { BatchItem } from "@assay/core/contract"
import type { Caller } from "../../accounts/callers.ts"
import type { Limits } from "../../accounts/limits.ts"
import { Problem } from "../../base/problem.ts"

/** Lines in a row without a result after which a stream of a plan with limits ends. */
export const REFUSED_IN_A_ROW = 100

/**
 * A slice of refused lines costs a few requests, so this many seconds cover it many times over.
 * Anything left stays owed.
 */
const WAITS_MAX = 10

/**
 * Charges the refused lines of a batch or stream to the rate, and ends one that has too many.
 * Failures of a store are ours and cost the caller nothing.
 */
export interface RefusedLines {
  /**
   * Takes the refused of these answers from the rate at once. Returns the milliseconds until the
   * rate covers them.
   */
  charge(items: readonly BatchItem<object>[], caller: Caller): number | Promise<number>
  /** Waits until the rate covers what `charge` returned. */
  paid(owing: number | Promise<number>, caller: Caller): Promise<void>
  /** Throws where too many lines in a row were refused. */
  throwIfTooMany(caller: Caller): void
}

export function openRefusedLines(limits: Pick<Limits, "chargeRefused">): RefusedLines {
  let inARow = 0
  return {
    charge(items, caller) {
      let refused = 0
      for (const { problem } of items) {
        if (problem === undefined) inARow = 0
        else if (problem.code === "limits-unavailable") inARow++
        else if (problem.status < 500) {
          inARow++
          refused++
        }
      }
      return refused === 0 ? 0 : limits.chargeRefused(caller, refused)
    },
    async paid(owing, caller) {
      let waitMs = await owing
      for (let n = 0; waitMs > 0 && n < WAITS_MAX; n++) {
        await delay(waitMs)
        waitMs = await limits.chargeRefused(caller, 0)
      }
    },
    throwIfTooMany({ plan }) {
      if (plan.limits === null || inARow < REFUSED_IN_A_ROW) return
      throw new Problem("stream-refused", `The last ${inARow} lines were refused.`)
    },
  }
}
