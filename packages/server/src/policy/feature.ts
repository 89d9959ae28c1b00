import { isDeepStrictEqual } from "node:util"
import {
  IfMatchHeaders,
  Policy as PolicyAnswer,
  PolicyList,
  PolicyListQuery,
  PolicyRequest,
  PolicyRevertRequest,
  PolicyVersionParams,
} from "@assay/core/contract"
import type { PastDecisions } from "@assay/stores/decisions"
import type { Policy, Records } from "@assay/stores/records"
import type { FastifyReply, FastifyRequest } from "fastify"
import { actorOf } from "../accounts/callers.ts"
import type { TenantSettings } from "../accounts/tenant-settings.ts"
import { Problem } from "../base/problem.ts"
import type { App } from "../http/app.ts"
import type { Feature } from "../http/feature.ts"
import { failures, FAILURES_OF_READING, FAILURES_WITHOUT_LOOKUP, named } from "../http/schemas.ts"
import { POLICY_BODY_MAX } from "../http/sizes.ts"
import type { Models } from "../score/models.ts"
import { comparisonRoutes, type ComparisonServices } from "./comparison-routes.ts"
import { decisionComparisonRoute, type DecisionComparisonServices } from "./compared-decision.ts"
import { newestPolicy, tenantIdOf } from "./of-tenant.ts"
import { type PolicyKeeper, openPolicyWriter, policyPort } from "./policy-writer.ts"
import { proposedPolicy, revertedPolicy } from "./proposal.ts"
import { previewRoutes } from "./preview-routes.ts"
import { shadowRoutes } from "./shadow-routes.ts"

const common = { tags: ["Policy"], security: [{ session: [] }] }
const PAGE = 20

const getSchema = {
  ...common,
  operationId: "getPolicy",
  summary: "See the policy that acts",
  response: {
    200: named(PolicyAnswer, "The newest version. `ETag` is its number."),
    ...failures(...FAILURES_OF_READING),
  },
}

const listSchema = {
  ...common,
  operationId: "listPolicies",
  summary: "List versions of the policy",
  querystring: PolicyListQuery,
  response: {
    200: named(PolicyList, "A page of versions."),
    ...failures(...FAILURES_OF_READING),
  },
}

const versionSchema = {
  ...common,
  operationId: "getPolicyVersion",
  summary: "See a version of the policy",
  params: PolicyVersionParams,
  response: {
    200: named(PolicyAnswer, "The version."),
    ...failures("not-found", "policy-not-found", ...FAILURES_OF_READING),
  },
}

const setSchema = {
  ...common,
  operationId: "setPolicy",
  summary: "Replace the policy",
  description:
    "Makes a new version, which answers within 5 seconds. The same policy again makes none.",
  headers: IfMatchHeaders,
  body: named(PolicyRequest),
  response: {
    200: named(PolicyAnswer, "The version that acts now."),
    ...failures(
      "policy-refused",
      "policy-changed",
      "precondition-required",
      ...FAILURES_WITHOUT_LOOKUP,
    ),
  },
}

const revertSchema = {
  ...common,
  operationId: "revertPolicy",
  summary: "Make an earlier version act again",
  description:
    "As a new version, which answers within 5 seconds. What the operator sets stays as it is.",
  headers: IfMatchHeaders,
  body: named(PolicyRevertRequest),
  response: {
    200: named(PolicyAnswer, "The version that acts now."),
    ...failures(
      "policy-not-found",
      "policy-refused",
      "policy-changed",
      "precondition-required",
      ...FAILURES_WITHOUT_LOOKUP,
    ),
  },
}

export interface PolicyServices extends ComparisonServices, DecisionComparisonServices {
  readonly policyRecords: Pick<Records, "policies" | "policy" | "shadow">
  readonly pastDecisions: PastDecisions
  readonly models: Models
}

/** What is set for the caller's tenant, in versions, and what others would have changed. */
export const policy: Feature<PolicyServices, PolicyKeeper> = {
  routes: allRoutes,
  port: policyPort,
  writer: openPolicyWriter,
}

