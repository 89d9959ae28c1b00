import { PolicyRequest, ShadowState } from "@assay/core/contract"
import type { Records, Shadow } from "@assay/stores/records"
import { actorOf } from "../accounts/callers.ts"
import type { App } from "../http/app.ts"
import { failures, FAILURES_OF_READING, FAILURES_WITHOUT_LOOKUP, named } from "../http/schemas.ts"
import { POLICY_BODY_MAX } from "../http/sizes.ts"
import type { Models } from "../score/models.ts"
import { newestPolicy, tenantIdOf } from "./of-tenant.ts"
import type { PolicyKeeper } from "./policy-writer.ts"
import { proposedShadow } from "./proposal.ts"

const common = { tags: ["Policy"], security: [{ session: [] }] }

const getSchema = {
  ...common,
  operationId: "getShadow",
  summary: "See the policy that is computed beside",
  response: {
    200: named(ShadowState, "The shadow, if there is one."),
    ...failures(...FAILURES_OF_READING),
  },
}

const setSchema = {
  ...common,
  operationId: "setShadow",
  summary: "Compute a second policy beside the one that acts",
  description:
    "From the next seconds on every scored request is also computed under this policy, from what was found out for the one that acts. The result is recorded with the decision and changes no answer. A shadow looks at no more than the policy that acts: providers that it does not ask are not asked for a shadow either.",
  body: named(PolicyRequest),
  response: {
    200: named(ShadowState, "The shadow. Each change makes a version."),
    ...failures("policy-refused", ...FAILURES_WITHOUT_LOOKUP),
  },
}

const endSchema = {
  ...common,
  operationId: "endShadow",
  summary: "Compute no second policy any more",
  description: "What was recorded stays, and can be reported on.",
  response: {
    204: { type: "null", description: "There is no shadow, now or before." },
    ...failures(...FAILURES_OF_READING),
  },
}

interface ShadowServices {
  readonly policyRecords: Pick<Records, "policies" | "shadow">
  readonly models: Models
}

/** Sets what is computed beside the policy of the caller's tenant. */
export function shadowRoutes(
  app: App,
  { policyRecords: records, models }: ShadowServices,
  keeper: PolicyKeeper,
): void {
  app.get("/api/v1/policy/shadow", { schema: getSchema }, async ({ caller }) =>
    stateOf(await records.shadow({ tenantId: tenantIdOf(caller) })),
  )

  app.put(
    "/api/v1/policy/shadow",
    { schema: setSchema, bodyLimit: POLICY_BODY_MAX },
    async ({ caller, body, id: requestId }) => {
      const tenantId = tenantIdOf(caller)
      const settings = proposedShadow(body, await newestPolicy(records, tenantId), models)
      const actor = actorOf(caller)
      return stateOf(await keeper.setShadow({ tenantId, settings, actor, requestId }))
    },
  )

  app.delete(
    "/api/v1/policy/shadow",
    { schema: endSchema },
    async ({ caller, id: requestId }, reply) => {
      const change = { tenantId: tenantIdOf(caller), actor: actorOf(caller), requestId }
      await keeper.setShadow({ ...change, settings: null })
      return reply.code(204).send(null)
    },
  )
}

function stateOf(shadow: Shadow | null): ShadowState {
  if (shadow === null || shadow.settings === null) return { shadow: null }
  const { version, at, actor, settings } = shadow
  return { shadow: { version, set_at: new Date(at).toISOString(), actor, policy: settings } }
}
