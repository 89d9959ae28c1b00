import type { EmailInput } from "@assay/core/score"
import { readTenantSettings, scoringSettings } from "../accounts/tenant-settings.ts"
import { readConfig } from "../base/config.ts"
import { openDataDirectory } from "@assay/runtime/data-directory"
import { currentModels, openModels } from "../score/models.ts"
import type { Tenant } from "@assay/stores/records"
import type { CalibrationReach } from "./calibrate.ts"
import { decisionIn, readAllDecisions, type ReadDecisions } from "./decisions.ts"
import { knownTenant } from "./keys.ts"
import { withRecords } from "./records-access.ts"
import type { Terminal } from "./terminal.ts"

/**
 * Runs `work` with the model, decisions and settings of a tenant; without one, of the service as it
 * is shipped.
 */
export async function withCalibrationReach(
  name: string | undefined,
  terminal: Terminal,
  work: (reach: CalibrationReach) => Promise<void>,
): Promise<void> {
  const config = readConfig(terminal.env)
  const tenant =
    name === undefined
      ? null
      : await withRecords(config, async (records) => await knownTenant(name, records))
  // Labels that need no decision must not make a data directory.
  let opened: ReadDecisions | null = null
  try {
    await work({
      model: tenant === null ? currentModels.email : modelOf(tenant, config.dataDirectory),
      async decisionOf(id) {
        opened ??= await readAllDecisions(terminal)
        const decision = await decisionIn(opened, id)
        if (decision?.identityType !== "email") return null
        // What became of another tenant's customers says nothing about this one's.
        if (tenant !== null && decision.tenantId !== tenant.id) return null
        return { input: JSON.parse(decision.input) as EmailInput, atMs: decision.at }
      },
      apply: (calibration) =>
        withRecords(config, async (records) => {
          const { id: tenantId, settings } = await knownTenant(name ?? "", records)
          await records.setTenantSettings({
            tenantId,
            settings: { ...settings, calibration },
            at: terminal.now(),
            actor: terminal.user,
          })
        }),
    })
  } finally {
    await (opened as ReadDecisions | null)?.store.close()
  }
}

function modelOf({ settings }: Tenant, dataDirectory: string): CalibrationReach["model"] {
  const { emailModel } = scoringSettings(readTenantSettings(settings))
  return openModels(openDataDirectory(dataDirectory).models).email(emailModel)
}
