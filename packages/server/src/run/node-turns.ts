import type { Log } from "@assay/runtime/log"
import type { Lease } from "@assay/stores/records-nodes"
import type { Records } from "@assay/stores/records"
import type { NodeTurns, Turn } from "../http/feature.ts"
import { recordsPort } from "./ports.ts"

/** How long a lease is held. A node that was killed is replaced after at most as long. */
export const LEASE_MS = 15_000
const RENEW_MS = LEASE_MS / 3

interface TurnOptions {
  readonly records: Records
  /** This node. */
  readonly holder: string
  readonly log: Log
}

interface Held extends Turn {
  readonly lease: Lease
}

/**
 * The turns of a node among others. A lease once taken is held for as long as this process lives:
 * handing it round would only cost writes. Whether it is held still is not trusted to this process,
 * which may have been stopped meanwhile: every write under it asks in its own transaction.
 */
export function openNodeTurns({ records, holder, log }: TurnOptions): NodeTurns & {
  /** How many leases it holds. */
  count(): number
  /** Lets go of all, so that others need not wait. */
  release(): Promise<void>
} {
  const held = new Map<string, Held>()
  const taking = new Map<string, Promise<Held | null>>()

  const take = async (name: string): Promise<Held | null> => {
    const lease = await records.takeLease({ name, holder, forMs: LEASE_MS })
    if (lease === null) return null
    const turn: Held = { lease, fence: lease.fence, records: underLease(records, lease) }
    held.set(name, turn)
    return turn
  }

  const renewAll = async (): Promise<void> => {
    for (const { lease } of [...held.values()]) {
      try {
        if (!(await records.renewLease(lease, LEASE_MS))) lost(lease)
      } catch (error) {
        // Held for as long as nobody else has it, which the next write finds out.
        log.warn("a lease could not be renewed", { error })
      }
    }
  }
  const lost = ({ name, fence }: Lease): void => {
    if (held.get(name)?.fence === fence) held.delete(name)
  }
  const timer = setInterval(() => void renewAll(), RENEW_MS)
  timer.unref()

  return {
    alone: false,

    async take(name, work) {
      let turn = held.get(name) ?? null
      if (turn === null) {
        const asked = taking.get(name) ?? take(name).finally(() => taking.delete(name))
        taking.set(name, asked)
        turn = await asked
      }
      if (turn === null) return false
      try {
        await work(turn)
        return true
      } catch (error) {
        if ((error as { code?: unknown }).code === "lease-lost") lost(turn.lease)
        throw error
      }
    },

    count: () => held.size,

    async release() {
      clearInterval(timer)
      await Promise.allSettled(taking.values())
      const leases = [...held.values()].map(({ lease }) => lease)
      held.clear()
      await Promise.all(leases.map((lease) => records.releaseLease(lease)))
    },
  }
}

/** The records, of which every write fails once another holds the lease. */
function underLease(records: Records, lease: Lease): Records {
  const methods = recordsPort.methods.map((method) => [
    method,
    async (...args: unknown[]) => await records.underLease(lease, method as keyof Records, args),
  ])
  return Object.fromEntries(methods) as Records
}
