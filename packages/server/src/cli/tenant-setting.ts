import { plans } from "../accounts/plans.ts"
import { ownDomainOf } from "../score/email/lists/own-domains.ts"
import type { Models } from "../score/models.ts"
import { CommandError } from "./terminal.ts"

type SettingValue = boolean | number | string | readonly string[]

/** One thing that can be set for a tenant by `KEY=VALUE`. */
export interface TenantSetting {
  readonly key: string
  /** Where the value stands in the settings document; null for the plan, which stands beside it. */
  readonly path: readonly string[] | null
  /** What it takes, for the person who mistyped it. */
  readonly takes: (models: Models) => string
  /** The value of a text, or undefined for a text that is none. */
  readonly parse: (text: string, models: Models) => SettingValue | undefined
  /** The value that applies if nothing is set, under the models the tenant uses. */
  readonly usual: (models: Models, emailVersion: string | null) => boolean | number | string
}

type Model = "email" | "phone"

const NUMBER = /^\d+(\.\d+)?$/
const COST_MAX = 1_000_000
const CAP_MAX = 1_000_000_000

function flag(key: string): TenantSetting {
  return {
    key,
    path: [key],
    takes: () => "true or false",
    parse: (text) => (text === "true" ? true : text === "false" ? false : undefined),
    usual: () => false,
  }
}

function model(name: Model): TenantSetting {
  const versions = (models: Models) => models.loaded(name).map(({ model }) => model.version)
  return {
    key: `model.${name}`,
    path: ["models", name],
    takes: (models) => `a version that is loaded: ${versions(models).join(", ")}`,
    parse: (text, models) => (versions(models).includes(text) ? text : undefined),
    usual: (models) => models[name](null).version,
  }
}

function prior(key: string, risk: "credential" | "abuse"): TenantSetting {
  return {
    key,
    path: [key],
    takes: () => "a number above 0 and below 1",
    parse: (text) => numberIn(text, (value) => value > 0 && value < 1),
    usual: (models, version) => models.email(version).priors[risk],
  }
}

function cost(name: string, member: "loss" | "challenge" | "wrongBlock"): TenantSetting {
  return {
    key: `costs.${name}`,
    path: ["costs", name],
    takes: () => `a number above 0 and up to ${COST_MAX}`,
    parse: (text) => numberIn(text, (value) => value > 0 && value <= COST_MAX),
    usual: (models, version) => models.email(version).costs[member],
  }
}

function numberIn(text: string, fits: (value: number) => boolean): number | undefined {
  const value = NUMBER.test(text) ? Number(text) : NaN
  return fits(value) ? value : undefined
}

const plan: TenantSetting = {
  key: "plan",
  path: null,
  takes: () => Object.keys(plans).join(" or "),
  parse: (text) => (Object.hasOwn(plans, text) ? text : undefined),
  usual: () => "free",
}

/** Fitted from labels and never typed in; here it can only be taken away. */
const calibration: TenantSetting = {
  key: "calibration",
  path: ["calibration"],
  takes: () => "nothing, which takes the fit away",
  parse: () => undefined,
  usual: () => "none",
}

const providerCap: TenantSetting = {
  key: "provider_daily_cap",
  path: ["provider_daily_cap"],
  takes: () => "a number from 0 up, in the unit of the prices",
  parse: (text) => numberIn(text, (value) => value <= CAP_MAX),
  usual: () => "as for every tenant",
}

const DOMAINS_MAX = 100

const domains: TenantSetting = {
  key: "domains",
  path: ["domains"],
  takes: () =>
    `up to ${DOMAINS_MAX} domains of the tenant's own, with commas between: acme.com,acme.de`,
  parse(text) {
    const read = text.split(",").map((domain) => ownDomainOf(domain))
    const named = [...new Set(read)].filter((domain) => domain !== null)
    return read.includes(null) || named.length > DOMAINS_MAX ? undefined : named
  },
  usual: () => "none",
}

export const TENANT_SETTINGS: readonly TenantSetting[] = [
  plan,
  flag("verified"),
  model("email"),
  model("phone"),
  prior("prior_cred", "credential"),
  prior("prior_abuse", "abuse"),
  cost("loss", "loss"),
  cost("challenge", "challenge"),
  cost("wrong_block", "wrongBlock"),
  calibration,
  flag("confirmed_before_block"),
  flag("sms_only_step_up"),
  flag("providers"),
  providerCap,
  domains,
]

export interface Assignment {
  readonly setting: TenantSetting
  /** undefined: back to the default. */
  readonly value: SettingValue | undefined
}

/** Reads `KEY=VALUE`; `KEY=` sets nothing. Fails with the key and what it takes. */
export function readAssignment(text: string, models: Models): Assignment {
  const at = text.indexOf("=")
  const key = at === -1 ? text : text.slice(0, at)
  const setting = TENANT_SETTINGS.find((known) => known.key === key)
  if (setting === undefined) {
    const keys = TENANT_SETTINGS.map((known) => known.key)
    throw new CommandError(`There is no setting ${key}; there are ${keys.join(", ")}`)
  }
  const given = at === -1 ? null : text.slice(at + 1)
  if (given === "" && setting.path !== null) return { setting, value: undefined }
  const value = given === null ? undefined : setting.parse(given, models)
  if (value === undefined) throw new CommandError(`${key} takes ${setting.takes(models)}`)
  return { setting, value }
}

type Document = Readonly<Record<string, unknown>>

/** The value at a path of a settings document; undefined where none is set. */
export function valueAt(document: Document, path: readonly string[]): unknown {
  let value: unknown = document
  for (const name of path) value = (value as Document | undefined)?.[name]
  return value
}

/** A copy with the value at the path, or without it; an object that is left empty goes too. */
export function withValueAt(document: Document, path: readonly string[], value: unknown): Document {
  const [name = "", ...rest] = path
  const { [name]: was, ...others } = document
  const next = rest.length === 0 ? value : withValueAt((was ?? {}) as Document, rest, value)
  const isEmpty =
    next === undefined || (rest.length > 0 && Object.keys(next as object).length === 0)
  return isEmpty ? others : { ...others, [name]: next }
}
