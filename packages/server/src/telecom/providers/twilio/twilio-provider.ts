import { readFileSync } from "node:fs"
import { boundedJson } from "../../../outbound/bounded-json.ts"
import type { PhoneSignalProvider, SignalName, SignalRequest, SignalResult } from "../../signals.ts"
import {
  ProviderSettingsError,
  type TwilioField,
  type TwilioSettings,
} from "../provider-settings.ts"
import { MICROS } from "../spending.ts"
import {
  type Finding,
  findingOf,
  MALFORMED,
  type NoFinding,
  type TwilioSignal,
} from "./lookup-answer.ts"
import { errorCode, statusOfCode, statusOfHttp } from "./lookup-codes.ts"

export interface TwilioOptions {
  readonly now: () => number
}

const ID = "twilio"
const BASE_URL = "https://lookups.twilio.com/"
const BODY_BYTES_MAX = 64 * 1024

/** Which fields tell a signal; the first of them that is asked for is read. */
const FIELDS_OF: { readonly [Name in TwilioSignal]: readonly TwilioField[] } = {
  line_type: ["line_type_intelligence"],
  carrier: ["line_type_intelligence", "sim_swap"],
  sim_change: ["sim_swap"],
  call_forwarding: ["call_forwarding"],
  recycled: ["reassigned_number"],
  active: ["line_status"],
  reachable: ["line_status"],
}

const TIMED_OUT: NoFinding = { status: "timeout", billable: false }
const UNREACHABLE: NoFinding = { status: "error", providerCode: "connection_failed", billable: false }
const NOT_OFFERED: NoFinding = { status: "no_coverage", billable: false }
/** Whether a number changed hands can only be asked as of a date. */
const NO_DATE: NoFinding = { status: "not_applicable", billable: false }

/** An answer to read, or what to say of every signal where there is none. */
type Answer = { readonly document: unknown } | { readonly failure: NoFinding }

/** Twilio Lookup v2: one request for all fields, each of which is answered, or not, by itself. */
export function openTwilioProvider(
  settings: TwilioSettings,
  { now }: TwilioOptions,
): PhoneSignalProvider {
  const { base_url: base = BASE_URL, fields: prices, ranges } = settings
  const headers = {
    accept: "application/json",
    authorization: authorization(settings),
    "user-agent": "assay",
  }
  const fieldOf = new Map<SignalName, TwilioField>()
  for (const [signal, fields] of Object.entries(FIELDS_OF)) {
    const field = fields.find((name) => prices[name] !== undefined)
    if (field !== undefined) fieldOf.set(signal as TwilioSignal, field)
  }
  const signals = [...fieldOf.keys()]
  const closing = new AbortController()

  function fieldsOf(names: readonly SignalName[]): Set<TwilioField> {
    const fields = new Set<TwilioField>()
    for (const name of names) {
      const field = fieldOf.get(name)
      if (field !== undefined) fields.add(field)
    }
    return fields
  }

  /** Whatever `fetch` throws names the URL, and that names the number: nothing of it is passed on. */
  async function get(path: string, signal: AbortSignal): Promise<Response | null> {
    try {
      return await fetch(base + path, { headers, signal, redirect: "manual" })
    } catch {
      return null
    }
  }

  async function lookUp(path: string, signal: AbortSignal): Promise<Answer> {
    const response = await get(path, signal)
    if (response === null) return { failure: signal.aborted ? TIMED_OUT : UNREACHABLE }
    const { status } = response
    try {
      if (status === 200) return { document: await boundedJson(response, BODY_BYTES_MAX) }
      return { failure: await refusal(response) }
    } catch {
      return { failure: signal.aborted ? TIMED_OUT : MALFORMED }
    } finally {
      // Lets go of the connection where the body was not read to its end.
      await response.body?.cancel().catch(() => undefined)
    }
  }

  function finding(signal: SignalName, answer: Answer, { sinceDate }: SignalRequest): Finding {
    const field = fieldOf.get(signal)
    if (field === undefined) return NOT_OFFERED
    if (field === "reassigned_number" && sinceDate === null) return NO_DATE
    if ("failure" in answer) return answer.failure
    const sinceDay = sinceDate === null ? null : dayIn(sinceDate)
    return findingOf(signal as TwilioSignal, field, answer.document, { nowMs: now(), sinceDay })
  }

  return {
    id: ID,
    capabilities: ({ e164 }) =>
      ranges === undefined || ranges.some((range) => e164.startsWith(range)) ? signals : [],
    calls: (names) => [names],
    priceMicros(names) {
      let price = 0
      for (const field of fieldsOf(names)) price += prices[field] ?? 0
      return Math.round(price * MICROS)
    },
    async fetch(request): Promise<readonly SignalResult[]> {
      const askedAtMs = now()
      const { e164, sinceDate } = request
      const fields = fieldsOf(request.signals)
      if (sinceDate === null) fields.delete("reassigned_number")
      const query = new URLSearchParams({ Fields: [...fields].join(",") })
      if (sinceDate !== null && fields.has("reassigned_number"))
        query.set("LastVerifiedDate", dayIn(sinceDate).replaceAll("-", ""))
      const answer =
        fields.size === 0
          ? { failure: NOT_OFFERED }
          : await lookUp(
              `v2/PhoneNumbers/${encodeURIComponent(e164)}?${query.toString()}`,
              AbortSignal.any([request.signal, closing.signal]),
            )
      const observedAt = new Date(askedAtMs).toISOString()
      const latencyMs = now() - askedAtMs
      return request.signals.map((signal) => ({
        signal,
        ...finding(signal, answer, request),
        source: ID,
        observedAt,
        latencyMs,
      }))
    },
    async check(signal) {
      // Costs nothing, names no number, and is refused without the right password.
      const response = await get("v2/RateLimits", AbortSignal.any([signal, closing.signal]))
      if (response === null) throw new Error("Twilio cannot be reached")
      await response.body?.cancel()
      if (response.status === 401 || response.status === 403)
        throw new Error("Twilio does not accept the user and the password")
      if (response.status !== 200)
        throw new Error(`Twilio answered with the status ${response.status}`)
    },
    close: () => closing.abort(),
  }
}

/** A status other than 200. Twilio's code says more than the status where it gives one. */
async function refusal(response: Response): Promise<NoFinding> {
  const { status } = response
  const byStatus: NoFinding = {
    status: statusOfHttp(status),
    providerCode: `http_${status}`,
    billable: false,
  }
  if (status < 400 || status > 499 || status === 401) return byStatus
  const code = await codeIn(response)
  if (code === null) return byStatus
  const known = statusOfCode(code)
  return { ...byStatus, status: known === "error" ? byStatus.status : known, providerCode: code }
}

/** A refusal without a document is a refusal all the same, so what cannot be read is left out. */
async function codeIn(response: Response): Promise<string | null> {
  const document = await boundedJson(response, BODY_BYTES_MAX).catch(() => null)
  return typeof document === "object" && document !== null && "code" in document
    ? errorCode(document.code)
    : null
}

function authorization({ user, password_file }: TwilioSettings): string {
  const password = readFileSync(password_file, "utf8").trim()
  if (password === "") throw new ProviderSettingsError("at /twilio/password_file: is empty")
  // RFC 7617: everything after the first colon is the password.
  if (user.includes(":")) throw new ProviderSettingsError("at /twilio/user: has a colon")
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`
}

/** The UTC day of an RFC 3339 time, as YYYY-MM-DD. */
function dayIn(time: string): string {
  return new Date(time).toISOString().slice(0, 10)
}
