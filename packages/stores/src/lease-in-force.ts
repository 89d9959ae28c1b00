import { AsyncLocalStorage } from "node:async_hooks"

/** The right to do what only one node may do at a time. All times are the database's. */
export interface Lease {
  readonly name: string
  readonly holder: string
  /** Greater than that of every holder before. */
  readonly fence: number
}

const inForce = new AsyncLocalStorage<Lease>()

/** Does work whose writes all fail with `lease-lost` once another holds the lease. */
export function fencedBy<T>(lease: Lease, work: () => Promise<T>): Promise<T> {
  return inForce.run(lease, work)
}

/** The lease under which this is done; null: there is none. */
export function leaseInForce(): Lease | null {
  return inForce.getStore() ?? null
}
