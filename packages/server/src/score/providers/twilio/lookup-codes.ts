import type { SignalStatus } from "../signals.ts"

/**
 * What Twilio's error codes mean for a signal. A field has its own code beside the others' answers;
 * a refusal of the whole request carries one in its body.
 */
const STATUS_OF_CODE: ReadonlyMap<string, SignalStatus> = new Map<string, SignalStatus>([
  ["20003", "unauthorized"],
  ["20404", "not_found"],
  ["20429", "rate_limited"],
  // The number, its carrier or its country is outside what the field covers.
  ["60008", "no_coverage"],
  ["60600", "no_coverage"],
  ["60607", "no_coverage"],
  ["60610", "no_coverage"],
  // The account's region may not or cannot answer for this number; another provider may.
  ["60614", "no_coverage"],
  ["60619", "no_coverage"],
  // Carrier data the account was not given access to, such as Canada's.
  ["60601", "unauthorized"],
  // The field waits for the approval of the carriers.
  ["60606", "consent_required"],
  ["60608", "error"],
  ["60611", "rate_limited"],
  ["60616", "rate_limited"],
  ["60626", "rate_limited"],
  // The carrier answered in part and will not say more: asking again is paid for and gives nothing.
  ["60620", "not_found"],
])

/**
 * Twilio's code as text; null where there is none. Some fields give it as a number and some as
 * text.
 */
export function errorCode(value: unknown): string | null {
  if (value === null || value === undefined) return null
  const text = typeof value === "number" || typeof value === "string" ? String(value) : ""
  return /^\d{1,6}$/.test(text) ? text : "unreadable_code"
}

/** A code that is not known says that something went wrong and nothing else. */
export function statusOfCode(code: string): SignalStatus {
  return STATUS_OF_CODE.get(code) ?? "error"
}
