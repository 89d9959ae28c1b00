import { orProblem } from "../or-problem.ts"
import type { Call } from "../process/rpc.ts"
import type { EvidenceDesk, Submission } from "./evidence-writer.ts"

/** The primary's evidence writer, as a worker reaches it. */
export function remoteEvidenceDesk(call: Call): EvidenceDesk {
  return {
    submit: async (report, claim) =>
      (await orProblem(call("submitEvidence", report, claim))) as Submission,
  }
}
