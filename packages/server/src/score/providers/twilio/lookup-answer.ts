import type { NumberType } from "@assay/core/identity"
import type { Precision, SignalStatus, SignalValues } from "../signals.ts"
import { changeDate, INVALID_DATE } from "../change-date.ts"
import type { TwilioField } from "./twilio-settings.ts"
import { errorCode, statusOfCode } from "./lookup-codes.ts"

/** The signals that fields of Twilio Lookup answer. */
export type TwilioSignal =
  | "line_type"
  | "carrier"
  | "sim_change"
  | "call_forwarding"
  | "recycled"
  | "active"
  | "reachable"

/** What an answer says of one signal. */
export interface Finding<Name extends TwilioSignal = TwilioSignal> {
  readonly status: SignalStatus
  readonly value?: SignalValues[Name]
  readonly precision?: Precision
  readonly coveredWindow?: string
  readonly providerCode?: string
  /**
   * Twilio charges for a field it answers, and nothing if it covers neither country nor carrier.
   */
  readonly billable: boolean
}

/** Why nothing is known of a signal. */
export type NoFinding = Finding<never>

export interface Asked {
  readonly nowMs: number
  /** YYYY-MM-DD, as `reassigned_number` was asked for. */
  readonly sinceDay: string | null
}

type Members = Readonly<Record<string, unknown>>
type Reader<Name extends TwilioSignal> = (members: Members, asked: Asked) => Finding<Name>

/** Answers have a few members; anything longer is no answer, and is not read into memory. */
export const ANSWER_BYTES_MAX = 64 * 1024

/** The code of an answer that is not in the form Twilio describes. */
export const MALFORMED: NoFinding = { status: "error", providerCode: "malformed", billable: true }
const NO_COVERAGE: NoFinding = { status: "no_coverage", billable: false }
/** Asked, paid for, and the carrier knows nothing. */
const NO_DATA: NoFinding = { status: "no_coverage", billable: true }
const INVALID: Finding<"line_type"> = { status: "ok", value: "invalid", billable: false }

const TYPE_OF: ReadonlyMap<unknown, NumberType> = new Map<unknown, NumberType>([
  ["mobile", "mobile"],
  ["landline", "fixed_line"],
  ["fixedVoip", "voip_fixed"],
  ["nonFixedVoip", "voip_non_fixed"],
  ["tollFree", "toll_free"],
  ["premium", "premium_rate"],
  ["sharedCost", "shared_cost"],
  ["personal", "personal"],
  ["uan", "uan"],
  ["pager", "pager"],
  ["voicemail", "voicemail"],
])

const NAME_CHARACTERS_MAX = 100
const HOUR_SECONDS = 3_600

const READERS: { readonly [Name in TwilioSignal]: Reader<Name> } = {
  line_type({ type }) {
    const value = TYPE_OF.get(type)
    if (value !== undefined) return { status: "ok", value, billable: true }
    // "unknown", and words added since: neither is better than the numbering plan.
    return type === null || typeof type === "string" ? NO_DATA : MALFORMED
  },

  carrier({ carrier_name: name }) {
    if (name === null) return NO_DATA
    if (typeof name !== "string" || name === "") return MALFORMED
    const value = { name: name.slice(0, NAME_CHARACTERS_MAX), region: null }
    return { status: "ok", value, billable: true }
  },

  sim_change({ last_sim_swap: last }, { nowMs }) {
    if (last === null) return NO_DATA
    if (!isObject(last)) return MALFORMED
    const { last_sim_swap_date: date, swapped_period: period, swapped_in_period: swapped } = last
    if (date !== null && date !== undefined) {
      const at = changeDate(date, nowMs)
      if (at === null) return { status: "error", providerCode: INVALID_DATE, billable: true }
      return { status: "ok", value: { at }, precision: "instant", billable: true }
    }
    if (swapped === null || swapped === undefined) return NO_DATA
    const seconds = typeof period === "string" ? durationSeconds(period) : null
    if (typeof swapped !== "boolean" || seconds === null) return MALFORMED
    return swapped ? swappedWithin(seconds) : unchangedFor(seconds)
  },

  call_forwarding(members) {
    // The member was renamed; accounts see either name.
    const { call_forwarding_enabled, call_forwarding_status } = members
    const value = call_forwarding_enabled ?? call_forwarding_status ?? null
    if (value === null) return NO_DATA
    return typeof value === "boolean" ? yesOrNo(value) : MALFORMED
  },

  recycled({ is_number_reassigned: answer, last_verified_date: day }, { sinceDay }) {
    // A "no" about another date would clear the wrong time.
    if (typeof day === "string" && digitsOf(day) !== digitsOf(sinceDay ?? "")) return MALFORMED
    if (answer === null || answer === "no_data_available") return NO_DATA
    if (answer !== "yes" && answer !== "no") return MALFORMED
    return { status: "ok", value: answer === "yes", precision: "day", billable: true }
  },

  active({ status }) {
    const word = lineStatus(status)
    if (word === null) return MALFORMED
    if (word === "unknown") return NO_DATA
    return yesOrNo(word !== "inactive")
  },

  reachable({ status }) {
    const word = lineStatus(status)
    if (word === null) return MALFORMED
    // A line that is active may be switched off; one that is not has nothing that could be reached.
    if (word === "unknown" || word === "active") return NO_DATA
    if (word === "inactive") return { status: "not_applicable", billable: true }
    return yesOrNo(word === "reachable")
  },
}

