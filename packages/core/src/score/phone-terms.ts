import { ALWAYS, Balance, type Term } from "./balance.ts"
import type { PhoneModel } from "./model-phone.ts"
import type { PhoneInput, PhoneKnowledge } from "./phone-input.ts"
import { decayed, interpolated, steppedUp } from "./scale.ts"
import { PHONE_REASON_CODES, type PhoneReasonCode } from "./vocabulary.ts"

/** Both sides of a number, and the floors that policy puts under the first. */
export interface PhoneTerms {
  /** Control of the number is lost. */
  readonly takeover: Balance
  /** The number itself is of the kind that abuse uses. */
  readonly quality: Balance
  readonly floors: readonly Floor[]
}

/** Points under which a factor does not let the takeover side fall. */
export interface Floor {
  /** Place of the factor's code in the list of reason codes. */
  readonly code: number
  readonly points: number
}

const CODES = Object.fromEntries(
  PHONE_REASON_CODES.map((code, place) => [code, place]),
) as Readonly<Record<PhoneReasonCode, number>>

class TermList {
  readonly terms: Term[] = []

  add(name: string, nats: number, code: PhoneReasonCode | null): void {
    if (nats === 0) return
    this.terms.push({ name, nats, code: nats < 0 || code === null ? ALWAYS : CODES[code] })
  }
}

export function phoneTerms(
  input: PhoneInput,
  knowledge: PhoneKnowledge,
  model: PhoneModel,
): PhoneTerms {
  const floors: Floor[] = []
  return {
    takeover: new Balance(
      takeoverTerms(input, knowledge, model.takeover, floors),
      model.takeover.discount,
    ),
    quality: new Balance(qualityTerms(input, model.quality), model.quality.discount),
    floors,
  }
}

function takeoverTerms(
  input: PhoneInput,
  { changeAge, ported, verifiedSince }: PhoneKnowledge,
  model: PhoneModel["takeover"],
  floors: Floor[],
): readonly Term[] {
  const list = new TermList()
  if (changeAge !== null && !verifiedSince) {
    const code = ported ? "SIM_PORTED" : "SIM_CHANGED"
    list.add("sim_change", simChangeNats(changeAge, model.simChange), code)
    const floor = simChangeFloor(changeAge, model.simChange)
    if (floor !== null) floors.push({ code: CODES[code], points: floor })
    if (input.portAge != null) list.add("port", fading(model.port, input.portAge), "SIM_PORTED")
    const deviceAge = input.simChangeAge ?? input.portAge
    if (input.deviceChangedWithSim === true && deviceAge != null) {
      list.add("device_changed", fading(model.deviceChanged, deviceAge), "DEVICE_CHANGED")
    }
  }
  if (input.recycledSinceVerified === true) {
    list.add("recycled", model.recycled.nats, "NUMBER_RECYCLED")
    floors.push({ code: CODES.NUMBER_RECYCLED, points: model.recycled.floor })
  }
  if (input.callForwarding === true) {
    list.add("call_forwarding", model.callForwarding, "CALL_FORWARDING")
  }
  if (input.simMovedSameDevice === true) {
    list.add("sim_moved_same_device", model.simMovedSameDevice, null)
  }
  if (input.deviceContinuityDays != null) {
    const nats = steppedUp(model.deviceContinuity, input.deviceContinuityDays)
    list.add("device_continuity", nats, null)
  }
  if (input.routeChanges90d != null) {
    const { nats, natsMax } = model.routeChanges
    const changes = Math.max(0, input.routeChanges90d)
    list.add("route_changes", Math.min(natsMax, nats * Math.log2(1 + changes)), "ROUTE_CHANGES")
  }
  if (input.otpFailureBurst === true) {
    list.add("otp_failures", model.otpFailureBurst, "OTP_FAILURES")
  }
  return list.terms
}

function qualityTerms(input: PhoneInput, model: PhoneModel["quality"]): readonly Term[] {
  const list = new TermList()
  const lineNats = model.lines[input.line ?? "unknown"]
  // A small line term is a base rate, not a finding about this number, and stays in the baseline.
  list.add("line", lineNats, lineNats >= model.lineReasonFrom ? "LINE_TYPE" : null)
  if (input.valid === false) list.add("invalid", model.invalid, "NUMBER_INVALID")
  if (input.active === false) list.add("inactive", model.inactive, "NUMBER_INACTIVE")
  if (input.active === true) list.add("active", model.active, null)
  if (input.tenureDays != null) {
    list.add("tenure", interpolated(model.tenure, input.tenureDays), "NEW_NUMBER")
  }
  if (input.countryMismatch === true) {
    list.add("country_mismatch", model.countryMismatch, "COUNTRY_MISMATCH")
  }
  if (input.accounts24h != null) {
    list.add("velocity", steppedUp(model.accounts24h, input.accounts24h), "PHONE_VELOCITY")
  }
  if (input.blocklisted === true) list.add("blocklist", model.blocklisted, "PHONE_BLOCKLIST")
  return list.terms
}

function fading(term: { nats: number; halfLifeDays: number }, age: number): number {
  return term.nats * decayed(Math.max(0, age), term.halfLifeDays)
}

// The odds that a change this long ago was the thief's rather than the owner's: how soon abuse
// follows a stolen SIM, against how often people change theirs.
function simChangeNats(age: number, model: PhoneModel["takeover"]["simChange"]): number {
  const days = Math.max(0, age)
  let density = 0
  for (const { share, meanDays } of model.delays) {
    density += (share / meanDays) * Math.exp(-days / meanDays)
  }
  const changesPerDay = model.changesPerYear / 365
  return Math.log1p((model.takeoverShare / changesPerDay) * density)
}

// Most SIM changes are honest, so the odds alone are small; but a code sent to a number that
// changed hands yesterday must not open an account. Hence a floor by policy, not by probability.
function simChangeFloor(
  age: number,
  { floor }: PhoneModel["takeover"]["simChange"],
): number | null {
  const last = floor.at(-1)
  return last === undefined || age > last[0] ? null : interpolated(floor, age)
}
