import type { Records } from "@assay/stores/records"
import type { NodeTurns, Turn } from "./feature.ts"

/** For the one node there is. */
export function aloneTurns(records: Records): NodeTurns {
  const turn: Turn = { records, fence: 0 }
  return {
    alone: true,
    async take(_, work) {
      await work(turn)
      return true
    },
  }
}
