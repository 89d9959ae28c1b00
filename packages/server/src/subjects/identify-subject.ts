import type { SubjectRequest } from "@assay/core/contract"
import { aliasTag, IDENTITY_TAGS, identityKey, parseEmail, parsePhone } from "@assay/core/identity"
import { Problem } from "../problem.ts"
import { type Secrets, sha256 } from "../secrets.ts"
import type { SubjectInquiry } from "./subject-desk.ts"

/** Whom a request is about. Throws a Problem where that is nobody, or two. */
export function identifySubject(
  { email, phone_number: phone }: Pick<SubjectRequest, "email" | "phone_number">,
  { subkeys }: Secrets,
): Pick<SubjectInquiry, "subject" | "identityKey" | "aliasTag"> {
  if ((email === undefined) === (phone === undefined)) {
    throw new Problem("invalid-request", "A member of the body does not fit.", {
      errors: [
        { pointer: "#/email", detail: "exactly one of email and phone_number must be there" },
      ],
    })
  }
  if (email === undefined) {
    const parsed = parsePhone(phone ?? "")
    if ("fault" in parsed) throw new Problem("not-a-phone-number", parsed.detail)
    const key = identityKey(sha256, subkeys.identity, IDENTITY_TAGS.phone, parsed.e164)
    return { subject: "phone", identityKey: key, aliasTag: 0 }
  }
  const parsed = parseEmail(email)
  if ("fault" in parsed) throw new Problem("not-an-email", parsed.detail)
  const key = identityKey(sha256, subkeys.identity, IDENTITY_TAGS.email, parsed.canonical)
  return {
    subject: "email",
    identityKey: key,
    aliasTag: aliasTag(sha256, subkeys.alias, key, parsed),
  }
}
