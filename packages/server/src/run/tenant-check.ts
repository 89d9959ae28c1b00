import type { Log } from "@assay/runtime/log"
import type { Models } from "../score/models.ts"
import type { Accounts } from "@assay/stores/records"
import { readTenantSettings, scoringSettings } from "../accounts/tenant-settings.ts"

/**
 * Logs at the start which tenants cannot be answered: those whose settings cannot be read or whose
 * model is not loaded. Their requests fail one by one, and the log of a request cannot say why; the
 * others are served.
 */
export async function logUnanswerable(
  accounts: Pick<Accounts, "tenants">,
  models: Models,
  log: Pick<Log, "error">,
): Promise<void> {
  for (const { id: tenantId, settings } of await accounts.tenants()) {
    try {
      const { emailModel, phoneModel } = scoringSettings(readTenantSettings(settings))
      models.email(emailModel)
      models.phone(phoneModel)
    } catch (error) {
      log.error("a tenant cannot be answered", { tenantId, error })
    }
  }
}
