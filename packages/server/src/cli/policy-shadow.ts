import { readTenantSettings } from "../accounts/tenant-settings.ts"
import { computedVersion, shadowComparison } from "../policy/comparison.ts"
import { hasStaleCalibration, shadowFaults } from "../policy/read-policy.ts"
import { knownTenant } from "./keys.ts"
import { type OfTenant, policyInFile, staleCalibration } from "./policy.ts"
import { type ComparisonOptions, daysOf, printComparison } from "./policy-comparison.ts"
import type { ProgressScreen } from "./progress.ts"
import { withTenants } from "./tenants.ts"
import { CommandError, type Terminal } from "./terminal.ts"

/** Has a second policy computed beside the one that acts. */
export async function setShadow(
  { tenant: name, file }: OfTenant & { readonly file: string },
  terminal: Terminal,
): Promise<void> {
  await withTenants(terminal, async (records, models) => {
    const tenant = await knownTenant(name, records)
    const settings = policyInFile(file, models)
    const [fault] = shadowFaults(readTenantSettings(tenant.settings), settings)
    if (fault !== undefined) throw new CommandError(`${file}: ${fault.path}: ${fault.detail}`)
    if (hasStaleCalibration(tenant.settings, settings)) throw staleCalibration()
    const change = { tenantId: tenant.id, at: terminal.now(), actor: terminal.user }
    const shadow = await records.setShadow({ ...change, settings })
    terminal.print(`Version ${shadow?.version ?? 0} of the shadow of ${tenant.name} is set.`)
    terminal.note(
      "It is computed within 5 seconds, recorded with each decision, and changes no answer.",
    )
  })
}

/** Prints the shadow as the document that `policy shadow set` takes. */
export async function showShadow({ tenant: name }: OfTenant, terminal: Terminal): Promise<void> {
  await withTenants(terminal, async (records) => {
    const tenant = await knownTenant(name, records)
    const shadow = await records.shadow({ tenantId: tenant.id })
    if (shadow === null || shadow.settings === null) {
      terminal.note(`Nothing is computed beside the policy of ${tenant.name}.`)
      return
    }
    const { version, at, actor, settings } = shadow
    terminal.note(
      `Version ${version} of the shadow of ${tenant.name}, set ${new Date(at).toISOString()} by ${actor}`,
    )
    terminal.print(JSON.stringify(settings, null, 2))
  })
}

export async function endShadow({ tenant: name }: OfTenant, terminal: Terminal): Promise<void> {
  await withTenants(terminal, async (records) => {
    const tenant = await knownTenant(name, records)
    const change = { tenantId: tenant.id, at: terminal.now(), actor: terminal.user }
    const ended = await records.setShadow({ ...change, settings: null })
    terminal.print(
      ended === null
        ? `Nothing is computed beside the policy of ${tenant.name}.`
        : `The shadow of ${tenant.name} ends within 5 seconds; what was recorded stays.`,
    )
  })
}

export interface ShadowReportOptions extends ComparisonOptions {
  readonly version?: string
}

/** Compares what a shadow made of past requests with what was decided. */
export async function reportShadow(
  options: ShadowReportOptions,
  terminal: Terminal,
  screen: ProgressScreen,
): Promise<void> {
  const days = daysOf(options.days)
  const { tenantId, version } = await withTenants(terminal, async (records) => {
    const tenant = await knownTenant(options.tenant, records)
    if (options.version !== undefined && !/^[1-9]\d{0,8}$/.test(options.version))
      throw new CommandError("--version takes a number from 1 up")
    const wanted = options.version === undefined ? {} : { version: Number(options.version) }
    const shadow = await records.shadow({ tenantId: tenant.id, ...wanted })
    if (shadow === null) throw new CommandError(`The tenant ${tenant.name} has had no such shadow`)
    return { tenantId: tenant.id, version: computedVersion(shadow) }
  })
  await printComparison(
    {
      tenantId,
      days,
      asJson: options.json === true,
      comparison: (counts) => shadowComparison(version, counts),
    },
    terminal,
    screen,
  )
}
