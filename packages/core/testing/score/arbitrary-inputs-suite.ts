import fc from "fast-check"
import type {
  BlocklistEntry,
  EmailInput,
  Exposure,
  Signal,
  Trust,
} from "../../src/score/email-input.ts"
import { emailModels, phoneModels } from "../../src/score/models.ts"
import type { PhoneInput } from "../../src/score/phone-input.ts"
import { EXPOSURE_KINDS, LINES, SECRETS, SIGNAL_TYPES } from "../../src/score/vocabulary.ts"

/** Every version that comes with the program keeps the invariants. */
export const VERSIONS = ["1.0", "1.1"] as const

export const emailModel = emailModels["1.0"]
export const phoneModel = phoneModels["1.0"]

/** One seed for every property: a failure is the same failure on every machine. */
export const PROPERTY = { seed: 20_261_115, numRuns: process.env.ASSAY_SOAK ? 2_000 : 120 }

/** Invariants are what the scores promise, so they are tried more often than other properties. */
export const INVARIANT = { ...PROPERTY, numRuns: process.env.ASSAY_SOAK ? 10_000 : 250 }

/** Probabilities are compared to twelve digits: a sum may be taken in another order. */
export const SLACK = 1e-12

const CHECKED = { sources: 14, newestImport: "2026-11-02" }

/** An identity about which nothing is known but what the test gives. */
export function emailInput(known: Partial<EmailInput> = {}): EmailInput {
  return { as_of: "2026-11-15", checked: CHECKED, ...known }
}

export function phoneInput(known: Partial<PhoneInput> = {}): PhoneInput {
  return { as_of: "2026-11-15T12:00:00Z", numberType: "mobile", region: "US", ...known }
}

type Shape<T> = { [K in keyof T]-?: fc.Arbitrary<NonNullable<T[K]>> }

/** A record whose optional members are sometimes left out, as unknown members are. */
function sometimes<T>(shape: Shape<T>, required: (keyof T)[]): fc.Arbitrary<T> {
  return fc.record(shape, { requiredKeys: required })
}

// Around the windows of the stages as often as anywhere else.
const age = fc.oneof(
  fc.integer({ min: 0, max: 4_000 }),
  fc.constantFrom(0, 1, 30, 31, 89, 90, 91, 119, 120, 179, 180, 240, 360, 365, 366, 480, 540, 730),
)
const conf = fc.integer({ min: 1, max: 100 }).map((percent) => percent / 100)
const source = fc.constantFrom("s1", "s2", "s3", "s4", "s5", "s6")
const item = fc.constantFrom("", "a", "b")
const unit = fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100)

export const exposure: fc.Arbitrary<Exposure> = sometimes<Exposure>(
  {
    kind: fc.constantFrom(...EXPOSURE_KINDS),
    source,
    item,
    age,
    secret: fc.constantFrom(...SECRETS),
    conf,
    classes: fc.subarray([...emailModel.depth.classes, "shoe_size"]),
    pwFp: fc.oneof(fc.constantFrom("a1f", "b2e"), fc.subarray(["a1f", "b2e", "c3d"])),
  },
  ["kind", "source", "age"],
)

export const signal: fc.Arbitrary<Signal> = sometimes<Signal>(
  { type: fc.constantFrom(...SIGNAL_TYPES), source, item, age, conf },
  ["type", "source", "age"],
)

const blocklistMembers: Shape<BlocklistEntry> = {
  conf,
  age,
  listedAge: age,
  name: fc.constantFrom("deny.csv", "partners"),
  likelyDisposable: fc.boolean(),
}

const trustMembers: Shape<Trust> = {
  emailAge: age,
  free: fc.boolean(),
  disposable: fc.boolean(),
  disposableDomainAge: fc.integer({ min: 0, max: 60 }),
  disposableLikely: fc.boolean(),
  masked: fc.boolean(),
  mx: fc.boolean(),
  deliverable: fc.boolean(),
  catchAll: fc.boolean(),
  role: fc.boolean(),
  typosquat: fc.boolean(),
  homograph: fc.boolean(),
  imitates: fc.constantFrom("gmail.com", "acme.example"),
  toxicDomain: fc.boolean(),
  domainAge: age,
  ownershipVerified: fc.boolean(),
  traces: fc.integer({ min: 0, max: 5 }),
  handle: fc.integer({ min: -60, max: 120 }).map((hundredths) => hundredths / 100),
  localLength: fc.integer({ min: 1, max: 12 }),
  velocity24h: fc.integer({ min: 0, max: 9 }),
  signupToActionSec: fc.integer({ min: 0, max: 5_000 }),
  clusterSize: fc.integer({ min: 0, max: 9 }),
  blocklist: fc.array(sometimes<BlocklistEntry>(blocklistMembers, []), { maxLength: 3 }),
  anomaly: unit,
  mailboxDied: fc.boolean(),
  goodHistoryDays: fc.integer({ min: 0, max: 400 }),
  confirmedFraudAge: age,
}

export const trust: fc.Arbitrary<Trust> = sometimes<Trust>(trustMembers, [])
/** Every member there is, each of them known. */
export const fullTrust = fc.record(trustMembers)

export const coverage = sometimes<NonNullable<EmailInput["coverage"]>>(
  { credential: unit, darkweb: unit, trust: unit, bot: unit },
  [],
)

/** Identities of every kind, at the settings of the model. */
export const anyEmail: fc.Arbitrary<EmailInput> = fc
  .record(
    {
      exposures: fc.array(exposure, { maxLength: 8 }),
      signals: fc.array(signal, { maxLength: 6 }),
      trust,
      rotatedAge: age,
      coverage,
      conflict: unit,
    },
    { requiredKeys: [] },
  )
  .map(emailInput)

export const calibration = fc.record({
  A: fc.integer({ min: 30, max: 300 }).map((hundredths) => hundredths / 100),
  B: fc.integer({ min: -500, max: 500 }).map((hundredths) => hundredths / 100),
})

export const days = fc.oneof(
  fc.double({ min: 0, max: 400, noNaN: true }),
  fc.constantFrom(0, 1, 2, 3, 7, 10, 30, 365),
)

const phoneMembers = {
  line: fc.constantFrom(...LINES),
  valid: fc.boolean(),
  reserved: fc.boolean(),
  active: fc.boolean(),
  tenureDays: fc.integer({ min: 0, max: 2_000 }),
  simChangeAge: days,
  simChangeAgeMin: days,
  simChangeAgeMax: days,
  portAge: days,
  noSimChangeDays: days,
  deviceContinuityDays: days,
  deviceChangedWithSim: fc.boolean(),
  simMovedSameDevice: fc.boolean(),
  recycledSinceVerified: fc.boolean(),
  callForwarding: fc.boolean(),
  routeChanges90d: fc.integer({ min: 0, max: 5 }),
  otpFailureBurst: fc.boolean(),
  accounts24h: fc.integer({ min: 0, max: 9 }),
  countryMismatch: fc.boolean(),
  blocklisted: fc.boolean(),
  blocklistedForFraud: fc.boolean(),
  confirmedFraudAge: days,
  verifiedAge: days,
  verifiedIndependently: fc.boolean(),
}

/** Every member a number may have beside its own shape, each of them known. */
export const fullPhone = fc.record(phoneMembers)

export const anyPhone: fc.Arbitrary<PhoneInput> = fc
  .record(phoneMembers, { requiredKeys: [] })
  .map(phoneInput)
