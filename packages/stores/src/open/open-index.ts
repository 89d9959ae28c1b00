import { existsSync } from "node:fs"
import { join } from "node:path"
import type { DataDirectory } from "@assay/runtime/data-directory"
import { IndexUnavailable, type ExposureIndex } from "../exposure-index.ts"
import { openLmdbIndex } from "../lmdb/exposure-index.ts"
import type { ClusterPlace } from "../redis/cluster-place.ts"
import { knownIndexes } from "../redis/known-indexes.ts"

/** The settings of the index. */
export interface IndexSettings {
  /** The cluster with the index; null: the index is in the data directory. */
  readonly indexCluster: ClusterPlace | null
  readonly indexName: string
  readonly indexBucketBits: number
  readonly indexTimeoutMs: number
}

/**
 * Opens the index the settings name: in a cluster, or in the data directory. Neither takes the
 * place of the other unnoticed, since the one that takes it would know nobody and call everyone
 * clean.
 */
export async function openIndex(
  { indexCluster: place, indexName: name, indexBucketBits, indexTimeoutMs }: IndexSettings,
  directory: Pick<DataDirectory, "index">,
  { readOnly }: { readonly readOnly: boolean },
): Promise<ExposureIndex> {
  const clusterFile = join(directory.index, "cluster.json")
  const ownIndex = existsSync(join(directory.index, "data.mdb"))
  if (place === null) {
    if (!ownIndex && existsSync(clusterFile)) {
      throw new IndexUnavailable(
        "The index of this data directory is in a cluster; ASSAY_INDEX_URL must name it",
      )
    }
    return await openLmdbIndex({ path: directory.index, readOnly })
  }
  if (ownIndex) {
    throw new IndexUnavailable(
      "This data directory has an index of its own; with ASSAY_INDEX_URL it must not have one",
    )
  }
  const known = knownIndexes(clusterFile)
  const mark = known.markOf(name)
  // A service with its own index does not load the client of a cluster.
  const { openRedisIndex } = await import("../redis/exposure-index.ts")
  const index = await openRedisIndex({
    place,
    name,
    readOnly,
    mayMake: mark === undefined,
    bucketBits: indexBucketBits,
    timeoutMs: indexTimeoutMs,
  })
  if (mark !== undefined && index.mark !== mark) {
    await index.close()
    throw new IndexUnavailable("The cluster has another index than the one it had before")
  }
  if (mark === undefined && !readOnly) known.remember(name, index.mark)
  return index
}
