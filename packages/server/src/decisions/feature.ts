import {
  DECISION_SETTLED_SECONDS,
  DecisionCounts,
  DecisionCountsQuery,
  DecisionDetails,
  DecisionList,
  DecisionListQuery,
  DecisionSearch,
  type DecisionSummary,
  ExplainQuery,
} from "@assay/core/contract"
import { Type } from "typebox"
import type { App } from "../http/app.ts"
import type { Feature } from "../http/feature.ts"
import type { Models } from "../score/models.ts"
import { identifySubject } from "../http/identify-subject.ts"
import { failures, FAILURES_OF_READING, FAILURES_WITHOUT_LOOKUP, named } from "../http/schemas.ts"
import { Problem } from "../base/problem.ts"
import { type Decision, ERASED_FORMAT, type PastDecisions } from "@assay/stores/decisions"
import { firstDecisionIdAt, isDecisionId } from "@assay/stores/decision-id"
import { replay, type Replay } from "../score/replay.ts"
import type { Secrets } from "@assay/runtime/secrets"
import { openDecisionCounts } from "./counts.ts"
import { readFilter } from "./read-filter.ts"
import type { OtherNodes } from "./other-nodes.ts"
import { openRequestTag } from "./request-tag.ts"
import { withoutNames } from "../score/without-names.ts"

const PAGE = 20

const oneSchema = {
  operationId: "getDecision",
  summary: "Repeat a past decision",
  tags: ["Decisions"],
  security: [{ apiKey: [] }],
  params: Type.Object({
    id: Type.String({ description: "The X-Decision-Id of the answer." }),
  }),
  querystring: ExplainQuery,
  response: {
    200: named(DecisionDetails, "What was answered, and the same computed again."),
    ...failures(
      "not-found",
      "decision-not-found",
      "decision-erased",
      "model-not-loaded",
      ...FAILURES_OF_READING,
    ),
  },
}

const listSchema = {
  operationId: "listDecisions",
  summary: "List past decisions",
  tags: ["Decisions"],
  security: [{ apiKey: [] }],
  querystring: DecisionListQuery,
  response: {
    200: named(DecisionList, "Decisions of the key's tenant."),
    ...failures(...FAILURES_OF_READING),
  },
}

const countsSchema = {
  operationId: "countDecisions",
  summary: "Count past decisions",
  description:
    "By action, band, kind and stage. What was counted is shown again for as long as counting it is dear, a minute at most.",
  tags: ["Decisions"],
  security: [{ apiKey: [] }],
  querystring: DecisionCountsQuery,
  response: {
    200: named(DecisionCounts, "Counts and shares of the tenant's decisions."),
    ...failures(...FAILURES_OF_READING),
  },
}

const searchSchema = {
  operationId: "searchDecisions",
  summary: "Find past decisions about an identity",
  description:
    "The identity is hashed with a key in the request and not stored. Forms of an address that reach the same mailbox find the same decisions.",
  tags: ["Decisions"],
  security: [{ apiKey: [] }],
  body: named(DecisionSearch),
  response: {
    200: named(DecisionList, "Decisions of the key's tenant about this identity."),
    ...failures("not-an-email", "not-a-phone-number", ...FAILURES_WITHOUT_LOOKUP),
  },
}

export interface DecisionServices {
  /** Every decision whose id was given out, however recently. */
  readonly pastDecisions: PastDecisions
  readonly otherNodes: Pick<OtherNodes, "through">
  readonly models: Models
  readonly now: () => number
  readonly secrets: Secrets
}

export const decisions: Feature<DecisionServices> = { routes: decisionRoutes }

