import { orProblem } from "../or-problem.ts"
import type { Call } from "../process/rpc.ts"
import type { FeedbackDesk, Submission } from "./feedback-writer.ts"

/** The primary's feedback writer, as a worker reaches it. */
export function remoteDesk(call: Call): FeedbackDesk {
  return {
    submit: async (report, claim) =>
      (await orProblem(call("submitFeedback", report, claim))) as Submission,
    undo: async (id, tenantId) => (await orProblem(call("undoFeedback", id, tenantId))) as boolean,
  }
}
