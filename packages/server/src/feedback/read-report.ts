import type { FeedbackRequest, ProblemDetails } from "@assay/core/contract"
import { holdsIdentity } from "../base/holds-identity.ts"
import { identifiedEmail, identifiedPhone } from "../http/identified.ts"
import { parseTime } from "@assay/runtime/rfc3339"
import { Problem } from "../base/problem.ts"
import type { Secrets } from "@assay/runtime/secrets"
import type { FeedbackReport } from "../intake/feedback-writer.ts"

type Faults = NonNullable<ProblemDetails["errors"]>

/** Clocks differ; more than this is a mistake. */
const AHEAD_MS = 5 * 60_000
/**
 * Nobody's feedback is older than the web; an older date mistook seconds or days for milliseconds.
 */
const EARLIEST_MS = Date.UTC(1990, 0, 1)

/** Reads a request as a report. Throws a Problem that names every member that does not fit. */
export function readReport(
  body: FeedbackRequest,
  by: { readonly tenantId: number; readonly keyId: string },
  { subkeys }: Secrets,
  nowMs: number,
): FeedbackReport {
  const { email, phone_number: phone, outcome, loss = null, reference = null } = body
  const faults: Faults = []
  const refuse = (member: string, detail: string): void =>
    void faults.push({ pointer: `#/${member}`, detail })

  if ((email === undefined) === (phone === undefined))
    refuse("email", "exactly one of email and phone_number must be there")
  if (loss !== null && outcome !== "fraud_confirmed" && outcome !== "takeover_confirmed")
    refuse("loss", "is only there with fraud_confirmed and takeover_confirmed")
  const occurredAt = body.occurred_at === undefined ? nowMs : parseTime(body.occurred_at)
  if (occurredAt === null) refuse("occurred_at", "must be a time as in RFC 3339")
  else if (occurredAt > nowMs + AHEAD_MS) refuse("occurred_at", "must not be in the future")
  else if (occurredAt < EARLIEST_MS) refuse("occurred_at", "must not be before 1990")
  const expiresAt = body.expires_at === undefined ? null : parseTime(body.expires_at)
  if (body.expires_at !== undefined && expiresAt === null)
    refuse("expires_at", "must be a time as in RFC 3339")
  else if (expiresAt !== null && expiresAt <= nowMs) refuse("expires_at", "must be in the future")
  if (reference !== null && /\p{C}/u.test(reference))
    refuse("reference", "must not hold control characters")
  else if (reference !== null && holdsIdentity(reference))
    refuse("reference", "must not hold an e-mail address or a phone number")

  if (faults.length > 0 || occurredAt === null) {
    throw new Problem("invalid-request", "A member of the body does not fit.", { errors: faults })
  }
  if (phone !== undefined && outcome === "credential_rotated") {
    throw new Problem("outcome-not-applicable", "A phone number has no password.", {
      errors: [{ pointer: "#/outcome", detail: "credential_rotated is about an e-mail address" }],
    })
  }
  const identified =
    email === undefined ? identifiedPhone(phone ?? "", subkeys) : identifiedEmail(email, subkeys)
  return { ...by, ...identified, outcome, occurredAt, loss, reference, expiresAt }
}
