import { dayOf } from "@assay/runtime/time"
import type { SignalName, SignalRequest } from "../signals.ts"
import type { CarrierSettings } from "./camara-settings.ts"
import { SignalFailure } from "../signal-failure.ts"
import type { Inquiry, Operation } from "./inquiry.ts"
import { askWindows, CHECKS_MAX, openLookBack, readLastChange } from "./last-change.ts"
import type { Members } from "./members.ts"
import {
  type Reading,
  readForwarding,
  readReachable,
  readRecycled,
  readRoaming,
  readSubscription,
} from "./readings.ts"
import { askTenure, TENURE_CHECKS_MAX } from "./tenure.ts"

type ApiSettings = CarrierSettings["apis"]
export type ApiName = keyof ApiSettings

/** An API that a carrier offers. */
export interface Api {
  readonly name: ApiName
  readonly signal: SignalName
  readonly operation: Operation
  /** For one request, in the unit of the settings. */
  readonly price: number
  /** The most requests one question takes. */
  readonly requestsMax: number
  readonly ask: Ask
}

interface Question {
  readonly inquiry: Inquiry
  readonly operation: Operation
  readonly request: SignalRequest
  readonly nowMs: number
}

/** Throws `SignalFailure` where there is no answer. */
type Ask = (question: Question) => Promise<Reading>

interface Definition {
  readonly signal: SignalName
  /** As CAMARA publishes it; a carrier may have another, and says so in its settings. */
  readonly basePath: string
  readonly path: string
  readonly scope: string
  readonly requestsMax: number
  readonly ask: Ask
}

/** The APIs that the settings name. */
export function offeredApis(carrier: CarrierSettings): readonly Api[] {
  const { sim_swap: sim, device_swap: device } = carrier.apis
  const definitions: Partial<Record<ApiName, Definition>> = {
    ...(sim && { sim_swap: simSwap(sim) }),
    ...(device && { device_swap: deviceSwap(device) }),
    ...DEFINITIONS,
  }
  const apis: Api[] = []
  for (const name of Object.keys(definitions) as ApiName[]) {
    const [definition, settings] = [definitions[name], carrier.apis[name]]
    if (definition === undefined || settings === undefined) continue
    const { signal, basePath, path, scope, requestsMax, ask } = definition
    // Base and path must not meet with two slashes.
    const url = carrier.base_url + (settings.path ?? basePath).slice(1) + path
    // CAMARA's profile of OAuth: the purpose is the first of the scopes, and there is one at most.
    const scopes = carrier.purpose === undefined ? scope : `${carrier.purpose} ${scope}`
    apis.push({
      name,
      signal,
      operation: { url, scopes },
      price: settings.price,
      requestsMax,
      ask,
    })
  }
  return apis
}

const DEFINITIONS: Readonly<Record<Exclude<ApiName, "sim_swap" | "device_swap">, Definition>> = {
  number_recycling: {
    signal: "recycled",
    basePath: "/number-recycling/v0.2",
    path: "/check",
    scope: "number-recycling:check",
    requestsMax: 1,
    async ask({ inquiry, operation, request, nowMs }) {
      const { e164, sinceDate } = request
      // Whether a number changed hands can only be asked as of a date.
      if (sinceDate === null) throw new SignalFailure("not_applicable", null)
      const specifiedDate = dayOf(Math.min(Date.parse(sinceDate), nowMs))
      return readRecycled(await inquiry.post(operation, { phoneNumber: e164, specifiedDate }))
    },
  },
  call_forwarding: {
    signal: "call_forwarding",
    basePath: "/call-forwarding-signal/v0.4",
    path: "/unconditional-call-forwardings",
    scope: "call-forwarding-signal:unconditional-call-forwardings:read",
    requestsMax: 1,
    ask: askOfNumber(readForwarding),
  },
  reachability: {
    signal: "reachable",
    basePath: "/device-reachability-status/v1",
    path: "/retrieve",
    scope: "device-reachability-status:read",
    requestsMax: 1,
    ask: askOfDevice(readReachable),
  },
  roaming: {
    signal: "roaming",
    basePath: "/device-roaming-status/v1",
    path: "/retrieve",
    scope: "device-roaming-status:read",
    requestsMax: 1,
    ask: askOfDevice(readRoaming),
  },
  tenure: {
    signal: "tenure",
    basePath: "/kyc-tenure/v0.2",
    path: "/check-tenure",
    scope: "kyc-tenure:check-tenure",
    requestsMax: TENURE_CHECKS_MAX,
    ask: ({ inquiry, operation, request, nowMs }) =>
      askTenure({ inquiry, check: operation, e164: request.e164, nowMs }),
  },
  subscription_status: {
    signal: "active",
    basePath: "/subscription-status/v0.1",
    // CAMARA spells it so, in the path and in the scope.
    path: "/retrive-subscription-status",
    scope: "subscription-status:retrive-subscription-status",
    requestsMax: 1,
    ask: askOfNumber(readSubscription),
  },
}

type ChangeSettings = NonNullable<ApiSettings["sim_swap"]>

function simSwap(settings: ChangeSettings): Definition {
  return changeApi(settings, {
    signal: "sim_change",
    basePath: "/sim-swap/v2",
    scope: "sim-swap",
    member: "latestSimChange",
    outerHours: ({ simWindowHours }) => simWindowHours,
  })
}

function deviceSwap(settings: ChangeSettings): Definition {
  return changeApi(settings, {
    signal: "device_change",
    basePath: "/device-swap/v1",
    scope: "device-swap",
    member: "latestDeviceChange",
    // A handset counts for more the longer it stayed. The carrier's window is used if it names one.
    outerHours: ({ simWindowHours }) => settings.max_age_hours ?? simWindowHours,
  })
}

interface Change {
  readonly signal: "sim_change" | "device_change"
  readonly basePath: string
  readonly scope: string
  /** Where an answer with a date has it. */
  readonly member: string
  /** The longest window to check. */
  readonly outerHours: (request: SignalRequest) => number
}

function changeApi(
  { answers, max_age_hours: hoursMax }: ChangeSettings,
  change: Change,
): Definition {
  const { signal, basePath, scope, member, outerHours } = change
  if (answers === "date")
    return {
      signal,
      basePath,
      path: "/retrieve-date",
      scope: `${scope}:retrieve-date`,
      requestsMax: 1,
      ask: askOfNumber((members, nowMs) => readLastChange(members, member, nowMs)),
    }
  const lookBack = openLookBack(hoursMax)
  return {
    signal,
    basePath,
    path: "/check",
    scope: `${scope}:check`,
    requestsMax: CHECKS_MAX,
    ask: ({ inquiry, operation, request, nowMs }) =>
      askWindows({
        inquiry,
        check: operation,
        e164: request.e164,
        lookBack,
        outerHours: outerHours(request),
        nowMs,
      }),
  }
}

function askOfNumber(read: (members: Members, nowMs: number) => Reading): Ask {
  return async ({ inquiry, operation, request, nowMs }) =>
    read(await inquiry.post(operation, { phoneNumber: request.e164 }), nowMs)
}

/** These APIs are about a handset, which a number is one way among several to name. */
function askOfDevice(read: (members: Members) => Reading): Ask {
  return async ({ inquiry, operation, request }) =>
    read(await inquiry.post(operation, { device: { phoneNumber: request.e164 } }))
}
