export { parseDomain, type ParsedDomain } from "./email-domain.ts"
export type { EmailFault, EmailFaultWord } from "./email-fault.ts"
export { parseEmail, type ParsedEmail } from "./email.ts"
export {
  aliasTag,
  HASH_START_BYTES,
  hashStart,
  IDENTITY_KEY_BYTES,
  IDENTITY_TAGS,
  identityKey,
  identityKeyOf,
  keyCheckValue,
  passwordFingerprint,
  type IdentityKey,
  type IdentityTag,
  type IdentityType,
  type Sha256,
} from "./keys.ts"
export type { PhoneFault, PhoneFaultWord } from "./phone-fault.ts"
export { parsePhone, type NumberType, type ParsedPhone, type SpecialNumber } from "./phone.ts"
export { subkeyInfo, SUBKEY_NAMES, type SubkeyName } from "./subkeys.ts"
