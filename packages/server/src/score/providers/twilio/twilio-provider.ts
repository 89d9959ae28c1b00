import { readFileSync } from "node:fs"
import { boundedJson } from "@assay/runtime/outbound/bounded-json"
import { dayOf } from "@assay/runtime/time"
import type {
  PhoneSignalProvider,
  SignalName,
  SignalRequest,
  SignalResult,
  SignalStatus,
} from "../signals.ts"
import { type ProviderKind } from "../provider-kind.ts"
import { settingsFault } from "../../../settings/settings-file.ts"
import { errorCode, statusOfCode } from "./lookup-codes.ts"
import { type TwilioField, TwilioSettings } from "./twilio-settings.ts"
import { CONNECTION_FAILED, httpCode } from "../passing-faults.ts"
import { MICROS } from "@assay/stores/micros"
import {
  ANSWER_BYTES_MAX,
  type Finding,
  findingOf,
  MALFORMED,
  type NoFinding,
  type TwilioSignal,
} from "./lookup-answer.ts"

const ID = "twilio"
const BASE_URL = "https://lookups.twilio.com/"

/** Which fields carry a signal; the first one asked for is read. */
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
const DISCONNECTED: NoFinding = {
  status: "error",
  providerCode: CONNECTION_FAILED,
  billable: false,
}
const NOT_OFFERED: NoFinding = { status: "no_coverage", billable: false }
/** Whether a number changed hands can only be asked as of a date. */
const NO_DATE: NoFinding = { status: "not_applicable", providerCode: "no_date", billable: false }

/** An answer to read, or what to say of every signal where there is none. */
type Answer = { readonly document: unknown } | { readonly failure: NoFinding }

export const twilio: ProviderKind<typeof TwilioSettings> = {
  settings: TwilioSettings,
  open: (settings, now) => [openTwilioProvider(settings, { now })],
}

/** Twilio Lookup v2: one request for all fields, each of which is answered, or not, by itself. */
export function openTwilioProvider(
  settings: TwilioSettings,
  { now }: { readonly now: () => number },
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

  /** YYYY-MM-DD in UTC. A clock a little ahead of ours must not ask about tomorrow. */
  const dayIn = (time: string): string => dayOf(Math.min(Date.parse(time), now()))

  /**
   * Redirects are refused, since the configured host is the only one that may learn of a number.
   */
  const get = (path: string, signal: AbortSignal): Promise<Response> =>
    fetch(base + path, { headers, signal, redirect: "manual" })

  async function lookUp(path: string, signal: AbortSignal): Promise<Answer> {
    try {
      const response = await get(path, signal)
      if (response.status !== 200) return { failure: await refusal(response) }
      const document = await boundedJson(response, ANSWER_BYTES_MAX)
      return document === undefined ? { failure: MALFORMED } : { document }
    } catch {
      // Whatever `fetch` and its streams throw names the URL, and that names the number.
      return { failure: signal.aborted ? TIMED_OUT : DISCONNECTED }
    }
  }

  function finding(signal: SignalName, answer: Answer, { sinceDate }: SignalRequest): Finding {
    const field = fieldOf.get(signal)
    if (field === undefined) return NOT_OFFERED
    // If the whole call failed, every signal failed: a provider is judged by the answers it gave.
    if ("failure" in answer) return answer.failure
    if (field === "reassigned_number" && sinceDate === null) return NO_DATE
    const sinceDay = sinceDate === null ? null : dayIn(sinceDate)
    return findingOf(signal as TwilioSignal, field, answer.document, { nowMs: now(), sinceDay })
  }

  return {
    id: ID,
    ranges: ranges ?? null,
    timeoutMs: settings.timeout_ms,
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
      // No fields: only a reassignment without a date was asked for. There is nothing to ask, and
      // nothing failed.
      const answer =
        fields.size === 0
          ? { document: null }
          : await lookUp(
              `v2/PhoneNumbers/${encodeURIComponent(e164)}?${query.toString()}`,
              AbortSignal.any([request.abort, closing.signal]),
            )
      const observedAt = new Date(askedAtMs).toISOString()
      const latencyMs = Math.max(0, now() - askedAtMs)
      return request.signals.map((signal) => ({
        signal,
        ...finding(signal, answer, request),
        source: ID,
        observedAt,
        latencyMs,
      }))
    },
    async check(abort) {
      // Costs nothing, names no number, and is refused without the right password.
      const ended = AbortSignal.any([abort, closing.signal])
      const response = await get("v2/RateLimits", ended).catch(() => null)
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

function authorization({ user, password_file }: TwilioSettings): string {
  const password = readFileSync(password_file, "utf8").trim()
  if (password === "") throw settingsFault("at /twilio/password_file: is empty")
  // RFC 7617: everything after the first colon is the password.
  if (user.includes(":")) throw settingsFault("at /twilio/user: has a colon")
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`
}

/**
 * What these say without a code of Twilio's. Any other status is then about a wrong path or a
 * broken gateway: a 404 of one must not pass for "no such number".
 */
const BY_STATUS: ReadonlyMap<number, SignalStatus> = new Map<number, SignalStatus>([
  [401, "unauthorized"],
  [403, "consent_required"],
  [429, "rate_limited"],
  [504, "timeout"],
])

/** What a status other than 200 means. Twilio's own code is more exact, if it gives one. */
async function refusal(response: Response): Promise<NoFinding> {
  const { status: http } = response
  const byStatus: NoFinding = {
    status: BY_STATUS.get(http) ?? "error",
    providerCode: http < 400 ? "redirect" : httpCode(http),
    billable: false,
  }
  if (http < 400 || http > 499 || http === 401) {
    await response.body?.cancel()
    return byStatus
  }
  const code = await codeIn(response)
  if (code === null) return byStatus
  const status = statusOfCode(code)
  return { ...byStatus, status: status === "error" ? byStatus.status : status, providerCode: code }
}

/** A refusal counts even if its page cannot be read. */
async function codeIn(response: Response): Promise<string | null> {
  const document = await boundedJson(response, ANSWER_BYTES_MAX)
  return typeof document === "object" && document !== null && "code" in document
    ? errorCode(document.code)
    : null
}
