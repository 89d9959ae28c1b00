import { Problem } from "./problem.ts"
import { RemoteError } from "@assay/runtime/rpc"
import { RecordsError } from "@assay/stores/records-error"

/** The answer of a writer in the primary, or its failure as the caller of the service sees it. */
export async function orProblem(
  answer: Promise<unknown>,
  failed = "What was sent could not be stored",
): Promise<unknown> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error
    if (error.code === "overloaded") {
      throw new Problem("overloaded", "Nothing was stored.", { headers: { "retry-after": "1" } })
    }
    if (error.code !== "unavailable") throw error
    throw new RecordsError("unavailable", failed, { cause: error })
  }
}
