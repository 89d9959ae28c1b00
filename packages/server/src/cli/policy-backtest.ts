import type { Tenant } from "@assay/stores/records"
import {
  readTenantSettings,
  scoringSettings,
  type TenantSettings,
} from "../accounts/tenant-settings.ts"
import { proposalComparison } from "../policy/backtest.ts"
import { changedInputMembers, hasStaleCalibration } from "../policy/read-policy.ts"
import { MODEL_NAMES, type Models } from "../score/models.ts"
import { knownTenant } from "./keys.ts"
import { checkedPolicy, policyInFile, policyOf, staleCalibration } from "./policy.ts"
import { type ComparisonOptions, daysOf, printComparison } from "./policy-comparison.ts"
import type { ProgressScreen } from "./progress.ts"
import { withTenants } from "./tenants.ts"
import { CommandError, type Terminal } from "./terminal.ts"

export interface BackTestOptions extends ComparisonOptions {
  readonly file?: string
  readonly version?: string
  readonly modelEmail?: string
  readonly modelPhone?: string
}

/** Runs a tenant's past decisions under another policy and prints which actions would change. */
export async function backTestPolicy(
  options: BackTestOptions,
  terminal: Terminal,
  screen: ProgressScreen,
): Promise<void> {
  const days = daysOf(options.days)
  const { tenant, settings, models } = await proposed(options, terminal)
  const proposal = scoringSettings(settings)
  await printComparison(
    {
      tenantId: tenant.id,
      days,
      asJson: options.json === true,
      comparison: (counts) => proposalComparison({ proposal, models }, counts),
    },
    terminal,
    screen,
  )
}

/** The proposal, checked as a new policy is, and that past decisions can be run under it. */
async function proposed(
  options: BackTestOptions,
  terminal: Terminal,
): Promise<{ tenant: Tenant; settings: TenantSettings; models: Models }> {
  const { file, version, modelEmail, modelPhone } = options
  if (file !== undefined && version !== undefined)
    throw new CommandError("Name --file or --version, not both", { exitCode: 2 })
  return await withTenants(terminal, async (records, models) => {
    const tenant = await knownTenant(options.tenant, records)
    const document =
      file !== undefined
        ? policyInFile(file, models)
        : version !== undefined
          ? (await policyOf(tenant, version, records)).settings
          : readTenantSettings(tenant.settings)
    const chosen = Object.fromEntries(
      MODEL_NAMES.map((name) => [name, name === "email" ? modelEmail : modelPhone]).filter(
        ([, wanted]) => wanted !== undefined,
      ),
    ) as NonNullable<TenantSettings["models"]>
    const label = file ?? (version === undefined ? "The proposal" : `Version ${version}`)
    const settings = checkedPolicy(withModels(document, chosen), label, models)
    const unseen = changedInputMembers(tenant.settings, settings)
    if (unseen.length > 0)
      throw new CommandError(
        `${label} changes ${unseen.join(" and ")}, which decide what is found out about an identity. ` +
          "Past decisions do not tell what would have been found, so this can only be shadowed; " +
          "leave it as it is to back-test the rest",
      )
    // A version was accepted with its calibration; a proposal may carry one to another model.
    if (version === undefined || modelEmail !== undefined) {
      const before = version === undefined ? tenant.settings : document
      if (hasStaleCalibration(before, settings)) throw staleCalibration()
    }
    return { tenant, settings, models }
  })
}

function withModels(
  document: Readonly<Record<string, unknown>>,
  chosen: NonNullable<TenantSettings["models"]>,
): Readonly<Record<string, unknown>> {
  if (Object.keys(chosen).length === 0) return document
  return { ...document, models: { ...(document["models"] as object | undefined), ...chosen } }
}
