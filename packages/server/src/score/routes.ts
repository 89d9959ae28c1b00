import { EmailRiskRequest, EmailRiskResult, ExplainQuery } from "@assay/core/contract"
import { aliasTag, IDENTITY_TAGS, identityKey, parseEmail } from "@assay/core/identity"
import { explainEmail } from "@assay/core/score"
import { identityTagToday } from "../accounts/identity-tag.ts"
import type { App, Services } from "../app.ts"
import { COMMON_FAILURES, failures, named } from "../http/schemas.ts"
import { Problem } from "../problem.ts"
import { sha256 } from "../secrets.ts"
import { emailEvidence } from "./email-evidence.ts"
import { rememberingAssessor } from "./remembered-assessments.ts"

const schema = {
  operationId: "scoreEmail",
  summary: "Score an e-mail address",
  tags: ["Score"],
  security: [{ apiKey: [] }],
  body: named(EmailRiskRequest),
  querystring: ExplainQuery,
  response: {
    200: named(EmailRiskResult, "The assessment."),
    ...failures("not-an-email", ...COMMON_FAILURES),
  },
}

export function scoreRoutes(
  app: App,
  { index, lists, limits, models, usage, secrets, now }: Services,
): void {
  const { subkeys } = secrets
  const model = models.email
  const assess = rememberingAssessor(model)

  app.post("/api/v1/risk/score", { schema, config: { scope: "score" } }, async (request, reply) => {
    const { body, caller, query } = request
    const parsed = parseEmail(body.email)
    if ("fault" in parsed) throw new Problem("not-an-email", parsed.detail)
    const key = identityKey(sha256, subkeys.identity, IDENTITY_TAGS.email, parsed.canonical)
    const admission = await limits.admit(caller, identityTagToday(subkeys.context, key, now()))
    reply.headers(admission.headers)
    try {
      const found = await index.lookup(key, caller.tenantId)
      const alias = aliasTag(sha256, subkeys.alias, key, parsed)
      const { input, matched, cut } = emailEvidence({
        parsed,
        aliasTag: alias,
        found,
        lists,
        caller,
        nowMs: now(),
      })
      const result = { email: body.email, ...assess(input) }
      usage.count(caller.keyId, "email")
      if (query.explain !== "true") return result
      return {
        ...result,
        explanation: { ...explainEmail(input, model), matched, entries_cut: cut },
      }
    } catch (error) {
      admission.refund()
      throw error
    }
  })
}
