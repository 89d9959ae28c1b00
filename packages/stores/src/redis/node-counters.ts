import { randomBytes } from "node:crypto"
import type { DailyIdentity } from "../records.ts"
import type { NodeCounters, NodeCountersUse } from "../node-counters.ts"
import { openClusterClock } from "./cluster-clock.ts"
import type { ClusterPlace } from "./cluster-place.ts"
import { openConnection } from "./connection.ts"
import { clusterCounters, LEASE_MS } from "./counters.ts"
import { layoutOf, metaKey } from "./layout.ts"
import { madeIndex } from "./making.ts"
import { openMeta } from "./meta.ts"

interface CountersPlace {
  readonly place: ClusterPlace
  /** Of the index beside which they are. */
  readonly name: string
  readonly timeoutMs: number
}

/** Three words in a lease, so that one that is lost does not end it. */
const HOLD_ON_MS = LEASE_MS / 3
const CLOCK_MS = 10_000

/**
 * Counters in the cluster that has the index. Nothing of them is lost with this process: streams
 * and lookups that it holds are free again when their leases end.
 */
export async function openClusterNodeCounters(
  { place, name, timeoutMs }: CountersPlace,
  { records, elapsed, log }: NodeCountersUse,
): Promise<NodeCounters> {
  const connection = await openConnection({ place, timeoutMs })
  try {
    const { bits, mark } = await madeIndex(openMeta(connection, name))
    const clock = await openClusterClock(connection, metaKey(name), elapsed)
    let fresh: DailyIdentity[] = []
    const counters = clusterCounters({
      connection,
      layout: layoutOf(name, bits),
      mark,
      node: randomBytes(6).toString("base64url"),
      now: clock.now,
      before: {
        async lookups(tenantId, month) {
          const days = { from: `${month}-01`, to: `${month}-31` }
          const rows = await records.usage({ tenantId, ...days })
          return rows.reduce((sum, { count }) => sum + count, 0)
        },
        identities: async (tenantId, day) =>
          (await records.dailyIdentities(day, tenantId)).map(({ tag }) => tag),
      },
      onAdmitted: (day, tenantId, tag) => void fresh.push({ day, tenantId, tag }),
    })
    const every = (ms: number, work: () => Promise<void>, failed: string): NodeJS.Timeout => {
      let working = false
      return setInterval(() => {
        if (working) return
        working = true
        work()
          .catch((error: unknown) => log.warn(failed, { error }))
          .finally(() => (working = false))
      }, ms)
    }
    const timers = [
      every(HOLD_ON_MS, counters.holdOn, "streams that are open could not be counted on"),
      every(CLOCK_MS, clock.set, "the time of the cluster could not be asked"),
    ]
    return {
      of: counters.of,
      forgetWorker(worker) {
        counters.forgetWorker(worker).catch((error: unknown) =>
          // They are free again when the lease ends.
          log.warn("streams of a worker that is gone could not be given back", { error }),
        )
      },
      now: clock.now,
      async keep() {
        if (fresh.length === 0) return
        const taken = fresh
        fresh = []
        try {
          await records.addDailyIdentities(taken)
        } catch (error) {
          fresh = [...taken, ...fresh]
          throw error
        }
      },
      async close() {
        for (const timer of timers) clearInterval(timer)
        await connection.close()
      },
    }
  } catch (error) {
    await connection.close()
    throw error
  }
}
