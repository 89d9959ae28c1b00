import { ExplainQuery, PhoneRiskRequest, PhoneRiskResult } from "@assay/core/contract"
import { IDENTITY_TAGS, identityKey, parsePhone } from "@assay/core/identity"
import { assessPhone, explainPhone } from "@assay/core/score"
import { identityTagToday } from "../accounts/identity-tag.ts"
import type { App, Services } from "../app.ts"
import { COMMON_FAILURES, failures, named } from "../http/schemas.ts"
import { Problem } from "../problem.ts"
import { sha256 } from "../secrets.ts"
import { phoneEvidence } from "./phone-evidence.ts"

const schema = {
  operationId: "scorePhone",
  summary: "Score a phone number",
  tags: ["Score"],
  security: [{ apiKey: [] }],
  body: named(PhoneRiskRequest),
  querystring: ExplainQuery,
  response: {
    200: named(PhoneRiskResult, "The assessment."),
    ...failures("not-a-phone-number", "decision-not-recorded", ...COMMON_FAILURES),
  },
}

export function telecomRoutes(
  app: App,
  { index, decisions, limits, models, usage, secrets, now }: Services,
): void {
  const { subkeys } = secrets
  const model = models.phone

  app.post("/api/v1/phone-risk", { schema, config: { scope: "score" } }, async (request, reply) => {
    const { body, caller, query } = request
    const parsed = parsePhone(body.phone_number)
    if ("fault" in parsed) throw new Problem("not-a-phone-number", parsed.detail)
    const key = identityKey(sha256, subkeys.identity, IDENTITY_TAGS.phone, parsed.e164)
    const admission = await limits.admit(caller, identityTagToday(subkeys.context, key, now()))
    reply.headers(admission.headers)
    try {
      const found = await index.lookup(key, caller.tenantId)
      const nowMs = now()
      const input = phoneEvidence({ parsed, found, caller, model, nowMs })
      const assessment = assessPhone(input, model)
      const recording = decisions.record({
        subject: "phone",
        tenantId: caller.tenantId,
        keyId: caller.keyId,
        identityKey: key,
        atMs: nowMs,
        modelVersion: model.version,
        input,
        score: assessment.risk_score,
        action: assessment.recommendation,
        stage: null,
        confidence: null,
      })
      const decisionId = recording instanceof Promise ? await recording : recording
      if (decisionId !== null) reply.header("x-decision-id", decisionId)
      const result = {
        ...assessment,
        phone_number: body.phone_number,
        number_type: parsed.numberType,
      }
      usage.count(caller.keyId, "phone")
      if (query.explain !== "true") return result
      return {
        ...result,
        explanation: {
          ...explainPhone(input, model),
          entries_cut: found.cut,
          decision_id: decisionId,
        },
      }
    } catch (error) {
      admission.refund()
      throw error
    }
  })
}
