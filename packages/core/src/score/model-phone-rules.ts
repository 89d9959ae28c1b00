import { checkFactorRows } from "./factor-rows.ts"
import { ModelFault } from "./model-document.ts"
import type { PhoneModel } from "./model-phone.ts"
import { PHONE_MEMBERS } from "./phone-input.ts"
import { checkCosts, checkFalling, checkOrder, checkRising, checkWhole } from "./model-rules.ts"
import { PHONE_REASON_CODES } from "./vocabulary.ts"

/** Fails with the path of the first number that would break what every phone score promises. */
export function checkPhoneRules(model: PhoneModel): void {
  const { calibration, fields, quality, takeover } = model
  const { delays, floor } = takeover.simChange
  const shares = delays.map(({ share }) => share)
  checkWhole("phone", "/takeover/simChange/delays", shares)
  checkFalling("phone", "/takeover/simChange/floor", floor)
  checkFalling("phone", "/takeover/deviceContinuity", takeover.deviceContinuity)
  checkFalling("phone", "/quality/tenure", quality.tenure)
  checkRising("phone", "/quality/accounts24h", quality.accounts24h)
  checkOrder("phone", "/fields/simSwapRisk", fields.simSwapRisk, [
    "highBelowDays",
    "elevatedBelowDays",
    "lowBelowDays",
  ])
  checkWhole("phone", "/coverage", Object.values(model.coverage))
  checkOrder("phone", "/calibration", calibration, ["slopeMin", "slopeMax"])
  checkCosts("phone", model.scale, model.costs)
  checkSentences(model)
  checkFactorRows("phone", model.factors, PHONE_REASON_CODES, PHONE_MEMBERS)
}

/** Fails where a finding has a weight and no sentence explains it. */
function checkSentences({ quality, texts }: PhoneModel): void {
  const { NUMBER_RESERVED, FRAUD_CONFIRMED } = texts.reasons
  if (quality.reserved !== undefined && NUMBER_RESERVED === undefined) {
    throw new ModelFault("phone", "/texts/reasons/NUMBER_RESERVED", "is missing")
  }
  if (quality.confirmedFraud !== undefined && FRAUD_CONFIRMED === undefined) {
    throw new ModelFault("phone", "/texts/reasons/FRAUD_CONFIRMED", "is missing")
  }
}
