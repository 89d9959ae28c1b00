import { planOf } from "../accounts/plans.ts"
import { isExplained } from "@assay/runtime/explained"
import { readTenantSettings } from "../accounts/tenant-settings.ts"
import { readConfig } from "../base/config.ts"
import { openDataDirectory } from "@assay/runtime/data-directory"
import { type Models, openModels } from "../score/models.ts"
import type { Records, Tenant } from "@assay/stores/records"
import { dayOf } from "@assay/runtime/time"
import { hasStaleCalibration } from "../policy/read-policy.ts"
import { knownTenant, refuseUnknownPlan, refuseUnprintable } from "./keys.ts"
import { withRecords } from "./records-access.ts"
import { table } from "./table.ts"
import {
  type Assignment,
  readAssignment,
  TENANT_SETTINGS,
  type TenantSetting,
  withValueAt,
} from "./tenant-setting.ts"
import { changesBetween, valueText } from "./tenant-values.ts"
import { CommandError, type Terminal } from "./terminal.ts"

export async function listTenants(terminal: Terminal): Promise<void> {
  await withTenants(terminal, async (records, models) => {
    const rows = (await records.tenants()).map((tenant) => {
      const { name, plan, createdAt, settings } = tenant
      const own = Object.keys(settings)
      const shown = (key: string) => valueText(settingOf(key), tenant, models)
      return [
        name,
        plan,
        dayOf(createdAt),
        ...(isReadable(tenant)
          ? [shown("model.email"), shown("model.phone"), own.length === 0 ? "none" : own.join(" ")]
          : ["", "", "cannot be read"]),
      ]
    })
    table(["TENANT", "PLAN", "MADE", "EMAIL MODEL", "PHONE MODEL", "OWN SETTINGS"], rows).forEach(
      terminal.print,
    )
  })
}

export async function showTenant(name: string, terminal: Terminal): Promise<void> {
  await withTenants(terminal, async (records, models) => {
    const tenant = await knownTenant(name, records)
    readTenantSettings(tenant.settings)
    const keys = await records.keys({ tenantId: tenant.id })
    terminal.print(
      `Tenant ${tenant.name}, number ${tenant.id}, made ${dayOf(tenant.createdAt)}, ${keys.length} ${keys.length === 1 ? "key" : "keys"}`,
    )
    terminal.print("")
    const rows = TENANT_SETTINGS.map((setting) => [
      setting.key,
      valueText(setting, tenant, models),
      setting.takes(models),
    ])
    table(["SETTING", "VALUE", "TAKES"], rows).forEach(terminal.print)
  })
}

export async function createTenant(
  name: string,
  options: { plan?: string },
  terminal: Terminal,
): Promise<void> {
  refuseUnprintable("The name", name)
  refuseUnknownPlan(options.plan)
  await withTenants(terminal, async (records) => {
    const plan = options.plan ?? "free"
    await records.createTenant({ name, plan, at: terminal.now(), actor: terminal.user })
    terminal.print(`Tenant ${name} is new, on the ${plan} plan.`)
  })
}

/** Changes all that is named or, if one value does not fit, nothing. Prints old and new values. */
export async function setTenant(
  name: string,
  named: readonly string[],
  options: { domains?: string },
  terminal: Terminal,
): Promise<void> {
  const assignments =
    options.domains === undefined ? named : [...named, `domains=${options.domains}`]
  if (assignments.length === 0)
    throw new CommandError("Name a setting, by KEY=VALUE", { exitCode: 2 })
  await withTenants(terminal, async (records, models) => {
    const tenant = await knownTenant(name, records)
    const read = assignments.map((text) => readAssignment(text, models))
    refuseTwice(read)
    const settings = read.reduce(
      (document, { setting, value }) =>
        setting.path === null ? document : withValueAt(document, setting.path, value),
      tenant.settings,
    )
    readTenantSettings(settings)
    refuseStaleCalibration(tenant.settings, settings)
    const plan = read.find(({ setting }) => setting.key === "plan")?.value ?? tenant.plan
    const after = { ...tenant, settings, plan: String(plan) }

    const changes = changesBetween(tenant, after, models)
    const ofPlan = changes.filter(({ key }) => key === "plan")
    const change = { tenantId: tenant.id, at: terminal.now(), actor: terminal.user }
    const policy =
      changes.length > ofPlan.length
        ? await records.setTenantSettings({ ...change, settings })
        : null
    if (ofPlan.length > 0) await records.setPlan({ ...change, plan: after.plan })
    for (const { key, was, is } of changes) terminal.print(`${key}: ${was} → ${is}`)
    if (changes.length === 0) {
      terminal.print("Nothing changed.")
      return
    }
    if (policy !== null) terminal.note(`This is version ${policy.version} of its policy.`)
    terminal.note(`Tenant ${name} is answered by this within 5 seconds.`)
    if (settings["providers"] === true && !planOf(after.plan).providers)
      terminal.note(`The ${after.plan} plan keeps its phone numbers here, whatever providers says.`)
  })
}

/** Runs `work` on the records, with the models that tenants can choose. */
export async function withTenants<T>(
  terminal: Terminal,
  work: (records: Records, models: Models) => Promise<T>,
): Promise<T> {
  const config = readConfig(terminal.env)
  const models = openModels(openDataDirectory(config.dataDirectory).models)
  return await withRecords(config, (records) => work(records, models))
}

function settingOf(key: string): TenantSetting {
  const setting = TENANT_SETTINGS.find((known) => known.key === key)
  if (setting === undefined) throw new Error(`no setting ${key}`)
  return setting
}

function refuseTwice(assignments: readonly Assignment[]): void {
  const keys = assignments.map(({ setting }) => setting.key)
  const twice = keys.find((key, place) => keys.indexOf(key) !== place)
  if (twice !== undefined) throw new CommandError(`${twice} is named twice`)
}

function refuseStaleCalibration(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): void {
  if (hasStaleCalibration(before, after))
    throw new CommandError(
      "model.email: the tenant's calibration was fitted to the scores of its present model; add calibration= to take it away, and fit it again",
    )
}

function isReadable({ settings }: Tenant): boolean {
  try {
    readTenantSettings(settings)
    return true
  } catch (error) {
    if (isExplained(error, "tenant-settings")) return false
    throw error
  }
}
