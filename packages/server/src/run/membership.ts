import type { NodeFigures } from "./node-metrics.ts"
import type { Log } from "@assay/runtime/log"
import type { NodeFacts, NodeRecords } from "@assay/stores/records-nodes"

interface MembershipOptions {
  readonly records: Pick<NodeRecords, "databaseTime" | "beginNode" | "seeNode" | "leaveNode">
  readonly facts: NodeFacts
  readonly now: () => number
  readonly log: Log
}

export interface Membership {
  /** The time by the clock that all nodes share. */
  readonly now: () => number
  /**
   * Runs `fold`, which brings all that was decided before into the store, and says that it did:
   * from here on the other nodes know that what this node decided until then is found or not there.
   */
  noting<T>(fold: () => Promise<T>): Promise<T>
  /** How far the clock is off, and how long ago all decisions were in the store. */
  figures(): Omit<NodeFigures, "leases" | "segmentsLacking">
  /** Says that nothing of this node is left in its journal, if the last fold went well. */
  leave(): Promise<void>
}

/** One clock that was off by less is as good as another. */
const OFF_MS = 250
/** A clock off by more is worth a line of the log. */
const FAR_OFF_MS = 5_000

/**
 * What a node tells the others by the records: that it is there, how far its clock is off, and up
 * to when all it decided is in the store.
 */
export async function openMembership(options: MembershipOptions): Promise<Membership> {
  const { records, facts, now, log } = options
  let offMs = 0
  let folded = false
  let foldedAt: number | null = null
  let warned = false

  /** Reads the shared clock, and how far ours is off. */
  const askTime = async (): Promise<number> => {
    const before = now()
    const shared = await records.databaseTime()
    const off = shared - Math.round((before + now()) / 2)
    if (Math.abs(off - offMs) > OFF_MS) offMs = off
    const isFar = Math.abs(offMs) > FAR_OFF_MS
    if (isFar && !warned)
      log.warn("the clock of this machine is not that of the database", { ms: offMs })
    warned = isFar
    return shared
  }

  await askTime()
  await records.beginNode(facts)

  return {
    now: () => now() + offMs,

    async noting(fold) {
      try {
        const before = await askTime()
        const result = await fold()
        await records.seeNode({ id: facts.id, clockOffMs: offMs, foldedAt: before })
        folded = true
        foldedAt = before
        return result
      } catch (error) {
        folded = false
        throw error
      }
    },

    figures: () => ({
      clockOffMs: offMs,
      behindMs: foldedAt === null ? null : Math.max(0, now() + offMs - foldedAt),
    }),

    async leave() {
      if (folded) await records.leaveNode(facts.id)
    },
  }
}
