import type { ProblemDetails } from "@assay/core/contract"
import { holdsIdentity } from "../base/holds-identity.ts"
import { Problem } from "../base/problem.ts"

/** A body whose schema fits and one of whose members does not. */
export function refusal(fault: NonNullable<ProblemDetails["errors"]>[number]): Problem {
  return new Problem("invalid-request", "A member of the body does not fit.", { errors: [fault] })
}

/** What is stored as it was written must name nobody. */
export function refuseIdentity(member: string, text: string): void {
  if (holdsIdentity(text))
    throw refusal({
      pointer: `#/${member}`,
      detail: "must not hold an e-mail address or a phone number",
    })
}
