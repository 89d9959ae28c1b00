import { ALWAYS, Balance, type Term } from "./balance.ts"
import { rowNats } from "./factor-rows.ts"
import type { PhoneModel } from "./model-phone.ts"
import type { PhoneInput, PhoneKnowledge } from "./phone-input.ts"
import { decayed, interpolated, steppedUp } from "./scale.ts"
import { PHONE_REASON_CODES, type PhoneReasonCode } from "./vocabulary.ts"

/** Both sides of a number, and the floors that policy puts under them. */
export interface PhoneTerms {
  /** Control of the number is lost. */
  readonly takeover: Balance
  /** The number itself is of the kind that abuse uses. */
  readonly quality: Balance
  readonly floors: readonly Floor[]
}

/** Points under which a factor does not let a side fall, or the whole score. */
export interface Floor {
  readonly under: "takeover" | "quality" | "score"
  /** Place of the factor's code in the list of reason codes. */
  readonly code: number
  readonly points: number
}

const CODES = Object.fromEntries(
  PHONE_REASON_CODES.map((code, place) => [code, place]),
) as Readonly<Record<PhoneReasonCode, number>>

class TermList {
  readonly terms: Term[] = []

  /** The rows of the document that speak on a side. */
  addRows(input: PhoneInput, { factors }: PhoneModel, side: "takeover" | "quality"): void {
    factors?.forEach((row, place) => {
      const nats = row.side === side ? rowNats(row, input) : 0
      if (nats === 0) return
      const code = nats < 0 ? ALWAYS : PHONE_REASON_CODES.length + place
      this.terms.push({ name: row.code.toLowerCase(), nats, code })
    })
  }

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
    takeover: new Balance(takeoverTerms(input, knowledge, model, floors), model.takeover.discount),
    quality: new Balance(qualityTerms(input, model, floors), model.quality.discount),
    floors,
  }
}

function takeoverTerms(
  input: PhoneInput,
  { changeAge, sim, ported, verifiedSince }: PhoneKnowledge,
  document: PhoneModel,
  floors: Floor[],
): readonly Term[] {
  const { takeover: model, floors: policy } = document
  const list = new TermList()
  if (changeAge !== null && !verifiedSince) {
    const code = ported ? "SIM_PORTED" : "SIM_CHANGED"
    list.add("sim_change", simChangeNats(changeAge, model.simChange), code)
    const floor = simChangeFloor(changeAge, model.simChange)
    if (floor !== null) floors.push({ under: "takeover", code: CODES[code], points: floor })
    if (input.portAge != null) list.add("port", fading(model.port, input.portAge), "SIM_PORTED")
    const deviceAge = sim?.from ?? input.portAge
    if (input.deviceChangedWithSim === true && deviceAge != null) {
      list.add("device_changed", fading(model.deviceChanged, deviceAge), "DEVICE_CHANGED")
    }
  }
  if (input.recycledSinceVerified === true) {
    list.add("recycled", model.recycled.nats, "NUMBER_RECYCLED")
    const { floor: points } = model.recycled
    floors.push({ under: "takeover", code: CODES.NUMBER_RECYCLED, points })
  }
  if (input.callForwarding === true) {
    list.add("call_forwarding", model.callForwarding, "CALL_FORWARDING")
    if (policy !== undefined) {
      const points = policy.callForwarding
      floors.push({ under: "takeover", code: CODES.CALL_FORWARDING, points })
    }
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
  list.addRows(input, document, "takeover")
  return list.terms
}

function qualityTerms(input: PhoneInput, document: PhoneModel, floors: Floor[]): readonly Term[] {
  const { quality: model, floors: policy } = document
  const list = new TermList()
  const addFloor = (under: Floor["under"], code: PhoneReasonCode, points: number | undefined) => {
    if (points !== undefined) floors.push({ under, code: CODES[code], points })
  }
  const lineNats = model.lines[input.line ?? "unknown"]
  // A small line term is a base rate, not a finding about this number, and stays in the baseline.
  list.add("line", lineNats, lineNats >= model.lineReasonFrom ? "LINE_TYPE" : null)
  if (input.valid === false) {
    list.add("invalid", model.invalid, "NUMBER_INVALID")
    addFloor("score", "NUMBER_INVALID", policy?.withoutOwner)
  }
  if (input.reserved === true && model.reserved !== undefined) {
    list.add("reserved", model.reserved, "NUMBER_RESERVED")
    addFloor("score", "NUMBER_RESERVED", policy?.withoutOwner)
  }
  if (input.active === false) {
    list.add("inactive", model.inactive, "NUMBER_INACTIVE")
    addFloor("quality", "NUMBER_INACTIVE", policy?.inactive)
  }
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
  const { confirmedFraud } = model
  const onList = confirmedFraud === undefined || input.blocklistedForFraud !== true
  if (input.blocklisted === true && onList) {
    list.add("blocklist", model.blocklisted, "PHONE_BLOCKLIST")
  }
  if (input.confirmedFraudAge != null && confirmedFraud !== undefined) {
    list.add("confirmed_fraud", fading(confirmedFraud, input.confirmedFraudAge), "FRAUD_CONFIRMED")
  }
  list.addRows(input, document, "quality")
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
