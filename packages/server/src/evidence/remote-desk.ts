import { orProblem } from "../base/or-problem.ts"
import type { Call } from "@assay/runtime/rpc"
import type { EvidenceIntake, Submission } from "../intake/evidence-writer.ts"

/** The primary's evidence writer, as a worker reaches it. */
export function remoteEvidence(call: Call): EvidenceIntake {
  return {
    submit: async (report, claim) =>
      (await orProblem(call("submitEvidence", report, claim))) as Submission,
  }
}
