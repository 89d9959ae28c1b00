import type { PhoneModel } from "./model-phone.ts"
import { smsOtpTrust } from "./phone-fields.ts"
import type { PhoneInput } from "./phone-input.ts"
import { phonePass, type PhonePass } from "./phone-pass.ts"
import { remedy, type Remedy, type RemedyName } from "./remedies.ts"

/**
 * What could be done today to lower the score, each by itself: the same input is assessed again
 * with those members as they would then be. What changes nothing is left out.
 */
export function phoneRemedies(pass: PhonePass, input: PhoneInput, model: PhoneModel): Remedy[] {
  const remedies: Remedy[] = []
  for (const [name, changed] of changedInputs(pass, input, model)) {
    const { score } = phonePass(changed, model, false)
    // Where a code to the number does as much, nobody needs another proof.
    const isSpared = name === "verification_by_other" && remedies[0]?.risk_score === score
    if (score < pass.score && !isSpared) remedies.push(remedy(name, score))
  }
  return remedies
}

function changedInputs(
  { knowledge }: PhonePass,
  input: PhoneInput,
  model: PhoneModel,
): [RemedyName, PhoneInput][] {
  const changed: [RemedyName, PhoneInput][] = []
  // Nobody holds such a number, so nobody can prove that they do.
  if (input.valid !== false && input.reserved !== true) {
    // A number that was given away before the proof was not given away since.
    const recycledSinceVerified = input.recycledSinceVerified == null ? null : false
    const verified = { ...input, verifiedAge: 0, recycledSinceVerified }
    // A code that reaches somebody else proves nothing.
    if (smsOtpTrust(input, knowledge, model) !== "do_not_use")
      changed.push(["verification_by_phone", { ...verified, verifiedIndependently: false }])
    changed.push(["verification_by_other", { ...verified, verifiedIndependently: true }])
  }
  if (input.callForwarding === true)
    changed.push(["forwarding_ended", { ...input, callForwarding: false }])
  return changed
}
