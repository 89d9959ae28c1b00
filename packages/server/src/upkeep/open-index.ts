import type { Config } from "../base/config.ts"
import type { DataDirectory } from "@assay/runtime/data-directory"
import type { Secrets } from "@assay/runtime/secrets"
import type { ExposureIndex } from "@assay/stores/exposure-index"
import { openIndex } from "@assay/stores/open/open-index"

/**
 * Opens the index for a command that changes it, beside a service that runs or not. Throws
 * IndexUnavailable.
 */
export async function openIndexForWriting(
  config: Config,
  directory: DataDirectory,
  secrets: Secrets,
): Promise<ExposureIndex> {
  const index = await openIndex(config, { readOnly: false })
  try {
    await index.checkKeyCheckValue(secrets.checkValue)
  } catch (error) {
    await index.close()
    throw error
  }
  directory.markIndexed()
  return index
}
