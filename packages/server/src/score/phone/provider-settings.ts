import { isExplained } from "@assay/runtime/explained"
import { type Config, wrongSettings } from "../../base/config.ts"
import { readSettingsFile } from "../../settings/settings-file.ts"
import { configuredKinds, ProviderSettings } from "./providers.ts"

/**
 * Who is asked about phone numbers; null: nobody. Throws Explained `config` where the settings
 * cannot be used. Not read with the other settings: most commands ask nobody, and the user who runs
 * them may lack the right to read a carrier's key.
 */
export function configuredProviders({
  providersFile,
}: Pick<Config, "providersFile">): ProviderSettings | null {
  if (providersFile === null) return null
  try {
    return readProviderSettings(providersFile)
  } catch (error) {
    if (!isExplained(error, "settings-file")) throw error
    throw wrongSettings(`ASSAY_PROVIDERS names settings that cannot be used: ${error.message}`)
  }
}

/** Reads the file, and checks that all it names can be used. */
export function readProviderSettings(file: string): ProviderSettings {
  const settings = readSettingsFile(ProviderSettings, file) as ProviderSettings
  for (const [kind, own] of configuredKinds(settings)) kind.check?.(own)
  return settings
}
