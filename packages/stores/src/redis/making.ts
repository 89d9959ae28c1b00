import { randomBytes } from "node:crypto"
import { CLUSTER_INDEX_FORMAT, IndexUnavailable } from "../exposure-index.ts"
import { openBuckets } from "./buckets.ts"
import type { ClusterConnection } from "./connection.ts"
import { IN_FLIGHT, inFlight, numbers } from "./in-flight.ts"
import { layoutOf } from "./layout.ts"
import type { Making, Meta } from "./meta.ts"

const MARK_BYTES = 8

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
  await inFlight(numbers(layout.buckets), IN_FLIGHT, (bucket) => buckets.make(bucket))
  await meta.complete()
  return made
}
