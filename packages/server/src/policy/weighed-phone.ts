import type { PhoneInput, PhoneModel } from "@assay/core/score"
import type { ScoringSettings } from "../accounts/tenant-settings.ts"
import { withoutTrustInSms } from "../score/phone/phone-evidence.ts"

/** A recorded input as another policy weighs it. */
export function weighedPhone(
  recorded: PhoneInput,
  { phoneSettings: settings, smsOnlyStepUp }: ScoringSettings,
  model: PhoneModel,
): PhoneInput {
  // The context says how well a code by SMS works, which sms_only_step_up decides together with the
  // model, and nothing else.
  const weighed = { ...recorded, ctx: undefined, settings }
  return smsOnlyStepUp ? withoutTrustInSms(weighed, model) : weighed
}
