import { basename } from "node:path"
import type { ExposureIndex } from "../../src/exposure-index.ts"
import { readClusterPlace } from "../../src/redis/cluster-place.ts"
import { openRedisIndex } from "../../src/redis/exposure-index.ts"

export const SUITE_BITS = 6

/**
 * How the suite's processes open the index, each with the same settings; the cluster stands in this
 * module's URL.
 */
export async function open(directory: string): Promise<ExposureIndex> {
  const place = readClusterPlace(new URL(import.meta.url).searchParams.get("cluster") ?? "")
  if (place === null) throw new Error("the module's URL names no cluster")
  return await openRedisIndex({
    place,
    name: basename(directory),
    bucketBits: SUITE_BITS,
    timeoutMs: 5000,
  })
}
