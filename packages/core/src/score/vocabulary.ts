/** The seven stages of the criminal lifecycle, lowest first, each with its marker in percent. */
export const STAGES = [
  { name: "CLEAN", marker: 0 },
  { name: "LEAKED", marker: 15 },
  { name: "REPOSTED", marker: 35 },
  { name: "TRADED", marker: 55 },
  { name: "TESTED", marker: 75 },
  { name: "ATTACKED", marker: 90 },
  { name: "MONETIZED", marker: 100 },
] as const

export type Stage = (typeof STAGES)[number]["name"]

export function stageName(place: number): Stage {
  return STAGES[place]?.name ?? "CLEAN"
}

const stagePlaces = new Map<Stage | null, number>(STAGES.map(({ name }, place) => [name, place]))

export function stagePlace(name: Stage | null): number {
  return stagePlaces.get(name) ?? 0
}

export const EXPOSURE_KINDS = ["breach", "paste", "combolist", "stealer", "phish"] as const
export type ExposureKind = (typeof EXPOSURE_KINDS)[number]

export const SIGNAL_TYPES = [
  "repost",
  "listing",
  "sale",
  "mention",
  "ready",
  "tested",
  "attack",
  "monetized",
] as const
export type SignalType = (typeof SIGNAL_TYPES)[number]

/** Every word that names a piece of e-mail evidence: the exposures, then the signals. */
export const EMAIL_EVIDENCE_KINDS = [...EXPOSURE_KINDS, ...SIGNAL_TYPES] as const
export type EmailEvidenceKind = (typeof EMAIL_EVIDENCE_KINDS)[number]

/** How a leaked secret was kept, weakest finding first; merging keeps the strongest finding. */
export const SECRETS = [
  "none",
  "slow_hash",
  "unknown",
  "salted_hash",
  "weak_hash",
  "plaintext",
] as const
export type Secret = (typeof SECRETS)[number]

/** Public reason codes of the e-mail model; their order breaks ties between equal points. */
export const EMAIL_REASON_CODES = [
  "CRED_BREACH",
  "CRED_PASTE",
  "CRED_COMBOLIST",
  "CRED_STEALER_LOG",
  "CRED_PHISHED",
  "CRED_PASSWORD_REUSE",
  "DW_REPOSTED",
  "DW_LISTED",
  "DW_SOLD",
  "DW_MENTIONED",
  "DW_READY_TO_USE",
  "DW_TESTED",
  "ATO_CONFIRMED",
  "FRAUD_MONETIZED",
  "ID_NEW_EMAIL",
  "ID_DISPOSABLE",
  "ID_MASKED",
  "ID_NEW_DOMAIN",
  "ID_UNDELIVERABLE",
  "ID_TOXIC_DOMAIN",
  "ID_TYPOSQUAT",
  "ID_HOMOGRAPH",
  "ID_ROLE",
  "ID_CATCH_ALL",
  "ID_NO_FOOTPRINT",
  "BOT_HANDLE",
  "BOT_VELOCITY",
  "BOT_INSTANT_ACTION",
  "BOT_BLOCKLIST",
  "BOT_ANOMALY",
  "BOT_CLUSTER",
  "BOT_MAILBOX_DIED",
  "FRAUD_CONFIRMED",
] as const
export type EmailReasonCode = (typeof EMAIL_REASON_CODES)[number]

/** Public reason codes of the phone model, in tie order. */
export const PHONE_REASON_CODES = [
  "SIM_CHANGED",
  "SIM_PORTED",
  "NUMBER_RECYCLED",
  "CALL_FORWARDING",
  "DEVICE_CHANGED",
  "ROUTE_CHANGES",
  "OTP_FAILURES",
  "NUMBER_INVALID",
  "NUMBER_RESERVED",
  "NUMBER_INACTIVE",
  "LINE_TYPE",
  "NEW_NUMBER",
  "COUNTRY_MISMATCH",
  "PHONE_VELOCITY",
  "PHONE_BLOCKLIST",
  "FRAUD_CONFIRMED",
] as const
export type PhoneReasonCode = (typeof PHONE_REASON_CODES)[number]

export const LINES = [
  "mobile_postpaid",
  "mobile",
  "mobile_prepaid",
  "fixed",
  "voip_fixed",
  "voip_nonfixed",
  "toll_free",
  "premium",
  "sms_receive_site",
  "unknown",
] as const
export type Line = (typeof LINES)[number]

export const ACTIONS = ["allow", "step_up_auth", "review", "block"] as const
export type Action = (typeof ACTIONS)[number]

export type Confidence = "low" | "medium" | "high"
export type SimSwapRisk = "none" | "low" | "elevated" | "high"
export type SmsOtpTrust = "ok" | "weak" | "do_not_use"
export type NetworkContinuity = "stable" | "unstable"

/** The score bands of the public contract, lowest first: a band starts at `from`. */
export const BANDS = [
  { name: "low", from: 0 },
  { name: "elevated", from: 25 },
  { name: "high", from: 60 },
  { name: "critical", from: 80 },
] as const
export type Band = (typeof BANDS)[number]["name"]
export type RiskLevel = Uppercase<Band>

/** The band of an integer score. Nothing but the score decides it. */
export function bandOf(score: number): Band {
  if (score >= 80) return "critical"
  if (score >= 60) return "high"
  return score >= 25 ? "elevated" : "low"
}

/** The lowest and the highest score of a band. */
export function scoresOf(band: Band): readonly [lowest: number, highest: number] {
  const place = BANDS.findIndex(({ name }) => name === band)
  return [BANDS[place]?.from ?? 0, (BANDS[place + 1]?.from ?? 101) - 1]
}
