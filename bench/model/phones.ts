import { IDENTITY_KEY_BYTES, IDENTITY_TAGS, identityKey, parsePhone } from "@assay/core/identity"
import { assessPhone, explainPhone, type PhoneInput } from "@assay/core/score"
import { parsePhoneNumberFromString } from "libphonenumber-js/max"
import { currentModels } from "../../packages/server/src/score/models.ts"
import { sha256 } from "../../packages/runtime/src/secrets.ts"

/** Something that is done to a phone number, on different ones in turn. */
export interface PhoneCase {
  readonly name: string
  /** In microseconds; null for a case that is only there for comparison. */
  readonly aimMicros: number | null
  /** Does it to the number in this place; places go from 0 to `PHONES`. */
  readonly work: (place: number) => object
}

const model = currentModels.phone

const NUMBERS = [
  "+61491570156",
  "+447400123456",
  "+4915112345678",
  "+12125551234",
  "+33612345678",
  "+919876543210",
  "+5511987654321",
  "+819012345678",
  "+8613912345678",
  "+34612345678",
  "+393123456789",
  "+77710009998",
] as const

export const PHONES = NUMBERS.length

/** The service's input for a number about which it knows nothing more. */
const UNKNOWN: readonly PhoneInput[] = NUMBERS.map(() => ({
  as_of: "2026-11-15T12:00:00.000Z",
  numberType: "mobile",
  region: "AU",
  line: "mobile",
  valid: true,
  coverage: { number: 1, sim: 0, device: 0, network: 0, context: 0 },
}))

const FOUND: readonly PhoneInput[] = UNKNOWN.map((input, place) => ({
  ...input,
  simChangeAge: 0.1 + place,
  deviceChangedWithSim: true,
  active: true,
  tenureDays: 100 + place,
  callForwarding: place % 2 === 0,
  verifiedAge: 100,
}))

const SUBKEY = new Uint8Array(32).fill(7)
const encoder = new TextEncoder()
const scratch = new Uint8Array(1024)

function keyOfOneHash(canonical: string): Uint8Array {
  const form = scratch.subarray(0, encoder.encodeInto(canonical, scratch).written)
  const digest = sha256(SUBKEY, Uint8Array.of(IDENTITY_TAGS.phone), form)
  return new Uint8Array(digest.subarray(0, IDENTITY_KEY_BYTES))
}

export const phoneCases: readonly PhoneCase[] = [
  { name: "parse", aimMicros: 3, work: (place) => parsePhone(at(NUMBERS, place)) },
  {
    name: "parse and validate with libphonenumber-js",
    aimMicros: null,
    work: (place) => {
      const parsed = parsePhoneNumberFromString(at(NUMBERS, place))
      return { valid: parsed?.isValid(), type: parsed?.getType() }
    },
  },
  {
    name: "key, identity/v2",
    aimMicros: null,
    work: (place) => identityKey(sha256, SUBKEY, IDENTITY_TAGS.phone, at(NUMBERS, place)),
  },
  {
    name: "key with one hash, as identity/v1 made it",
    aimMicros: null,
    work: (place) => keyOfOneHash(at(NUMBERS, place)),
  },
  {
    name: "assess, nothing known",
    aimMicros: 5,
    work: (place) => assessPhone(at(UNKNOWN, place), model),
  },
  {
    name: "assess, four findings",
    aimMicros: 15,
    work: (place) => assessPhone(at(FOUND, place), model),
  },
  {
    name: "explain, four findings",
    aimMicros: null,
    work: (place) => explainPhone(at(FOUND, place), model),
  },
]

function at<T>(values: readonly T[], place: number): T {
  return values[place] as T
}
