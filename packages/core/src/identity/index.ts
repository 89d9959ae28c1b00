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
  SUBKEY_NAMES,
  subkeyInfo,
  type IdentityKey,
  type IdentityTag,
  type IdentityType,
  type Sha256,
  type SubkeyName,
} from "./keys.ts"
export {
  parsePhone,
  type NumberType,
  type ParsedPhone,
  type PhoneFault,
  type PhoneFaultWord,
  type SpecialNumber,
} from "./phone.ts"
