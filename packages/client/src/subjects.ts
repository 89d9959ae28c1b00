import type { SubjectErasure, SubjectExport, SubjectRequest } from "@assay/core/contract"
import { ask } from "./attempts.ts"
import type { Failover } from "./failover.ts"
import type { Settings } from "./options.ts"
import type { CallOptions } from "./request.ts"
import { answerOf } from "./response.ts"

/** Every decision about the person is looked for. */
const TIMEOUT_MS = 60_000

/** Erases what is held about a person. Doing it again changes nothing. */
export async function eraseSubject(
  settings: Settings<Failover>,
  request: SubjectRequest,
  options: CallOptions = {},
): Promise<SubjectErasure> {
  const body = await asked(settings, "erase", request, options, "erased_at")
  return body as SubjectErasure
}

/** All that is held about a person. */
export async function exportSubject(
  settings: Settings<Failover>,
  request: SubjectRequest,
  options: CallOptions = {},
): Promise<SubjectExport> {
  const body = await asked(settings, "export", request, options, "exported_at")
  return body as SubjectExport
}

async function asked(
  settings: Settings<Failover>,
  what: "erase" | "export",
  request: SubjectRequest,
  options: CallOptions,
  member: string,
): Promise<object> {
  const question = {
    method: "POST",
    path: `/api/v1/subjects/${what}`,
    body: JSON.stringify(request),
    timeoutMs: TIMEOUT_MS,
    repeatable: what === "erase",
  } as const
  return await ask(settings, question, options, (response) =>
    answerOf(response, 200, (body) => typeof body?.[member] === "string"),
  )
}
