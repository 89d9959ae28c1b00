export { assessEmail, emailOutcome, emailReasonCodes, explainEmail } from "./assess-email.ts"
export type { EmailAssessment, EmailOutcome } from "./assess-email.ts"
export {
  assessPhone,
  explainPhone,
  phoneOutcome,
  phoneReasonCodes,
  riskLevelOf,
} from "./assess-phone.ts"
export type { PhoneAssessment, PhoneOutcome } from "./assess-phone.ts"
export type { Costs, CostSettings, Decision } from "./action.ts"
export type { Calibration } from "./calibration.ts"
export { calibrated, fitCalibration, labelsLack, plattFit, qualityOf } from "./fit-calibration.ts"
export type { CalibrationFit, Label, Quality } from "./fit-calibration.ts"
export type {
  ActionContext,
  BlocklistEntry,
  Checked,
  EmailCoverage,
  EmailInput,
  EmailSettings,
  Exposure,
  Signal,
  Trust,
} from "./email-input.ts"
export type {
  EmailExplanation,
  ExplainedContribution,
  InterestTrend,
  Mitigations,
} from "./explain-email.ts"
export type { PhoneExplanation } from "./explain-phone.ts"
export type { ExplainedStage, StageItem } from "./explain-stage.ts"
export { bitsPerLetter, handleOf, handleScore } from "./handle.ts"
export { INPUT_VERSION, lackingEmailMembers, lackingPhoneMembers } from "./input-members.ts"
export { ModelFault } from "./model-document.ts"
export { EmailModelSchema } from "./model-email.ts"
export type { EmailModel } from "./model-email.ts"
export { PhoneModelSchema } from "./model-phone.ts"
export type { PhoneModel } from "./model-phone.ts"
export { emailModels, loadEmailModel, loadPhoneModel, modelSchemas, phoneModels } from "./models.ts"
export type { Models } from "./models.ts"
export {
  brierScore,
  calibrationError,
  equalMassBins,
  rocAuc,
  wilsonInterval,
} from "./outcome-metrics.ts"
export type { Outcome, OutcomeBin } from "./outcome-metrics.ts"
export { costCurve } from "./cost-curve.ts"
export type { CostCurve, CostPoint } from "./cost-curve.ts"
export type { EmailRemedy, Remedy, RemedyName } from "./remedies.ts"
export { probabilityOf } from "./scale.ts"
export { smsOtpTrust } from "./phone-fields.ts"
export { lineOf, phoneKnowledge } from "./phone-input.ts"
export type { PhoneCoverage, PhoneInput, PhoneKnowledge, PhoneSettings } from "./phone-input.ts"
export {
  ACTIONS,
  bandOf,
  scoresOf,
  BANDS,
  EMAIL_REASON_CODES,
  EMAIL_EVIDENCE_KINDS,
  EXPOSURE_KINDS,
  LINES,
  PHONE_REASON_CODES,
  SECRETS,
  SIGNAL_TYPES,
  STAGES,
} from "./vocabulary.ts"
export type {
  Action,
  Band,
  Confidence,
  EmailReasonCode,
  EmailEvidenceKind,
  ExposureKind,
  Line,
  NetworkContinuity,
  PhoneReasonCode,
  RiskLevel,
  Secret,
  SignalType,
  SimSwapRisk,
  SmsOtpTrust,
  Stage,
} from "./vocabulary.ts"
