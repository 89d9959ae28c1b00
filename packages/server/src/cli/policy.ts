import { readFileSync } from "node:fs"
import { Explained } from "@assay/runtime/explained"
import type { Policy, Records, Tenant } from "@assay/stores/records"
import type { TenantSettings } from "../accounts/tenant-settings.ts"
import { hasStaleCalibration, readPolicy } from "../policy/read-policy.ts"
import type { Models } from "../score/models.ts"
import { limitOf } from "./decisions.ts"
import { knownTenant } from "./keys.ts"
import { table } from "./table.ts"
import { changesBetween } from "./tenant-values.ts"
import { withTenants } from "./tenants.ts"
import { CommandError, type Terminal } from "./terminal.ts"

const HISTORY_MAX = 1_000

export interface OfTenant {
  readonly tenant: string
}

/** Prints what was changed when, and by whom, the newest version first. */
export async function printHistory(
  options: OfTenant & { readonly limit: string },
  terminal: Terminal,
): Promise<void> {
  const limit = limitOf(options.limit, HISTORY_MAX)
  await withTenants(terminal, async (records, models) => {
    const tenant = await knownTenant(options.tenant, records)
    // One more, which the oldest one printed is compared with.
    const found = await records.policies({ tenantId: tenant.id, limit: limit + 1 })
    const rows = found.slice(0, limit).map((policy, place) => {
      const before = { ...tenant, settings: found[place + 1]?.settings ?? {} }
      const changes = changesBetween(before, { ...tenant, settings: policy.settings }, models)
      const lines = changes.map(({ key, was, is }) => `${key}: ${was} → ${is}`)
      return [
        String(policy.version),
        new Date(policy.at).toISOString(),
        policy.actor,
        policy.revertedTo === null ? "" : String(policy.revertedTo),
        lines.length === 0 ? "nothing" : lines.join(", "),
      ]
    })
    table(["VERSION", "SET AT", "BY", "REVERTS TO", "CHANGED"], rows).forEach(terminal.print)
  })
}

/** Prints a version as the document that `policy set` takes. */
export async function showPolicy(
  options: OfTenant & { readonly version?: string },
  terminal: Terminal,
): Promise<void> {
  await withTenants(terminal, async (records) => {
    const tenant = await knownTenant(options.tenant, records)
    const policy =
      options.version === undefined
        ? await newestPolicy(tenant, records)
        : await policyOf(tenant, options.version, records)
    const { version, at, actor, settings } = policy
    terminal.note(
      `Version ${version} of the policy of ${tenant.name}, set ${new Date(at).toISOString()} by ${actor}`,
    )
    terminal.print(JSON.stringify(settings, null, 2))
  })
}

/** Makes a whole document the policy. */
export async function setPolicy(
  options: OfTenant & { readonly file: string },
  terminal: Terminal,
): Promise<void> {
  await withTenants(terminal, async (records, models) => {
    const tenant = await knownTenant(options.tenant, records)
    const settings = policyInFile(options.file, models)
    if (hasStaleCalibration(tenant.settings, settings)) throw staleCalibration()
    await change({ tenant, settings, records, models, terminal })
  })
}

/** Makes an earlier version the policy again, as a new version. */
export async function revertPolicy(
  options: OfTenant & { readonly version: string },
  terminal: Terminal,
): Promise<void> {
  await withTenants(terminal, async (records, models) => {
    const tenant = await knownTenant(options.tenant, records)
    const { settings: earlier, version } = await policyOf(tenant, options.version, records)
    const settings = checkedPolicy(earlier, `Version ${version}`, models)
    await change({ tenant, settings, revertedTo: version, records, models, terminal })
  })
}

interface PolicyChange {
  readonly tenant: Tenant
  readonly settings: TenantSettings
  readonly revertedTo?: number
  readonly records: Records
  readonly models: Models
  readonly terminal: Terminal
}

async function change(of: PolicyChange): Promise<void> {
  const { tenant, settings, revertedTo, records, models, terminal } = of
  const changes = changesBetween(tenant, { ...tenant, settings }, models)
  if (changes.length === 0) {
    terminal.print("Nothing changed.")
    return
  }
  const { version } = await records.setTenantSettings({
    tenantId: tenant.id,
    settings,
    at: terminal.now(),
    actor: terminal.user,
    ...(revertedTo === undefined ? {} : { revertedTo }),
  })
  for (const { key, was, is } of changes) terminal.print(`${key}: ${was} → ${is}`)
  terminal.note(`This is version ${version} of its policy.`)
  terminal.note(`Tenant ${tenant.name} is answered by this within 5 seconds.`)
}

/** A version of the tenant by its number. */
export async function policyOf(tenant: Tenant, text: string, records: Records): Promise<Policy> {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new CommandError("--version takes a number from 1 up")
  const policy = await records.policy({ tenantId: tenant.id, version: Number(text) })
  if (policy === null) throw new CommandError(`The policy of ${tenant.name} has no version ${text}`)
  return policy
}

async function newestPolicy(tenant: Tenant, records: Records): Promise<Policy> {
  const [policy] = await records.policies({ tenantId: tenant.id, limit: 1 })
  if (policy === undefined) throw new Error("A tenant has no policy")
  return policy
}

/** The policy that a file holds; what is wrong with it is said with the file's name. */
export function policyInFile(file: string, models: Models): TenantSettings {
  let text: string
  try {
    text = readFileSync(file, "utf8")
  } catch (error) {
    throw new CommandError(`${file} cannot be read`, { cause: error })
  }
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch (error) {
    const place = /\(line \d+ column \d+\)/.exec((error as Error).message)?.[0]
    throw new CommandError(`${file} is not JSON${place === undefined ? "" : ` ${place}`}`, {
      cause: error,
    })
  }
  return checkedPolicy(document, file, models)
}

export function checkedPolicy(document: unknown, label: string, models: Models): TenantSettings {
  try {
    return readPolicy(document, models)
  } catch (error) {
    if (!(error instanceof Explained)) throw error
    throw new CommandError(`${label}: ${error.message}`, { cause: error })
  }
}

export function staleCalibration(): CommandError {
  return new CommandError(
    "/calibration: was fitted to the scores of the tenant's present e-mail model; leave it out, and fit it again under the other one",
  )
}
