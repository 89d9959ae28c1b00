import { randomBytes } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import { CLUSTER_INDEX_FORMAT, IndexUnavailable } from "../exposure-index.ts"
import { openBuckets } from "./buckets.ts"
import type { ClusterConnection } from "./connection.ts"
import { inFlight, numbers } from "./in-flight.ts"
import { layoutOf } from "./layout.ts"
import type { Making, Meta } from "./meta.ts"

const MARK_BYTES = 8
/**
 * What a primary is sent together waits for its disk and its replica once, and nobody is served who
 * would wait behind it. With the 256 of an import a million buckets took minutes.
 */
const MADE_AT_ONCE = 1_024
/** How long a start goes on asking a node that is too busy to answer. */
const PATIENCE_MS = 10_000
const PAUSE_MS = 200

/**
 * The parameters of the index; throws IndexUnavailable if it does not exist, or is not complete
 * yet.
 */
export async function madeIndex(meta: Meta): Promise<Making> {
  const made = await meta.making()
  if (made === null) throw new IndexUnavailable("There is no index to read")
  if (!made.complete) throw new IndexUnavailable("The index is not complete yet")
  return made
}

/**
 * The parameters of the index, after making it if there was none.
 *
 * All buckets are made before the index can be read. From then on a missing bucket is a lost part
 * of the index, even if no identity was in it. Making them again changes nothing, so an interrupted
 * run can continue.
 */
export async function madeOrNewIndex(
  connection: ClusterConnection,
  meta: Meta,
  name: string,
  bits: number,
): Promise<Making> {
  let made = await meta.making()
  if (made === null) {
    await meta.begin({ format: CLUSTER_INDEX_FORMAT, bits, mark: randomBytes(MARK_BYTES) })
    made = await meta.making()
  }
  if (made === null) throw new IndexUnavailable("The index was lost while it was made")
  if (made.complete) return made
  const layout = layoutOf(name, made.bits)
  const buckets = openBuckets(connection, layout, made)
  await inFlight(numbers(layout.buckets), MADE_AT_ONCE, async (bucket) => {
    if (!(await patiently(() => buckets.make(bucket))))
      throw new IndexUnavailable("A part of the index is lost")
  })
  await meta.complete()
  return made
}

/** Repeats what may be done twice while the cluster does not answer. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof IndexUnavailable) || performance.now() > deadline) throw error
      await delay(PAUSE_MS)
    }
  }
}
