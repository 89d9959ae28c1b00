import type { ExposureIndex } from "../../src/exposure-index.ts"
import { openLmdbIndex } from "../../src/lmdb/exposure-index.ts"

/** How the suite's processes open the index, each with the same settings. */
export function open(directory: string): Promise<ExposureIndex> {
  return openLmdbIndex({ path: directory })
}
