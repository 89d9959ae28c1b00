import type { Config } from "../config.ts"
import type { DataDirectory } from "../data-directory.ts"
import type { Secrets } from "../secrets.ts"
import type { ExposureIndex } from "../stores/exposure-index.ts"
import { openIndex } from "../stores/open-index.ts"

/** Opens the index for a command that changes it, beside a service that runs or not. Throws WrongSecret. */
export async function openIndexForWriting(
  config: Config,
  directory: DataDirectory,
  secrets: Secrets,
): Promise<ExposureIndex> {
  const index = await openIndex(config, directory, { readOnly: false })
  try {
    await index.checkKeyCheckValue(secrets.checkValue)
  } catch (error) {
    await index.close()
    throw error
  }
  directory.markIndexed()
  return index
}
