import { type Config, ConfigError } from "../../../base/config.ts"
import { readNotificationTokens } from "./notification-tokens.ts"
import {
  type ProviderSettings,
  ProviderSettingsError,
  readProviderSettings,
} from "./provider-settings.ts"

/**
 * Who is asked about phone numbers; null: nobody. Throws a ConfigError where the settings, or the
 * tokens they name, cannot be used. Not read with the other settings: most commands ask nobody, and
 * whoever runs them need not be allowed to read a carrier's key.
 */
export function configuredProviders({
  providersFile,
}: Pick<Config, "providersFile">): ProviderSettings | null {
  if (providersFile === null) return null
  try {
    const settings = readProviderSettings(providersFile)
    readNotificationTokens(settings)
    return settings
  } catch (error) {
    if (!(error instanceof ProviderSettingsError)) throw error
    throw new ConfigError([`ASSAY_PROVIDERS names settings that cannot be used: ${error.message}`])
  }
}
