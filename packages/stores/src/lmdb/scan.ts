import { Buckets } from "./buckets.ts"
import type { ReadAt, StoredSet } from "./checked-database.ts"
import type { Environment } from "./environment.ts"

/** One state of a generation, however long it is read. */
export interface Snapshot {
  readonly at: ReadAt
  /** The number of keys that its databases report. */
  readonly counts: Readonly<Record<"shared" | "tenants", number>>
  /** How many buckets there are beyond those of its cells, or are missing. */
  readonly strayBuckets: number
}

/** Sets read at a time: a process that also serves can answer between two chunks. */
const CHUNK_SETS = 8_192

/**
 * A whole database in the order of its pages, some sets at a time. In a damaged file that may not
 * be the order of the keys, and keys may be missing: a caller that needs all compares their number
 * with that of the snapshot.
 */
export function* chunksOf(
  environment: Environment,
  name: "shared" | "tenants",
  { at, counts }: Snapshot,
): Generator<readonly StoredSet[]> {
  let seen = 0
  let chunk: StoredSet[] = []
  // One cursor for the whole scan: going on from a key that was changed would skip others.
  for (const set of environment[name].range({}, at)) {
    chunk.push(set)
    // Pages that refer to each other in a circle have no end. Buckets are read by their numbers.
    if (++seen > counts[name] && !(environment[name] instanceof Buckets)) break
    if (chunk.length < CHUNK_SETS) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}

/** Runs `read` on one state of the generation, however long it takes. */
export async function readingAll<T>(
  { root, shared, tenants }: Environment,
  read: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  root.resetReadTxn()
  const transaction = root.useReadTransaction()
  try {
    const at = { transaction, state: 0 }
    const inBuckets = shared instanceof Buckets ? shared : null
    const counts = {
      shared: inBuckets?.count(at) ?? shared.count(),
      tenants: tenants.count(),
    }
    return await read({ at, counts, strayBuckets: inBuckets?.strays(at) ?? 0 })
  } finally {
    transaction.done()
  }
}
