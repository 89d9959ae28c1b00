import { isExplained } from "@assay/runtime/explained"
import { type Config, wrongSettings } from "../base/config.ts"
import { readSettingsFile } from "../settings/settings-file.ts"
import { SinkSettings } from "./kinds.ts"

/** Who gets every event; null: nobody. Throws Explained `config` where the settings cannot be used. */
export function configuredSinks({ sinksFile }: Pick<Config, "sinksFile">): SinkSettings | null {
  if (sinksFile === null) return null
  try {
    return readSettingsFile(SinkSettings, sinksFile) as SinkSettings
  } catch (error) {
    if (!isExplained(error, "settings-file")) throw error
    throw wrongSettings(unusable(error.message))
  }
}

export function unusable(why: string): string {
  return `ASSAY_SINKS names settings that cannot be used: ${why}`
}
