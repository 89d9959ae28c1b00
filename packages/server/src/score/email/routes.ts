import { EmailRiskRequest, EmailRiskResult, ExplainQuery } from "@assay/core/contract"
import type { CountingServices } from "../../accounts/limits.ts"
import type { App } from "../../http/app.ts"
import { COMMON_FAILURES, failures, named } from "../../http/schemas.ts"
import { scoringRoute } from "../../http/scoring-route.ts"
import { readContext } from "../context.ts"
import { circumstances, readRef } from "../context-members.ts"
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

export function scoreRoutes(app: App, services: EmailServices & CountingServices): void {
  const { identify, score } = emailScorer(services)
  scoringRoute(app, services, {
    path: "/api/v1/risk/score",
    schema,
    read(body: EmailRiskRequest, requestId, nowMs) {
      const ref = readRef(body.context)
      const given = circumstances(body.context)
      const context = given === null ? null : readContext(given, nowMs)
      return { identified: identify(body.email, requestId, ref), context }
    },
    score,
  })
}
