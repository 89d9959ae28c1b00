import { DecisionComparison, DecisionComparisonQuery } from "@assay/core/contract"
import { isDecisionId } from "@assay/stores/decision-id"
import { ERASED_FORMAT, type PastDecisions } from "@assay/stores/decisions"
import type { Policy, Records } from "@assay/stores/records"
import { Type } from "typebox"
import { Problem } from "../base/problem.ts"
import type { App } from "../http/app.ts"
import { failures, FAILURES_OF_READING, named } from "../http/schemas.ts"
import type { Models } from "../score/models.ts"
import { replay } from "../score/replay.ts"
import { withoutNames } from "../score/without-names.ts"
import { comparisonOf } from "./decision-comparison.ts"
import { newestPolicy } from "./of-tenant.ts"

const schema = {
  operationId: "compareDecision",
  summary: "Compare a past decision with another model or policy",
  description:
    "Computes a decision again from its own recorded input, as it was made and under the other, and changes nothing. Without a choice the other is the policy that acts.",
  tags: ["Decisions"],
  security: [{ apiKey: [] }],
  params: Type.Object({ id: Type.String({ description: "The X-Decision-Id of the answer." }) }),
  querystring: DecisionComparisonQuery,
  response: {
    200: named(DecisionComparison, "Both answers, and what is another."),
    ...failures(
      "not-found",
      "decision-not-found",
      "decision-erased",
      "model-not-loaded",
      "model-not-found",
      "policy-not-found",
      ...FAILURES_OF_READING,
    ),
  },
}

export interface DecisionComparisonServices {
  readonly policyRecords: Pick<Records, "policies" | "policy">
  readonly pastDecisions: Pick<PastDecisions, "find">
  readonly models: Models
}

/** What one decision would have been. */
export function decisionComparisonRoute(
  app: App,
  { policyRecords: records, pastDecisions, models }: DecisionComparisonServices,
): void {
  const policyOf = async (tenantId: number, version: number | null): Promise<Policy> => {
    if (version === null) return await newestPolicy(records, tenantId)
    const found = await records.policy({ tenantId, version })
    if (found !== null) return found
    throw new Problem("policy-not-found", "Your policy has no such version.", {
      errors: [{ pointer: "#/policy", detail: "is no version of your policy" }],
    })
  }

  app.get("/api/v1/decisions/:id/compare", { schema }, async ({ caller, params, query }) => {
    const { tenantId } = caller
    const decision = isDecisionId(params.id) ? await pastDecisions.find(params.id) : null
    // Another tenant's decision looks like one that never existed.
    if (decision === null || tenantId === null || decision.tenantId !== tenantId)
      throw new Problem("decision-not-found", "No decision of yours has this id.")
    if (decision.format === ERASED_FORMAT)
      throw new Problem("decision-erased", "Nothing of it but its id is left.")
    const told = caller.plan.namedSources ? decision : withoutNames(decision)
    const recorded = replay(told, models)
    if (recorded === null)
      throw new Problem("model-not-loaded", "The decision is kept but cannot be repeated here.")
    const version = query.policy === undefined ? null : Number(query.policy)
    const keepsPolicy = version === null && query.model !== undefined
    const policy = keepsPolicy ? null : await policyOf(tenantId, version)
    return comparisonOf({ decision: told, recorded, policy, model: query.model ?? null, models })
  })
}
