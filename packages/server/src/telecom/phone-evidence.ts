import type { ParsedPhone } from "@assay/core/identity"
import {
  lineOf,
  type PhoneInput,
  phoneKnowledge,
  type PhoneModel,
  smsOtpTrust,
} from "@assay/core/score"
import type { Caller } from "../accounts/callers.ts"
import { visibleTo } from "../score/observations.ts"
import type { EvidenceKind, Found } from "../stores/exposure-index.ts"
import { DAY_MS, HOUR_MS } from "../time.ts"

interface Question {
  readonly parsed: ParsedPhone
  readonly found: Found
  readonly caller: Caller
  readonly model: PhoneModel
  readonly nowMs: number
}

/** A handset that changed within a day of the SIM changed with it. */
const TOGETHER_DAYS = 1
const ROUTE_DAYS = 90
/** Failed one-time codes speak of an attempt under way, not of the number. */
const BURST_DAYS = 1
/** A statement that the SIM did not change says nothing about what came after it. */
const AFFIRMED_DAYS = 1
/** Model 1.0, section 5.9: what a code by SMS stops where the number may be in other hands. */
const SMS_ONLY_EFFICACY = 0.3

/** Turns what is known of a number into the scorer's input document. Ages are in days, from the hour. */
export function phoneEvidence({ parsed, found, caller, model, nowMs }: Question): PhoneInput {
  const newest = new Map<EvidenceKind, { age: number; value: number | null }>()
  let routeChanges = 0
  for (const { entry } of visibleTo(caller, found)) {
    const age = Math.max(0, (nowMs - entry.hours * HOUR_MS) / DAY_MS)
    if (entry.kind === "route_change" && age <= ROUTE_DAYS) routeChanges++
    const known = newest.get(entry.kind)
    if (known === undefined || age < known.age) newest.set(entry.kind, { age, value: entry.value })
  }
  const ageOf = (kind: EvidenceKind): number | undefined => newest.get(kind)?.age
  const simAge = ageOf("sim_change")
  const deviceAge = ageOf("device_change")
  const recycledAge = ageOf("recycled")
  const verifiedAge = ageOf("ownership_verified")
  const status = newest.get("line_status")
  const forwarding = newest.get("call_forwarding")
  const tenure = newest.get("tenure")
  const unchanged = newest.get("sim_unchanged")
  const device = deviceAge !== undefined
  const network =
    status !== undefined || tenure !== undefined || forwarding !== undefined || newest.has("port")
  const input: PhoneInput = {
    as_of: new Date(nowMs).toISOString(),
    numberType: parsed.numberType,
    region: parsed.region,
    line: lineWithSubscription(
      lineOf(parsed.numberType, model),
      newest.get("subscription")?.value ?? null,
    ),
    valid: parsed.valid,
    active: status === undefined ? undefined : status.value === 1,
    tenureDays:
      tenure === undefined || tenure.value === null ? undefined : tenure.value + tenure.age,
    simChangeAge: simAge,
    portAge: ageOf("port"),
    noSimChangeDays:
      unchanged !== undefined && unchanged.age <= AFFIRMED_DAYS ? unchanged.value : undefined,
    deviceContinuityDays: deviceAge,
    deviceChangedWithSim:
      simAge === undefined || deviceAge === undefined
        ? undefined
        : Math.abs(simAge - deviceAge) <= TOGETHER_DAYS,
    recycledSinceVerified:
      recycledAge === undefined
        ? undefined
        : verifiedAge === undefined || recycledAge < verifiedAge,
    callForwarding: forwarding === undefined ? undefined : forwarding.value === 1,
    routeChanges90d: routeChanges === 0 ? undefined : routeChanges,
    otpFailureBurst: (ageOf("otp_failures") ?? Infinity) <= BURST_DAYS ? true : undefined,
    blocklisted: newest.has("blocklisted") || newest.has("fraud_report") ? true : undefined,
    verifiedAge,
    coverage: {
      number: 1,
      sim: simAge !== undefined || newest.has("port") || unchanged !== undefined ? 1 : 0,
      device: device ? 1 : 0,
      network: network ? 1 : 0,
      context: 0,
    },
    ctx: undefined,
    settings: caller.phoneSettings,
  }
  return caller.smsOnlyStepUp ? withoutTrustInSms(input, model) : input
}

/** Where SMS is the only challenge, one to a number that must not get codes stops few; a review may be cheaper. */
function withoutTrustInSms(input: PhoneInput, model: PhoneModel): PhoneInput {
  const trust = smsOtpTrust(input, phoneKnowledge(input), model)
  return trust === "do_not_use" ? { ...input, ctx: { stepUpEff: SMS_ONLY_EFFICACY } } : input
}

/** Prepaid and postpaid are no types of a number but of the contract behind it. */
function lineWithSubscription(
  line: ReturnType<typeof lineOf>,
  subscription: number | null,
): ReturnType<typeof lineOf> {
  if (line !== "mobile" || subscription === null) return line
  return subscription === 1 ? "mobile_prepaid" : "mobile_postpaid"
}
