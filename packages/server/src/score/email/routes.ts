import { EmailRiskRequest, EmailRiskResult, ExplainQuery } from "@assay/core/contract"
import { identityTagToday } from "../../accounts/identity-tag.ts"
import type { Limits } from "../../accounts/limits.ts"
import type { App } from "../../http/app.ts"
import { COMMON_FAILURES, failures, named } from "../../http/schemas.ts"
import { readContext } from "../context.ts"
import { type EmailServices, emailScorer } from "./email-scorer.ts"

const schema = {
  operationId: "scoreEmail",
  summary: "Score an e-mail address",
  tags: ["Score"],
  security: [{ apiKey: [] }],
  body: named(EmailRiskRequest),
  querystring: ExplainQuery,
  response: {
    200: named(EmailRiskResult, "The assessment."),
    ...failures("not-an-email", "model-unavailable", "decision-not-recorded", ...COMMON_FAILURES),
  },
}

export function scoreRoutes(app: App, services: EmailServices & { readonly limits: Limits }): void {
  const { limits, secrets, now } = services
  const scorer = emailScorer(services)

  app.post("/api/v1/risk/score", { schema, config: { scope: "score" } }, async (request, reply) => {
    const { body, caller, query } = request
    const given = body.context ?? null
    const context = given === null ? null : readContext(given, now())
    const identified = scorer.identify(body.email)
    const tag = identityTagToday(secrets.subkeys.context, identified.key, now())
    const admitting = limits.admit(caller, tag)
    const refund = admitting instanceof Promise ? await admitting : admitting
    reply.headers(limits.fields(caller))
    try {
      const { result, decisionId } = await scorer.score(
        identified,
        caller,
        query.explain === "true",
        context,
      )
      if (decisionId !== null) reply.header("x-decision-id", decisionId)
      return result
    } catch (error) {
      refund()
      throw error
    }
  })
}
