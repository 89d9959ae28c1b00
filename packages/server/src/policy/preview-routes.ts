import { PolicyPreview, PolicyRequest } from "@assay/core/contract"
import { type CostPoint, costCurve, type EmailModel, type PhoneModel } from "@assay/core/score"
import type { Records } from "@assay/stores/records"
import { scoringSettings } from "../accounts/tenant-settings.ts"
import type { App } from "../http/app.ts"
import { failures, FAILURES_WITHOUT_LOOKUP, named } from "../http/schemas.ts"
import { POLICY_BODY_MAX } from "../http/sizes.ts"
import type { Models } from "../score/models.ts"
import { newestPolicy, tenantIdOf } from "./of-tenant.ts"
import { proposedPolicy } from "./proposal.ts"

const schema = {
  tags: ["Policy"],
  security: [{ session: [] }],
  operationId: "previewPolicy",
  summary: "See what a policy would make of each score",
  description: "Expected costs and the scores from which actions change. It changes nothing.",
  body: named(PolicyRequest),
  response: {
    200: named(PolicyPreview, "Costs, edges and actions of both models."),
    ...failures("policy-refused", ...FAILURES_WITHOUT_LOOKUP),
  },
}

interface PreviewServices {
  readonly policyRecords: Pick<Records, "policies">
  readonly models: Models
}

/** What a policy that was only proposed would decide, score by score. */
export function previewRoutes(app: App, { policyRecords, models }: PreviewServices): void {
  app.post(
    "/api/v1/policy/preview",
    { schema, bodyLimit: POLICY_BODY_MAX },
    async ({ caller, body }) => {
      const current = await newestPolicy(policyRecords, tenantIdOf(caller))
      const proposal = scoringSettings(proposedPolicy(body, current, models))
      return {
        email: curveOf(models.email(proposal.emailModel), proposal.emailSettings),
        phone: curveOf(models.phone(proposal.phoneModel), proposal.phoneSettings),
      }
    },
  )
}

function curveOf(
  model: EmailModel | PhoneModel,
  settings: Parameters<typeof costCurve>[1],
): PolicyPreview["email"] {
  const { costs, edges, points } = costCurve(model, settings)
  const { loss, challenge, wrongBlock } = costs
  return {
    model: model.version,
    costs: { loss, challenge, wrong_block: wrongBlock },
    edges,
    actions: actionsOf(points),
    curve: points.map(({ score, costs: expected }) => ({ score, ...expected })),
  }
}

/** Neighbouring scores of one action, as one span. */
function actionsOf(points: readonly CostPoint[]): PolicyPreview["email"]["actions"] {
  const spans: PolicyPreview["email"]["actions"] = []
  for (const { score, action } of points) {
    const last = spans.at(-1)
    if (last?.action === action) last.to = score
    else spans.push({ action, from: score, to: score })
  }
  return spans
}
