import { ExplainQuery, PhoneRiskRequest, PhoneRiskResult } from "@assay/core/contract"
import { identityTagToday } from "../../accounts/identity-tag.ts"
import type { Limits } from "../../accounts/limits.ts"
import type { App } from "../../http/app.ts"
import { COMMON_FAILURES, failures, named } from "../../http/schemas.ts"
import { readPhoneContext } from "./phone-context.ts"
import { type PhoneServices, phoneScorer } from "./phone-scorer.ts"

const schema = {
  operationId: "scorePhone",
  summary: "Score a phone number",
  tags: ["Score"],
  security: [{ apiKey: [] }],
  body: named(PhoneRiskRequest),
  querystring: ExplainQuery,
  response: {
    200: named(PhoneRiskResult, "The assessment."),
    ...failures(
      "not-a-phone-number",
      "model-unavailable",
      "decision-not-recorded",
      ...COMMON_FAILURES,
    ),
  },
}

export function telecomRoutes(
  app: App,
  services: PhoneServices & { readonly limits: Limits },
): void {
  const { limits, secrets, now } = services
  const scorer = phoneScorer(services)

  app.post("/api/v1/phone-risk", { schema, config: { scope: "score" } }, async (request, reply) => {
    const { body, caller, query } = request
    const given = body.context ?? null
    const context = given === null ? null : readPhoneContext(given, now())
    const identified = scorer.identify(body.phone_number)
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
