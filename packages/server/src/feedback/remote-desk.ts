import { type Call, RemoteError } from "../process/rpc.ts"
import { Problem } from "../problem.ts"
import { RecordsError } from "../stores/records-error.ts"
import type { FeedbackDesk, Submission } from "./feedback-writer.ts"

/** The primary's feedback writer, as a worker reaches it. */
export function remoteDesk(call: Call): FeedbackDesk {
  return {
    submit: async (report, claim) =>
      (await told(call("submitFeedback", report, claim))) as Submission,
    undo: async (id, tenantId) => (await told(call("undoFeedback", id, tenantId))) as boolean,
  }
}

/** The answer of a writer in the primary, or its failure as the caller of the service is told it. */
export async function told(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error
    if (error.code === "overloaded") {
      throw new Problem("overloaded", "Nothing was stored.", { headers: { "retry-after": "1" } })
    }
    if (error.code !== "unavailable") throw error
    throw new RecordsError("unavailable", "What was sent could not be stored", { cause: error })
  }
}
