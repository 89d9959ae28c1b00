import { Problem } from "./problem.ts"
import type { RemoteError } from "@assay/runtime/rpc"
import { RecordsError } from "@assay/stores/records-error"

/** The failure of a writer in the primary, as the caller of the service sees it. */
export function orProblem(
  failed = "What was sent could not be stored",
): (error: RemoteError) => Error {
  return (error) => {
    const { code } = error
    if (code === "overloaded" || code === "rate-limited")
      return new Problem(code, "Nothing was stored.", { headers: { "retry-after": "1" } })
    return code === "unavailable" ? new RecordsError(code, failed, { cause: error }) : error
  }
}
