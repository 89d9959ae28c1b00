import { parseTime } from "@assay/runtime/rfc3339"
import type { Precision, SignalName, SignalValues } from "../signals.ts"
import { malformed } from "../signal-failure.ts"
import { flagOf, type Members } from "./members.ts"

/** What a signal's API said, before it is known whose answer it is. */
export interface Reading<Name extends SignalName = SignalName> {
  readonly status: "ok" | "partial"
  readonly value: SignalValues[Name]
  readonly asOf?: string
  readonly precision?: Precision
  readonly coveredWindow?: string
  /** Why the status is no better. */
  readonly providerCode?: string
}

export function readRecycled(members: Members): Reading<"recycled"> {
  return { status: "ok", value: flagOf(members, "phoneNumberRecycled"), precision: "boolean" }
}

/** The definition asks for no member at all, but an answer without this one says nothing. */
export function readForwarding(members: Members): Reading<"call_forwarding"> {
  return { status: "ok", value: flagOf(members, "active"), precision: "boolean" }
}

export function readReachable(members: Members): Reading<"reachable"> {
  return {
    status: "ok",
    value: flagOf(members, "reachable"),
    asOf: statusTimeOf(members),
    precision: "boolean",
  }
}

export function readRoaming(members: Members): Reading<"roaming"> {
  return {
    status: "ok",
    value: { roaming: flagOf(members, "roaming"), country: countryOf(members) },
    asOf: statusTimeOf(members),
    precision: "boolean",
  }
}

const IN_AND_OUT = new Set<unknown>(["active", "suspended"])
const DATA = new Set<unknown>(["active", "suspended", "throttled"])

/**
 * A line that calls and messages do not reach is not active, whatever else it may do: what matters
 * is whether the person can be reached by it. One that may only not call out, as with a bill not
 * paid, is.
 */
export function readSubscription(members: Members): Reading<"active"> {
  const { voiceSmsIn, voiceSmsOut, dataService } = members
  if (!IN_AND_OUT.has(voiceSmsIn) || !IN_AND_OUT.has(voiceSmsOut) || !DATA.has(dataService))
    throw malformed()
  return { status: "ok", value: voiceSmsIn === "active", precision: "boolean" }
}

export type Contract = SignalValues["tenure"]["contract"]

/**
 * A business account is billed, as a contract is. A word that is not in the definition says
 * nothing.
 */
export function contractOf({ contractType }: Members): Contract {
  if (contractType !== undefined && typeof contractType !== "string") throw malformed()
  if (contractType === "PAYG") return "prepaid"
  return contractType === "PAYM" || contractType === "Business" ? "postpaid" : null
}

function statusTimeOf({ lastStatusTime }: Members): string {
  const ms = typeof lastStatusTime === "string" ? parseTime(lastStatusTime) : null
  if (ms === null) throw malformed()
  return new Date(ms).toISOString()
}

/** One network code can stand for several countries or for none; then no country is named. */
function countryOf({ countryName }: Members): string | null {
  if (countryName === undefined) return null
  if (!Array.isArray(countryName)) throw malformed()
  const [country, ...others] = countryName as readonly unknown[]
  if (country === undefined || others.length > 0) return null
  if (typeof country !== "string" || !/^[A-Z]{2}$/.test(country)) throw malformed()
  return country
}
