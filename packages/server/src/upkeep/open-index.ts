import type { Config } from "../base/config.ts"
import type { DataDirectory } from "@assay/runtime/data-directory"
import type { Secrets } from "@assay/runtime/secrets"
import type { ExposureIndex } from "@assay/stores/exposure-index"
import { openIndex } from "@assay/stores/open/open-index"

/**
 * What a node of a cluster has to answer a command: nobody waits for a score meanwhile, and an
 * import must not end because a node was busy for a second.
 */
const COMMAND_ANSWER_MS = 60_000

/** Opens the index for a command. Throws IndexUnavailable. */
export async function openIndexForCommand(
  config: Config,
  use: { readonly readOnly: boolean },
): Promise<ExposureIndex> {
  const indexTimeoutMs = Math.max(config.indexTimeoutMs, COMMAND_ANSWER_MS)
  return await openIndex({ ...config, indexTimeoutMs }, use)
}

/**
 * Opens the index for a command that changes it, beside a service that runs or not. Throws
 * IndexUnavailable.
 */
export async function openIndexForWriting(
  config: Config,
  directory: DataDirectory,
  secrets: Secrets,
): Promise<ExposureIndex> {
  const index = await openIndexForCommand(config, { readOnly: false })
  try {
    await index.checkKeyCheckValue(secrets.checkValue)
  } catch (error) {
    await index.close()
    throw error
  }
  directory.markIndexed()
  return index
}
