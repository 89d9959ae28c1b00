import { isDeepStrictEqual } from "node:util"
import { Explained } from "@assay/runtime/explained"
import { Value } from "typebox/value"
import { TenantSettings } from "../accounts/tenant-settings.ts"
import { ownDomainOf } from "../score/email/lists/own-domains.ts"
import { MODEL_NAMES, type Models } from "../score/models.ts"

type Document = Readonly<Record<string, unknown>>

/**
 * A whole policy as a person wrote it, with its domains as they are registered. Throws Explained
 * `policy` with a line for each fault, which begins with the path of the member.
 */
export function readPolicy(document: unknown, models: Models): TenantSettings {
  if (!Value.Check(TenantSettings, document)) throw refusal(shapeFaults(document))
  const faults = [...modelFaults(document, models), ...domainFaults(document)]
  if (faults.length > 0) throw refusal(faults)
  const { domains, ...others } = document
  if (domains === undefined) return document
  const own = domains.map((domain) => ownDomainOf(domain)).filter((domain) => domain !== null)
  return { ...others, domains: [...new Set(own)] }
}

function refusal(faults: readonly string[]): Explained {
  return new Explained("policy", `This cannot be a policy:\n${faults.join("\n")}`)
}

function shapeFaults(document: unknown): string[] {
  return [...Value.Errors(TenantSettings, document)].flatMap((fault) => {
    const { instancePath: path, message } = fault
    // Said of the same member that the object above it must not have.
    if (fault.keyword === "boolean") return []
    if (fault.keyword !== "additionalProperties") return [`${path === "" ? "/" : path}: ${message}`]
    return fault.params.additionalProperties.map((name) => `${path}/${name}: is not a setting`)
  })
}

function modelFaults({ models: chosen }: TenantSettings, models: Models): string[] {
  return MODEL_NAMES.flatMap((name) => {
    const versions = models.loaded(name).map(({ model }) => model.version)
    const version = chosen?.[name]
    if (version === undefined || versions.includes(version)) return []
    return [`/models/${name}: takes a version that is loaded: ${versions.join(", ")}`]
  })
}

function domainFaults({ domains = [] }: TenantSettings): string[] {
  return domains.flatMap((domain, place) =>
    ownDomainOf(domain) === null ? [`/domains/${place}: takes a domain of the tenant's own`] : [],
  )
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
  return OF_INPUTS.filter((member) => {
    const isOff = (value: unknown): boolean => value === undefined || value === false
    const [was, is] = [before[member], after[member]]
    return !(isOff(was) && isOff(is)) && !isDeepStrictEqual(was, is)
  })
}
