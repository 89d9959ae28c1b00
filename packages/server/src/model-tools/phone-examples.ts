import type { PhoneInput, PhoneModel } from "@assay/core/score"

/** A number of which certain things are known, to show what a model makes of it. */
export interface PhoneExample {
  readonly name: string
  readonly known: Partial<PhoneInput>
}

const SETTLED = { valid: true, active: true, tenureDays: 1200 } as const

/** The numbers that version 1.0 of the model must score exactly, digit by digit. */
export const phoneExamples: readonly PhoneExample[] = [
  {
    name: "contract mobile, in service for three years, SIM and device 400 days old",
    known: { ...SETTLED, line: "mobile_postpaid", simChangeAge: 400, deviceContinuityDays: 400 },
  },
  {
    name: "the same, SIM changed 2 hours ago, with a new device",
    known: { ...SETTLED, line: "mobile_postpaid", simChangeAge: 0.083, deviceChangedWithSim: true },
  },
  {
    name: "the same, SIM changed 2 hours ago, within the same device",
    known: { ...SETTLED, line: "mobile_postpaid", simChangeAge: 0.083, simMovedSameDevice: true },
  },
  {
    name: "mobile, SIM changed 2 days ago, with a new device",
    known: { ...SETTLED, line: "mobile", simChangeAge: 2, deviceChangedWithSim: true },
  },
  {
    name: "mobile, SIM changed 5 days ago",
    known: { ...SETTLED, line: "mobile", simChangeAge: 5 },
  },
  {
    name: "mobile, SIM changed 10 days ago",
    known: { ...SETTLED, line: "mobile", simChangeAge: 10 },
  },
  {
    name: "mobile, SIM changed 30 days ago",
    known: { ...SETTLED, line: "mobile", simChangeAge: 30 },
  },
  {
    name: "mobile, given to another subscriber since it was verified",
    known: { ...SETTLED, line: "mobile", tenureDays: 20, recycledSinceVerified: true },
  },
  {
    name: "internet telephony without a fixed address",
    known: { line: "voip_nonfixed", valid: true, active: true },
  },
  {
    name: "number of a public site that shows received SMS",
    known: { line: "sms_receive_site", valid: true, active: true, tenureDays: 10 },
  },
  {
    name: "internet telephony, 7 accounts in 24 hours",
    known: {
      line: "voip_nonfixed",
      valid: true,
      active: true,
      tenureDays: 10,
      accounts24h: 7,
    },
  },
  { name: "number that no plan allows", known: { line: "unknown", valid: false } },
  { name: "valid mobile, nothing else known", known: { line: "mobile", valid: true } },
  {
    name: "mobile, ported a day ago, all calls forwarded",
    known: { ...SETTLED, line: "mobile", portAge: 1, callForwarding: true },
  },
]

/** What 1.1 must score besides: lines where 1.0 and an analyst disagreed. */
const laterExamples: readonly PhoneExample[] = [
  {
    name: "mobile, all calls forwarded, otherwise sound",
    known: { ...SETTLED, line: "mobile", simChangeAge: 400, callForwarding: true },
  },
  {
    name: "mobile, suspended",
    known: { ...SETTLED, line: "mobile", active: false, simChangeAge: 400 },
  },
  {
    name: "mobile, SIM changed within 240 hours and not within 72",
    known: { ...SETTLED, line: "mobile", simChangeAge: 10, simChangeAgeMin: 3 },
  },
  {
    name: "mobile, SIM changed within 72 hours, nothing finer known",
    known: { ...SETTLED, line: "mobile", simChangeAge: 3, simChangeAgeMin: 0 },
  },
  {
    name: "number set aside for fiction",
    known: { line: "mobile", valid: true, reserved: true },
  },
  {
    name: "mobile, SIM changed 9 days ago",
    known: { ...SETTLED, line: "mobile", simChangeAge: 9 },
  },
  {
    name: "mobile, SIM changed 20 days ago",
    known: { ...SETTLED, line: "mobile", simChangeAge: 20 },
  },
  {
    name: "mobile, SIM changed 2 hours ago, verified by a code to it an hour ago",
    known: { ...SETTLED, line: "mobile", simChangeAge: 2 / 24, verifiedAge: 1 / 24 },
  },
  {
    name: "the same, verified by other means",
    known: {
      ...SETTLED,
      line: "mobile",
      simChangeAge: 2 / 24,
      verifiedAge: 1 / 24,
      verifiedIndependently: true,
    },
  },
  {
    name: "mobile, SIM changed 25 days ago, verified 5 days ago",
    known: { ...SETTLED, line: "mobile", simChangeAge: 25, verifiedAge: 5 },
  },
  {
    name: "mobile, fraud confirmed by the tenant 5 days ago",
    known: { ...SETTLED, line: "mobile", simChangeAge: 400, confirmedFraudAge: 5 },
  },
  {
    name: "mobile, ported 2 days ago, SIM changed 20 to 29 days ago",
    known: { ...SETTLED, line: "mobile", portAge: 2, simChangeAge: 29, simChangeAgeMin: 20 },
  },
]

/** The examples that show what a model does: more for one that reads what 1.0 does not. */
export function examplesOf({ quality }: PhoneModel): readonly PhoneExample[] {
  return quality.reserved === undefined ? phoneExamples : [...phoneExamples, ...laterExamples]
}

/** An input in which nothing is known but what is given. */
export function exampleInput(known: Partial<PhoneInput>): PhoneInput {
  return { as_of: "2026-11-15T12:00:00Z", numberType: "mobile", region: "ZZ", ...known }
}
