import {
  aliasTag,
  IDENTITY_TAGS,
  type IdentityKey,
  identityKey,
  parseEmail,
  parsePhone,
  type IdentityType,
} from "@assay/core/identity"
import { Problem } from "../base/problem.ts"
import { type Secrets, sha256 } from "@assay/runtime/secrets"

/** Whom a tenant's statement is about, as keyed hashes. */
export interface Identified {
  readonly identityType: IdentityType
  readonly identityKey: IdentityKey
  readonly aliasTag: number
}

/** The key of an address and of the form it was written in; throws a Problem for what is none. */
export function identifiedEmail(
  email: string,
  { identity, alias }: Secrets["subkeys"],
): Identified {
  const parsed = parseEmail(email)
  if ("fault" in parsed) throw new Problem("not-an-email", parsed.detail)
  const key = identityKey(sha256, identity, IDENTITY_TAGS.email, parsed.canonical)
  return { identityType: "email", identityKey: key, aliasTag: aliasTag(sha256, alias, key, parsed) }
}

/** The key of a number; throws a Problem for what is none. */
export function identifiedPhone(phone: string, { identity }: Secrets["subkeys"]): Identified {
  const parsed = parsePhone(phone)
  if ("fault" in parsed) throw new Problem("not-a-phone-number", parsed.detail)
  const key = identityKey(sha256, identity, IDENTITY_TAGS.phone, parsed.e164)
  return { identityType: "phone", identityKey: key, aliasTag: 0 }
}
