import type { ProblemCode, ProblemDetails } from "@assay/core/contract"
import { Explained } from "@assay/runtime/explained"
import { Problem, problemDetails } from "../base/problem.ts"
import type { RefusedLine } from "@assay/stores/records-evidence"

interface StoredRefusal {
  readonly code: ProblemCode
  readonly detail: string
  readonly errors: ProblemDetails["errors"]
}

/**
 * A problem as it is stored to answer a request again, without the members that follow from its
 * code.
 */
export function refusedLine({ code, message, errors }: Problem): RefusedLine {
  return { refusal: JSON.stringify({ code, detail: message, errors } satisfies StoredRefusal) }
}

export function problemOf({ refusal }: RefusedLine): ProblemDetails {
  const { code, detail, errors } = JSON.parse(refusal) as StoredRefusal
  return problemDetails(new Problem(code, detail, errors === undefined ? {} : { errors }), null)
}

/** More came than the writer can take, of all or of one sender; nothing was stored. */
export function notTaken(code: "overloaded" | "rate-limited", message: string): Explained {
  return new Explained(code, message)
}
