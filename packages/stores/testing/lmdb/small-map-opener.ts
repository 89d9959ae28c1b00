import type { ExposureIndex } from "../../src/exposure-index.ts"
import { openLmdbIndex } from "../../src/lmdb/exposure-index.ts"

/** As `suite-opener.ts`, with a map that may be moved, so that lmdb makes all reads. */
export function open(directory: string): Promise<ExposureIndex> {
  return openLmdbIndex({ path: directory, mapSize: 2 ** 36 })
}
