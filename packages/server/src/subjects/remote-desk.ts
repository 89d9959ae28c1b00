import { orProblem } from "../base/or-problem.ts"
import type { Call } from "@assay/runtime/rpc"
import type { SubjectAnswer, SubjectDesk } from "./subject-desk.ts"
import type { SubjectErasure } from "@assay/core/contract"

const UNREACHABLE = "The subject's data cannot be reached"

/** The primary's desk, as workers and commands reach it. */
export function remoteSubjects(call: Call): SubjectDesk {
  return {
    erase: async (inquiry) =>
      (await orProblem(call("eraseSubjectOf", inquiry), UNREACHABLE)) as SubjectErasure,
    export: async (inquiry) =>
      (await orProblem(call("exportSubjectOf", inquiry), UNREACHABLE)) as SubjectAnswer,
  }
}
