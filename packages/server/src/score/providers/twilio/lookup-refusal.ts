import { boundedJson, UnreadableBody } from "@assay/runtime/outbound/bounded-json"
import type { SignalStatus } from "../signals.ts"
import { httpCode } from "../passing-faults.ts"
import { ANSWER_BYTES_MAX, type NoFinding } from "./lookup-answer.ts"
import { errorCode, statusOfCode } from "./lookup-codes.ts"

/**
 * What these say without a code of Twilio's. Any other status is then about a wrong path or a
 * broken gateway: a 404 of one must not pass for "no such number".
 */
const BY_STATUS: ReadonlyMap<number, SignalStatus> = new Map<number, SignalStatus>([
  [401, "unauthorized"],
  [403, "consent_required"],
  [429, "rate_limited"],
  [504, "timeout"],
])

/** What a status other than 200 means. Twilio's own code is more exact, if it gives one. */
export async function refusal(response: Response): Promise<NoFinding> {
  const { status: http } = response
  const byStatus: NoFinding = {
    status: BY_STATUS.get(http) ?? "error",
    providerCode: http < 400 ? "redirect" : httpCode(http),
    billable: false,
  }
  if (http < 400 || http > 499 || http === 401) {
    await response.body?.cancel()
    return byStatus
  }
  const code = await codeIn(response)
  if (code === null) return byStatus
  const status = statusOfCode(code)
  return { ...byStatus, status: status === "error" ? byStatus.status : status, providerCode: code }
}

/** A refusal counts even if its page cannot be read. */
async function codeIn(response: Response): Promise<string | null> {
  try {
    const document = await boundedJson(response, ANSWER_BYTES_MAX)
    return typeof document === "object" && document !== null && "code" in document
      ? errorCode(document.code)
      : null
  } catch (error) {
    if (error instanceof UnreadableBody) return null
    throw error
  }
}
