import { orProblem } from "../base/or-problem.ts"
import type { Call } from "@assay/runtime/rpc"
import type { FeedbackIntake, Submission } from "../intake/feedback-writer.ts"

/** The primary's feedback writer, as a worker reaches it. */
export function remoteFeedback(call: Call): FeedbackIntake {
  return {
    submit: async (report, claim) =>
      (await orProblem(call("submitFeedback", report, claim))) as Submission,
    undo: async (id, tenantId) => (await orProblem(call("undoFeedback", id, tenantId))) as boolean,
  }
}
