import { isExplained } from "@assay/runtime/explained"
import { wrongSettings } from "../base/config.ts"
import { readSettingsFile } from "../settings/settings-file.ts"
import { SinkSettings } from "./kinds.ts"

/** Who gets every event. Throws Explained `config` where the settings cannot be used. */
export function configuredSinks(file: string): SinkSettings {
  try {
    return readSettingsFile(SinkSettings, file) as SinkSettings
  } catch (error) {
    if (!isExplained(error, "settings-file")) throw error
    throw wrongSettings(unusable(error.message))
  }
}

export function unusable(why: string): string {
  return `ASSAY_SINKS names settings that cannot be used: ${why}`
}
