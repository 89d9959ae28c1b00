import { isDeepStrictEqual } from "node:util"
import { Explained } from "@assay/runtime/explained"
import { Value } from "typebox/value"
import { TenantSettings } from "../accounts/tenant-settings.ts"
import { ownDomainOf } from "../score/email/lists/own-domains.ts"
import { MODEL_NAMES, type Models } from "../score/models.ts"

type Document = Readonly<Record<string, unknown>>

/** What is wrong with a member of a document. */
export interface PolicyFault {
  /** A JSON pointer, without the name of a member that is no setting: that is the writer's text. */
  readonly path: string
  readonly detail: string
  /** The member that is no setting. */
  readonly unknown?: string
}

/** Settings that only the operator changes: what a tenant may see, and what it may spend. */
const OF_OPERATOR = ["verified", "provider_daily_cap"] as const

/**
 * A whole policy as a person wrote it, with its domains as they are registered. Throws Explained
 * `policy` with a line for each fault, which begins with the path of the member.
 */
export function readPolicy(document: unknown, models: Models): TenantSettings {
  const faults = policyFaults(document, models)
  if (faults.length > 0)
    throw new Explained("policy", `This cannot be a policy:\n${faults.map(lineOf).join("\n")}`)
  return withOwnDomains(document as TenantSettings)
}

function lineOf({ path, detail, unknown }: PolicyFault): string {
  if (unknown !== undefined) return `${path}/${unknown}: is not a setting`
  return `${path === "" ? "/" : path}: ${detail}`
}

/** Everything that is wrong with a document; none where it can be a policy. */
export function policyFaults(document: unknown, models: Models): PolicyFault[] {
  if (!Value.Check(TenantSettings, document)) return shapeFaults(document)
  return [...modelFaults(document, models), ...domainFaults(document)]
}

function withOwnDomains(document: TenantSettings): TenantSettings {
  const { domains, ...others } = document
  if (domains === undefined) return document
  const own = domains.map((domain) => ownDomainOf(domain)).filter((domain) => domain !== null)
  return { ...others, domains: [...new Set(own)] }
}

function shapeFaults(document: unknown): PolicyFault[] {
  return [...Value.Errors(TenantSettings, document)].flatMap((fault): PolicyFault[] => {
    const { instancePath: path, message } = fault
    // Said of the same member that the object above it must not have.
    if (fault.keyword === "boolean") return []
    if (fault.keyword !== "additionalProperties") return [{ path, detail: message }]
    return fault.params.additionalProperties.map((unknown) => ({
      path,
      detail: "has a member that is not a setting",
      unknown,
    }))
  })
}

function modelFaults({ models: chosen }: TenantSettings, models: Models): PolicyFault[] {
  return MODEL_NAMES.flatMap((name) => {
    const versions = models.loaded(name).map(({ model }) => model.version)
    const version = chosen?.[name]
    if (version === undefined || versions.includes(version)) return []
    const detail = `takes a version that is loaded: ${versions.join(", ")}`
    return [{ path: `/models/${name}`, detail }]
  })
}

function domainFaults({ domains = [] }: TenantSettings): PolicyFault[] {
  return domains.flatMap((domain, place) =>
    ownDomainOf(domain) === null
      ? [{ path: `/domains/${place}`, detail: "takes a domain of the tenant's own" }]
      : [],
  )
}

/**
 * What a tenant made of its policy, with the operator's members as they are; those that it sets
 * otherwise are faults.
 */
export function keepingOperators(
  before: TenantSettings,
  document: TenantSettings,
): { readonly policy: TenantSettings; readonly faults: readonly PolicyFault[] } {
  const changed = OF_OPERATOR.filter(
    (member) => document[member] !== undefined && !isSame(before[member], document[member]),
  )
  const { verified: _verified, provider_daily_cap: _cap, ...own } = document
  const { verified, provider_daily_cap } = before
  return {
    policy: {
      ...own,
      ...(verified !== undefined && { verified }),
      ...(provider_daily_cap !== undefined && { provider_daily_cap }),
    },
    faults: changed.map((member) => ({ path: `/${member}`, detail: "is set by the operator" })),
  }
}

/** What a shadow would look at beyond the policy that acts, which it must not. */
export function shadowFaults(live: TenantSettings, shadow: TenantSettings): PolicyFault[] {
  return (["verified", "providers"] as const)
    .filter((member) => shadow[member] === true && live[member] !== true)
    .map((member) => ({
      path: `/${member}`,
      detail: "cannot be on in a shadow alone: it looks at no more than the policy that acts",
    }))
}

/**
 * Whether a policy keeps the calibration of the one before it under another e-mail model. A fit
 * maps the scores of one model. On the scores of another it would be silently wrong.
 */
export function hasStaleCalibration(before: Document, after: Document): boolean {
  const modelOf = ({ models }: Document): unknown => (models as Document | undefined)?.["email"]
  const calibration = after["calibration"]
  return (
    calibration !== undefined &&
    modelOf(before) !== modelOf(after) &&
    isDeepStrictEqual(before["calibration"], calibration)
  )
}

/** What a policy sets that changes what is looked at, and not how it is weighed. */
const OF_INPUTS = ["verified", "providers", "provider_daily_cap", "domains"] as const

/**
 * The members in which two policies differ and that past decisions say nothing about: their inputs
 * were found under the policy of that time.
 */
export function changedInputMembers(before: Document, after: Document): string[] {
  return OF_INPUTS.filter((member) => !isSame(before[member], after[member]))
}

function isSame(was: unknown, is: unknown): boolean {
  const isOff = (value: unknown): boolean => value === undefined || value === false
  return (isOff(was) && isOff(is)) || isDeepStrictEqual(was, is)
}
