import { orProblem } from "../base/or-problem.ts"
import type { Call } from "@assay/runtime/rpc"
import type { EvidenceDesk, Submission } from "../intake/evidence-writer.ts"

/** The primary's evidence writer, as a worker reaches it. */
export function remoteEvidenceDesk(call: Call): EvidenceDesk {
  return {
    submit: async (report, claim) =>
      (await orProblem(call("submitEvidence", report, claim))) as Submission,
  }
}
