import { type Identified, identifiedEmail, identifiedPhone } from "./identified.ts"
import { Problem } from "../base/problem.ts"
import type { Secrets } from "@assay/runtime/secrets"

/** Whom a request is about. Throws a Problem where that is nobody, or two. */
export function identifySubject(
  { email, phone_number: phone }: { readonly email?: string; readonly phone_number?: string },
  { subkeys }: Secrets,
): Identified {
  if ((email === undefined) === (phone === undefined)) {
    throw new Problem("invalid-request", "A member of the body does not fit.", {
      errors: [
        { pointer: "#/email", detail: "exactly one of email and phone_number must be there" },
      ],
    })
  }
  return email === undefined
    ? identifiedPhone(phone ?? "", subkeys)
    : identifiedEmail(email, subkeys)
}
