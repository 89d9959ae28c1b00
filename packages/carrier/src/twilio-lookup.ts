import { hash } from "node:crypto"
import { DAY_MS, HOUR_MS } from "@assay/runtime/time"
import type { TwilioField, TwilioScript } from "./twilio-script.ts"

export interface Lookup {
  readonly number: string
  readonly fields: readonly TwilioField[]
  /** YYYYMMDD; null where it was not given. */
  readonly lastVerifiedDate: string | null
  readonly nowMs: number
}

type Members = Readonly<Record<string, unknown>>

const CARRIER = { mobile_country_code: "505", mobile_network_code: "99" }
const SIM_CHANGED_FROM = Date.UTC(2020, 5, 1)
const SIM_CHANGED_DAYS = 700

/** The document of a look-up: the requested fields, and null for the others. */
export function lookupDocument(lookup: Lookup, script: TwilioScript): Members {
  const { number, fields } = lookup
  const { valid = true, not_covered: notCovered = [], codes = {} } = script
  const membersOf = (field: TwilioField): Members | null => {
    if (!valid || !fields.includes(field) || notCovered.includes(field)) return null
    const code = codes[field]
    const members = ANSWERS[field](lookup, script)
    if (code === undefined) return { ...members, error_code: null }
    const unknown = Object.keys(members).map((name) => [name, null] as const)
    return { ...Object.fromEntries(unknown), error_code: code }
  }
  return {
    phone_number: number,
    valid,
    validation_errors: valid ? [] : ["INVALID_BUT_POSSIBLE"],
    caller_name: null,
    line_type_intelligence: membersOf("line_type_intelligence"),
    sim_swap: membersOf("sim_swap"),
    call_forwarding: membersOf("call_forwarding"),
    reassigned_number: membersOf("reassigned_number"),
    line_status: membersOf("line_status"),
  }
}

const ANSWERS: {
  readonly [Field in TwilioField]: (lookup: Lookup, script: TwilioScript) => Members
} = {
  line_type_intelligence: (_lookup, { type = "mobile", carrier = "Trial Mobile" }) => ({
    type,
    carrier_name: carrier,
    ...CARRIER,
  }),
  sim_swap: ({ number, nowMs }, { sim, carrier = "Trial Mobile" }) => ({
    last_sim_swap: lastSimSwap(sim ?? { changed_at: calmChange(number) }, nowMs),
    carrier_name: carrier,
    ...CARRIER,
  }),
  call_forwarding: (_lookup, { forwarding = false }) => ({ call_forwarding_enabled: forwarding }),
  reassigned_number: ({ lastVerifiedDate }, { reassigned_on: reassignedOn = null }) => ({
    last_verified_date: lastVerifiedDate?.replace(/^(....)(..)(..)$/, "$1-$2-$3") ?? null,
    is_number_reassigned: reassigned(reassignedOn, lastVerifiedDate),
  }),
  line_status: (_lookup, { status = "reachable" }) => ({ status }),
}

function lastSimSwap(sim: NonNullable<TwilioScript["sim"]>, nowMs: number): Members {
  const { changed_at: changedAt, period_hours: hours } = sim
  const ageMs = changedAt === null ? null : Math.max(0, nowMs - Date.parse(changedAt))
  if (hours !== undefined)
    return {
      last_sim_swap_date: null,
      swapped_period: `PT${hours}H`,
      swapped_in_period: ageMs === null ? null : ageMs <= hours * HOUR_MS,
    }
  return {
    last_sim_swap_date: changedAt,
    swapped_period: ageMs === null ? null : `PT${Math.floor(ageMs / 1000)}S`,
    swapped_in_period: ageMs === null ? null : true,
  }
}

function reassigned(on: string | null, lastVerifiedDate: string | null): string {
  if (on === "unknown") return "no_data_available"
  return on !== null && on.replaceAll("-", "") > (lastVerifiedDate ?? "") ? "yes" : "no"
}

/**
 * Years ago, on a day that comes from the number: another for each, and the same from run to run.
 */
function calmChange(number: string): string {
  const day = hash("sha256", number, "buffer").readUInt32BE(0) % SIM_CHANGED_DAYS
  return new Date(SIM_CHANGED_FROM + day * DAY_MS).toISOString()
}
