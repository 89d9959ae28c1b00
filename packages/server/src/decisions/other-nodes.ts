import { setTimeout as delay } from "node:timers/promises"
import { MINUTE_MS } from "@assay/runtime/time"
import { RecordsError } from "@assay/stores/records-error"
import type { NodeRecords } from "@assay/stores/records-nodes"

/** Decisions that another node has made and not brought into the store yet. */
export interface OtherNodes {
  /**
   * Resolves when every decision of another node that had been answered before is in the store.
   * With `madeAt`, the moment in a decision's id: when that one is. Throws `unavailable` where a
   * node does not say so in time: what it has cannot be told apart from what does not exist.
   */
  settled(madeAt?: number): Promise<void>
  /**
   * The moment in ids up to which all decisions of other nodes are in the store: whoever reads
   * forward must not pass over one that comes later.
   */
  through(): Promise<number>
}

interface OtherOptions {
  readonly records: Pick<NodeRecords, "databaseTime" | "nodes">
  /** How long is waited for a node that says nothing. */
  readonly patienceMs?: number
}

const PATIENCE_MS = 3_000
const LOOK_MS = 50
/** How exactly it is known how far a clock is off. */
const CLOCK_READ_MS = 1_000
/** How far the clock may be off by which a node made an id. */
const CLOCK_OFF_MS = 15 * MINUTE_MS

/** For a service that is the only one to use its records. */
export const noOtherNodes: OtherNodes = {
  settled: async () => undefined,
  through: async () => Infinity,
}

export function openOtherNodes({ records, patienceMs = PATIENCE_MS }: OtherOptions): OtherNodes {
  return {
    async settled(madeAt = Infinity) {
      const asked = await records.databaseTime()
      const enough = Math.min(asked, madeAt + CLOCK_OFF_MS)
      const isBehind = async (): Promise<boolean> =>
        (await records.nodes()).some(({ leftAt, foldedAt }) => leftAt === null && foldedAt < enough)
      const deadline = performance.now() + patienceMs
      while (await isBehind()) {
        if (performance.now() > deadline)
          throw new RecordsError("unavailable", "A node does not say what it has decided")
        await delay(LOOK_MS)
      }
    },

    async through() {
      const running = (await records.nodes()).filter(({ leftAt }) => leftAt === null)
      // Ids are made by the clock of each node.
      const reached = running.map(({ foldedAt, clockOffMs }) => foldedAt - clockOffMs)
      return Math.max(0, Math.min(...reached) - CLOCK_READ_MS)
    },
  }
}
