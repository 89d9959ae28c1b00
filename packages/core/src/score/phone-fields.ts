import type { PhoneModel } from "./model-phone.ts"
import type { PhoneInput, PhoneKnowledge } from "./phone-input.ts"
import { roundHalfUp } from "./scale.ts"
import type { Confidence, NetworkContinuity, SimSwapRisk, SmsOtpTrust } from "./vocabulary.ts"

// Rules on days and flags beside the score. They report what is known of a change even where the
// account verified the number afterwards and the score no longer counts it.

export function simSwapRisk(knowledge: PhoneKnowledge, { fields }: PhoneModel): SimSwapRisk {
  const { changeAge, simHistory } = knowledge
  const { highBelowDays, elevatedBelowDays, lowBelowDays } = fields.simSwapRisk
  if (changeAge === null) return simHistory ? "none" : "low"
  if (changeAge < highBelowDays) return "high"
  if (changeAge < elevatedBelowDays) return "elevated"
  return changeAge < lowBelowDays ? "low" : "none"
}

/**
 * Of a change that lies between two ends, the far one: hours under two days ("2h"), whole days
 * elapsed from then on ("5d"); null when not detected.
 */
export function simChangeWindow(
  { changeAge, sim, ported }: PhoneKnowledge,
  { fields }: PhoneModel,
): string | null {
  if (changeAge === null || changeAge >= fields.simChangeDetectedBelowDays) return null
  const age = ported || sim === null ? changeAge : sim.to
  const hours = age * 24
  if (hours >= fields.windowInHoursBelowHours) return `${Math.floor(age)}d`
  return `${Math.max(1, roundHalfUp(hours))}h`
}

export function ownershipConfidence(
  input: PhoneInput,
  knowledge: PhoneKnowledge,
  { fields: { ownership }, quality }: PhoneModel,
): Confidence {
  const { changeAge, verifiedSince, beyondNumber } = knowledge
  const age = changeAge ?? Infinity
  const doubted =
    (age < ownership.lowBelowDays && !verifiedSince) ||
    (input.deviceChangedWithSim === true && age < ownership.lowWithNewDeviceBelowDays) ||
    input.recycledSinceVerified === true ||
    input.active === false ||
    isWithoutOwner(input, quality) ||
    !beyondNumber
  if (doubted) return "low"
  const proven =
    (input.deviceContinuityDays ?? 0) >= ownership.highContinuityDays ||
    verifiedSince ||
    (input.verifiedAge != null && changeAge === null)
  const settled =
    (changeAge !== null && changeAge >= ownership.highFromDays) ||
    (input.noSimChangeDays ?? 0) >= ownership.highNoChangeDays
  return proven && settled && input.callForwarding !== true ? "high" : "medium"
}

export function networkContinuity(
  input: PhoneInput,
  { fields: { network }, quality }: PhoneModel,
): NetworkContinuity {
  const unstable =
    (input.portAge ?? Infinity) < network.unstablePortBelowDays ||
    (input.routeChanges90d ?? 0) >= network.unstableRouteChanges ||
    input.active === false ||
    input.callForwarding === true ||
    (network.unstableWithoutOwner === true && isWithoutOwner(input, quality))
  return unstable ? "unstable" : "stable"
}

/** Whether nobody can own the number: no plan has it, or one keeps it for fiction and tests. */
function isWithoutOwner({ valid, reserved }: PhoneInput, quality: PhoneModel["quality"]): boolean {
  return valid === false || (reserved === true && quality.reserved !== undefined)
}

/** Whether a one-time code sent to the number proves anything about who reads it. */
export function smsOtpTrust(
  input: PhoneInput,
  { changeAge, verifiedSince }: PhoneKnowledge,
  { fields, quality }: PhoneModel,
): SmsOtpTrust {
  const changed = !verifiedSince && (changeAge ?? Infinity) < fields.smsUnsafeBelowDays
  const lost =
    changed ||
    input.recycledSinceVerified === true ||
    input.callForwarding === true ||
    isWithoutOwner(input, quality) ||
    input.active === false
  if (lost) return "do_not_use"
  return fields.smsWeakLines.includes(input.line ?? "unknown") ? "weak" : "ok"
}
