import { ALWAYS, Balance } from "./balance.ts"
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

/** Adds the rows of the document that speak on a side. */
function addRows(
  balance: Balance,
  input: PhoneInput,
  { factors }: PhoneModel,
  side: "takeover" | "quality",
): void {
  factors?.forEach((row, place) => {
    const nats = row.side === side ? rowNats(row, input) : 0
    if (nats !== 0) balance.add(row.code.toLowerCase(), nats, PHONE_REASON_CODES.length + place)
  })
}

export function phoneTerms(
  input: PhoneInput,
  knowledge: PhoneKnowledge,
  model: PhoneModel,
): PhoneTerms {
  const takeover = new Balance(model.takeover.discount)
  const quality = new Balance(model.quality.discount)
  const floors: Floor[] = []
  addTakeoverTerms(takeover, floors, input, knowledge, model)
  addQualityTerms(quality, floors, input, model)
  return { takeover, quality, floors }
}

function addTakeoverTerms(
  balance: Balance,
  floors: Floor[],
  input: PhoneInput,
  { changeAge, sim, ported, verifiedSince }: PhoneKnowledge,
  document: PhoneModel,
): void {
  const { takeover: model, floors: policy } = document
  if (changeAge !== null && !verifiedSince) {
    const code = ported ? CODES.SIM_PORTED : CODES.SIM_CHANGED
    balance.add("sim_change", simChangeNats(changeAge, model.simChange), code)
    const floor = simChangeFloor(changeAge, model.simChange)
    if (floor !== null) floors.push({ under: "takeover", code, points: floor })
    if (input.portAge != null)
      balance.add("port", fading(model.port, input.portAge), CODES.SIM_PORTED)
    const deviceAge = sim?.from ?? input.portAge
    if (input.deviceChangedWithSim === true && deviceAge != null) {
      balance.add("device_changed", fading(model.deviceChanged, deviceAge), CODES.DEVICE_CHANGED)
    }
  }
  if (input.recycledSinceVerified === true) {
    balance.add("recycled", model.recycled.nats, CODES.NUMBER_RECYCLED)
    const { floor: points } = model.recycled
    floors.push({ under: "takeover", code: CODES.NUMBER_RECYCLED, points })
  }
  if (input.callForwarding === true) {
    balance.add("call_forwarding", model.callForwarding, CODES.CALL_FORWARDING)
    if (policy !== undefined) {
      const points = policy.callForwarding
      floors.push({ under: "takeover", code: CODES.CALL_FORWARDING, points })
    }
  }
  if (input.simMovedSameDevice === true) {
    balance.add("sim_moved_same_device", model.simMovedSameDevice, ALWAYS)
  }
  if (input.deviceContinuityDays != null) {
    const nats = steppedUp(model.deviceContinuity, input.deviceContinuityDays)
    balance.add("device_continuity", nats, ALWAYS)
  }
  if (input.routeChanges90d != null) {
    const { nats, natsMax } = model.routeChanges
    const changes = Math.max(0, input.routeChanges90d)
    balance.add(
      "route_changes",
      Math.min(natsMax, nats * Math.log2(1 + changes)),
      CODES.ROUTE_CHANGES,
    )
  }
  if (input.otpFailureBurst === true) {
    balance.add("otp_failures", model.otpFailureBurst, CODES.OTP_FAILURES)
  }
  addRows(balance, input, document, "takeover")
}

function addQualityTerms(
  balance: Balance,
  floors: Floor[],
  input: PhoneInput,
  document: PhoneModel,
): void {
  const { quality: model, floors: policy } = document
  const addFloor = (under: Floor["under"], code: PhoneReasonCode, points: number | undefined) => {
    if (points !== undefined) floors.push({ under, code: CODES[code], points })
  }
  const lineNats = model.lines[input.line ?? "unknown"]
  // A small line term is a base rate, not a finding about this number, and stays in the baseline.
  balance.add("line", lineNats, lineNats >= model.lineReasonFrom ? CODES.LINE_TYPE : ALWAYS)
  if (input.valid === false) {
    balance.add("invalid", model.invalid, CODES.NUMBER_INVALID)
    addFloor("score", "NUMBER_INVALID", policy?.withoutOwner)
  }
  if (input.reserved === true && model.reserved !== undefined) {
    balance.add("reserved", model.reserved, CODES.NUMBER_RESERVED)
    addFloor("score", "NUMBER_RESERVED", policy?.withoutOwner)
  }
  if (input.active === false) {
    balance.add("inactive", model.inactive, CODES.NUMBER_INACTIVE)
    addFloor("quality", "NUMBER_INACTIVE", policy?.inactive)
  }
  if (input.active === true) balance.add("active", model.active, ALWAYS)
  if (input.tenureDays != null) {
    balance.add("tenure", interpolated(model.tenure, input.tenureDays), CODES.NEW_NUMBER)
  }
  if (input.countryMismatch === true) {
    balance.add("country_mismatch", model.countryMismatch, CODES.COUNTRY_MISMATCH)
  }
  if (input.accounts24h != null) {
    balance.add("velocity", steppedUp(model.accounts24h, input.accounts24h), CODES.PHONE_VELOCITY)
  }
  const { confirmedFraud } = model
  const onList = confirmedFraud === undefined || input.blocklistedForFraud !== true
  if (input.blocklisted === true && onList) {
    balance.add("blocklist", model.blocklisted, CODES.PHONE_BLOCKLIST)
  }
  if (input.confirmedFraudAge != null && confirmedFraud !== undefined) {
    balance.add(
      "confirmed_fraud",
      fading(confirmedFraud, input.confirmedFraudAge),
      CODES.FRAUD_CONFIRMED,
    )
  }
  addRows(balance, input, document, "quality")
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