function allRoutes(app: App, services: PolicyServices, keeper: PolicyKeeper): void {
  policyRoutes(app, services, keeper)
  previewRoutes(app, services)
  shadowRoutes(app, services, keeper)
  comparisonRoutes(app, services, keeper)
  decisionComparisonRoute(app, services)
}

function policyRoutes(
  app: App,
  { policyRecords: records, models }: PolicyServices,
  keeper: PolicyKeeper,
): void {
  app.get("/api/v1/policy", { schema: getSchema }, async ({ caller }, reply) =>
    sent(reply, await newestPolicy(records, tenantIdOf(caller))),
  )

  app.get("/api/v1/policy/versions", { schema: listSchema }, async ({ caller, query }) => {
    const limit = Number(query.limit ?? PAGE)
    const found = await records.policies({
      tenantId: tenantIdOf(caller),
      limit: limit + 1,
      ...(query.before === undefined ? {} : { before: Number(query.before) }),
    })
    const page = found.slice(0, limit)
    const next = found.length > limit ? (page.at(-1)?.version ?? null) : null
    return { versions: page.map(answerOf), next }
  })

  app.get(
    "/api/v1/policy/versions/:version",
    { schema: versionSchema },
    async ({ caller, params }) => {
      const version = /^[1-9]\d{0,8}$/.test(params.version) ? Number(params.version) : 0
      return answerOf(await versionOf(tenantIdOf(caller), version))
    },
  )

  const versionOf = async (tenantId: number, version: number): Promise<Policy> => {
    const found = await records.policy({ tenantId, version })
    if (found !== null) return found
    throw new Problem("policy-not-found", "Your policy has no such version.")
  }

  /** Puts settings in the place of a version, unless they are the same or another took it. */
  const replace = async (
    current: Policy,
    settings: TenantSettings,
    { caller, id: requestId }: Pick<FastifyRequest, "caller" | "id">,
    revertedTo: number | null,
  ): Promise<Policy> => {
    if (isDeepStrictEqual(settings, current.settings)) return current
    const { tenantId, version: expected } = current
    const actor = actorOf(caller)
    const set = await keeper.set({ tenantId, settings, actor, requestId, expected, revertedTo })
    if (set === null) throw changed()
    return set
  }

  app.put(
    "/api/v1/policy",
    { schema: setSchema, bodyLimit: POLICY_BODY_MAX },
    async (request, reply) => {
      const { caller, body, headers } = request
      const current = await newestPolicy(records, tenantIdOf(caller))
      requireMatch(headers["if-match"], current)
      const settings = proposedPolicy(body, current, models)
      return sent(reply, await replace(current, settings, request, null))
    },
  )

  app.post("/api/v1/policy/revert", { schema: revertSchema }, async (request, reply) => {
    const { caller, body, headers } = request
    const current = await newestPolicy(records, tenantIdOf(caller))
    const earlier = await versionOf(current.tenantId, body.version)
    requireMatch(headers["if-match"], current)
    const settings = revertedPolicy(earlier, current, models)
    return sent(reply, await replace(current, settings, request, earlier.version))
  })
}

/** A weak or strange tag is that of no version. */
function requireMatch(tag: string | undefined, { version }: Policy): void {
  if (tag === undefined)
    throw new Problem("precondition-required", "Send If-Match with the ETag of the policy.")
  if (tag !== tagOf(version)) throw changed()
}

function changed(): Problem {
  return new Problem("policy-changed", "Another version acts by now. Nothing was changed.")
}

const tagOf = (version: number): string => `"${version}"`

function sent(reply: FastifyReply, policy: Policy): PolicyAnswer {
  void reply.header("etag", tagOf(policy.version))
  return answerOf(policy)
}

function answerOf({ version, at, actor, revertedTo, settings }: Policy): PolicyAnswer {
  return {
    version,
    set_at: new Date(at).toISOString(),
    actor,
    reverted_to: revertedTo,
    policy: settings,
  }
}