/** What the answer to a look-up says of a signal that `field` answers. */
export function findingOf(
  signal: TwilioSignal,
  field: TwilioField,
  document: unknown,
  asked: Asked,
): Finding {
  // Every answer names its number; a document that does not is no answer, whatever its status.
  if (!isObject(document) || typeof document["phone_number"] !== "string") return MALFORMED
  if (signal === "line_type" && document["valid"] === false) return INVALID
  const members = document[field]
  if (members === null) return NO_COVERAGE
  if (!isObject(members)) return MALFORMED
  const code = errorCode(members["error_code"])
  if (code === null) return READERS[signal](members, asked)
  const status = statusOfCode(code)
  return { status, providerCode: code, billable: status === "not_found" }
}

function yesOrNo(value: boolean) {
  return { status: "ok", value, precision: "boolean", billable: true } as const
}

/** The change is somewhere in the window, so the window may be rounded up, never down. */
function swappedWithin(seconds: number): Finding<"sim_change"> {
  const hours = Math.max(1, Math.ceil(seconds / HOUR_SECONDS))
  return {
    status: "partial",
    value: { withinHours: hours, notWithinHours: null },
    precision: "boolean",
    coveredWindow: `${hours}h`,
    billable: true,
  }
}

/** "Not changed" holds for the window and not an hour longer. */
function unchangedFor(seconds: number): Finding<"sim_change"> {
  const hours = Math.floor(seconds / HOUR_SECONDS)
  if (hours === 0) return NO_DATA
  return {
    status: "partial",
    value: { none: true },
    precision: "boolean",
    coveredWindow: `${hours}h`,
    billable: true,
  }
}

const LINE_STATUSES = ["active", "reachable", "unreachable", "inactive", "unknown"] as const

/** Documented with a capital and sent without; null for any other word. */
function lineStatus(value: unknown): (typeof LINE_STATUSES)[number] | null {
  if (value === null) return "unknown"
  const word = typeof value === "string" ? value.toLowerCase() : ""
  return LINE_STATUSES.find((status) => status === word) ?? null
}

function digitsOf(day: string): string {
  return day.replaceAll("-", "")
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

const DURATION =
  /^P(?=.)(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?=.)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})(?:\.\d{1,9})?S)?)?$/

const SECONDS = [7 * 86_400, 86_400, 3_600, 60, 1] as const

/**
 * The length of an ISO 8601 duration in seconds; null for any other text. Years and months are not
 * read: they have no fixed length, and a window must not be taken for longer than it is.
 */
export function durationSeconds(text: string): number | null {
  const match = DURATION.exec(text)
  if (match === null) return null
  return SECONDS.reduce((sum, seconds, at) => sum + seconds * Number(match[at + 1] ?? 0), 0)
}