function decisionRoutes(app: App, services: DecisionServices): void {
  const { pastDecisions, otherNodes, models, secrets, now } = services
  const requestTag = openRequestTag(secrets.subkeys.request)
  const counts = openDecisionCounts({ past: pastDecisions, now })
  app.get("/api/v1/decisions/counts", { schema: countsSchema }, async ({ caller, query }) => {
    if (caller.tenantId === null)
      throw new Problem("insufficient-scope", "Counts take a key of a tenant.")
    return await counts.of(caller.tenantId, query.period ?? "24h")
  })

  app.get("/api/v1/decisions/:id", { schema: oneSchema }, async ({ params, caller, query }) => {
    const decision = isDecisionId(params.id) ? await pastDecisions.find(params.id) : null
    // Another tenant's decision looks like one that never existed.
    if (decision === null || decision.tenantId !== caller.tenantId)
      throw new Problem("decision-not-found", "No decision of yours has this id.")
    if (decision.format === ERASED_FORMAT)
      throw new Problem("decision-erased", "Nothing of it but its id is left.")
    const told = caller.plan.namedSources ? decision : withoutNames(decision)
    const replayed = replay(told, models)
    if (replayed === null)
      throw new Problem("model-not-loaded", "The decision is kept but cannot be repeated here.")
    return details(decision, replayed, query.explain === "true")
  })

  app.get("/api/v1/decisions", { schema: listSchema }, async ({ caller, query }) => {
    // A key of no tenant scores nothing, so there is nothing to list.
    if (caller.tenantId === null) return { decisions: [] }
    const of = { tenantId: caller.tenantId, limit: Number(query.limit ?? PAGE) }
    const filter = readFilter(query, "query", requestTag)
    if (query.after === undefined) {
      const found = await pastDecisions.list({ ...of, ...filter })
      return { decisions: found.map(summary) }
    }
    const after = query.after === "start" ? "" : query.after
    const own = now() - DECISION_SETTLED_SECONDS * 1000
    const settled = Math.min(own, await otherNodes.through())
    const until = Math.min(filter.until ?? settled, settled)
    const found = await pastDecisions.list({ ...of, ...filter, until, after })
    const last = found.length === of.limit ? found.at(-1) : undefined
    return { decisions: found.map(summary), next: furthest(after, last, until) }
  })

  app.post("/api/v1/decisions/search", { schema: searchSchema }, async ({ caller, body }) => {
    const { identityType, identityKey } = identifySubject(body, secrets)
    const filter = readFilter(body, "body", requestTag)
    if (caller.tenantId === null) return { decisions: [] }
    const found = await pastDecisions.list({
      tenantId: caller.tenantId,
      limit: body.limit ?? PAGE,
      ...filter,
      identityType,
      identityKey,
    })
    return { decisions: found.map(summary) }
  })
}

/** Where a reader that goes forward goes on: behind what was found, or looked through in vain. */
function furthest(after: string, last: Decision | undefined, until: number): string {
  const end = last?.id ?? firstDecisionIdAt(until)
  return end > after ? end : after
}

function details(decision: Decision, replayed: Replay, explain: boolean): DecisionDetails {
  const { stage, confidence, action } = decision
  return {
    id: decision.id,
    decided_at: new Date(decision.at).toISOString(),
    subject: decision.identityType,
    model_version: decision.modelVersion,
    calibration: decision.calibration,
    recorded: {
      risk_score: decision.score,
      ...(stage === null ? {} : { threat_stage: stage as Stage }),
      ...(confidence === null ? {} : { confidence: confidence as Confidence }),
      recommended_action: action as Action,
    },
    assessment: { ...replayed.assessment },
    reproduced: replayed.differences.length === 0,
    input: { ...replayed.input },
    ...(explain ? { explanation: { ...replayed.explain() } } : {}),
  }
}

type Action = DecisionSummary["recommended_action"]
type Stage = NonNullable<DecisionSummary["threat_stage"]>
type Confidence = NonNullable<DecisionDetails["recorded"]["confidence"]>

function summary({
  id,
  at,
  identityType,
  score,
  stage,
  action,
  modelVersion,
}: Decision): DecisionSummary {
  return {
    id,
    decided_at: new Date(at).toISOString(),
    subject: identityType,
    risk_score: score,
    ...(stage === null ? {} : { threat_stage: stage as Stage }),
    recommended_action: action as Action,
    model_version: modelVersion,
  }
}
