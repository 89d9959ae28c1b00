import { type Call, RemoteError } from "../process/rpc.ts"
import { RecordsError } from "../stores/records-error.ts"
import type { SubjectAnswer, SubjectDesk } from "./subject-desk.ts"
import type { SubjectErasure } from "@assay/core/contract"

/** The primary's desk, as workers and commands reach it. */
export function remoteSubjects(call: Call): SubjectDesk {
  return {
    erase: async (inquiry) => (await told(call("eraseSubjectOf", inquiry))) as SubjectErasure,
    export: async (inquiry) => (await told(call("exportSubjectOf", inquiry))) as SubjectAnswer,
  }
}

async function told(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof RemoteError) || error.code !== "unavailable") throw error
    throw new RecordsError("unavailable", "The subject's data cannot be reached", { cause: error })
  }
}
