import { SubjectErasure, SubjectExport, SubjectRequest } from "@assay/core/contract"
import { actorOf, type Caller } from "../accounts/callers.ts"
import type { App } from "../http/app.ts"
import type { Feature } from "../http/feature.ts"
import { failures, FAILURES_WITHOUT_LOOKUP, named } from "../http/schemas.ts"
import { Problem } from "../base/problem.ts"
import type { Secrets } from "@assay/runtime/secrets"
import { identifySubject } from "../http/identify-subject.ts"
import { type Subjects, type SubjectInquiry, subjectsPort } from "./subjects.ts"
import { openSubjectWriter } from "./subject-writer.ts"

const FAILURES = ["not-an-email", "not-a-phone-number", ...FAILURES_WITHOUT_LOOKUP] as const

const eraseSchema = {
  operationId: "eraseSubject",
  summary: "Erase what is held about a person",
  description:
    "With `subjects:admin`: what anybody holds, for good; what is imported later is left out too. With `subjects:own`: what the key's tenant holds, now.",
  tags: ["Subjects"],
  security: [{ apiKey: [] }],
  body: named(SubjectRequest),
  response: { 200: named(SubjectErasure, "Erased."), ...failures(...FAILURES) },
}

const exportSchema = {
  operationId: "exportSubject",
  summary: "Export what is held about a person",
  description:
    "With `subjects:admin`: what anybody holds; tenants are not named. With `subjects:own`: what the key's tenant holds. At most 20 an hour, and each is noted in the audit trail.",
  tags: ["Subjects"],
  security: [{ apiKey: [] }],
  body: named(SubjectRequest),
  response: {
    200: named(SubjectExport, "All that is held."),
    ...failures("exports-exceeded", ...FAILURES),
  },
}

export interface SubjectServices {
  readonly secrets: Secrets
}

export const subjects: Feature<SubjectServices, Subjects> = {
  routes: subjectRoutes,
  port: subjectsPort,
  async writer(primary) {
    const { erase, export: exported, repeatErasures } = openSubjectWriter(primary)
    await repeatErasures()
    return { erase, export: exported }
  },
}

function subjectRoutes(app: App, { secrets }: SubjectServices, subjects: Subjects): void {
  app.post("/api/v1/subjects/erase", { schema: eraseSchema }, async (request) => {
    const inquiry = inquiryOf(request, secrets)
    return await subjects.erase(inquiry)
  })

  app.post("/api/v1/subjects/export", { schema: exportSchema }, async (request) => {
    const inquiry = inquiryOf(request, secrets)
    const answer = await subjects.export(inquiry)
    if (answer.state === "exported") return answer.export
    throw new Problem("exports-exceeded", "Nothing was exported.", {
      headers: { "retry-after": String(answer.retryAfterSeconds) },
    })
  })
}

interface Inquired {
  readonly body: SubjectRequest
  readonly caller: Caller
  readonly id: string
}

function inquiryOf(request: Inquired, secrets: Secrets): SubjectInquiry {
  const { body, caller, id: requestId } = request
  const { reason, reference = null } = body
  // A key of the service has no tenant; one of a tenant never reaches beyond it, whatever scopes it
  // carries.
  return {
    ...identifySubject(body, secrets),
    tenantId: caller.tenantId,
    actor: actorOf(caller),
    requestId,
    reason,
    reference,
  }
}
