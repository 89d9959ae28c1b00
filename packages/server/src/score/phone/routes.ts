import { ExplainQuery, PhoneRiskRequest, PhoneRiskResult } from "@assay/core/contract"
import type { CountingServices } from "../../accounts/limits.ts"
import type { App } from "../../http/app.ts"
import { COMMON_FAILURES, failures, named } from "../../http/schemas.ts"
import { scoringRoute } from "../../http/scoring-route.ts"
import { circumstances, readRef } from "../context-members.ts"
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

export function telecomRoutes(app: App, services: PhoneServices & CountingServices): void {
  const { identify, score } = phoneScorer(services)
  scoringRoute(app, services, {
    path: "/api/v1/phone-risk",
    schema,
    read(body: PhoneRiskRequest, requestId, nowMs) {
      const ref = readRef(body.context)
      const given = circumstances(body.context)
      const context = given === null ? null : readPhoneContext(given, nowMs)
      return { identified: identify(body.phone_number, requestId, ref), context }
    },
    score,
  })
}
