import { isDeepStrictEqual } from "node:util"
import type { Tenant } from "@assay/stores/records"
import type { Models } from "../score/models.ts"
import { TENANT_SETTINGS, type TenantSetting, valueAt } from "./tenant-setting.ts"

/** Where the values of settings are. */
type Valued = Pick<Tenant, "plan" | "settings">

export interface SettingDifference {
  readonly key: string
  readonly was: string
  readonly is: string
}

export function changesBetween(before: Valued, after: Valued, models: Models): SettingDifference[] {
  return TENANT_SETTINGS.filter((setting) => {
    // Compare the tenant's own values: a default that follows the model is no change by the tenant.
    return !isDeepStrictEqual(ownValue(setting, before), ownValue(setting, after))
  }).map((setting) => ({
    key: setting.key,
    was: valueText(setting, before, models),
    is: valueText(setting, after, models),
  }))
}

function ownValue({ path }: TenantSetting, { plan, settings }: Valued): unknown {
  return path === null ? plan : valueAt(settings, path)
}

/** A setting's value as text, with "(default)" if the tenant did not set it. */
export function valueText(setting: TenantSetting, tenant: Valued, models: Models): string {
  const own = ownValue(setting, tenant)
  if (Array.isArray(own)) return own.join(",")
  if (own !== undefined) return typeof own === "string" ? own : JSON.stringify(own)
  const version = valueAt(tenant.settings, ["models", "email"])
  const known = models.loaded("email").some(({ model }) => model.version === version)
  return `${setting.usual(models, known ? String(version) : null)} (default)`
}
