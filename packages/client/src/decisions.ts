import {
  DecisionComparison,
  type DecisionCounts,
  DecisionDetails,
  type DecisionList,
  type DecisionListQuery,
  type DecisionPeriod,
  type DecisionSearch,
} from "@assay/core/contract"
import { ask } from "./attempts.ts"
import type { Failover } from "./failover.ts"
import type { Settings } from "./options.ts"
import { type CallOptions, query, type ScoreOptions } from "./request.ts"
import { answerOf, resultOf } from "./response.ts"

/**
 * A past decision, computed again. Rejects whatever `failover` says, because nothing can stand in
 * for a past decision.
 */
export async function getDecision(
  settings: Settings<Failover>,
  id: string,
  options: ScoreOptions = {},
): Promise<DecisionDetails> {
  const { explain = false } = options
  const path = `/api/v1/decisions/${encodeURIComponent(id)}${explain ? "?explain=true" : ""}`
  const members = DecisionDetails.required
  const expected = {
    members: explain ? [...members, "explanation"] : members,
    echo: ["id", id],
    scoreIn: "recorded",
  } as const
  const question = { method: "GET", path, repeatable: true } as const
  return (await ask(settings, question, options, (response) =>
    resultOf(response, expected),
  )) as DecisionDetails
}

/** Which decisions are meant; a member that is left out leaves none out. */
export type DecisionFilter = Omit<DecisionListQuery, "before" | "after" | "limit">

export interface DecisionListOptions extends CallOptions, DecisionFilter {
  /** Only decisions before this one: the last id of a page asks for the next page. */
  readonly before?: string
  /**
   * Only decisions after this one, the oldest first: `next` of a page asks for the following one.
   * `start` begins with the oldest that is kept.
   */
  readonly after?: string
  /** 1 to 100; 20 unless given. */
  readonly limit?: number
}

/**
 * A page of past decisions, the newest first, or with `after` the oldest. Rejects whatever
 * `failover` says.
 */
export async function listDecisions(
  settings: Settings<Failover>,
  options: DecisionListOptions = {},
): Promise<DecisionList> {
  const { subject, stage, action, band, request_id, from, until, before, after, limit } = options
  const pages = { before, after, limit }
  const asked = query({ subject, stage, action, band, request_id, from, until, ...pages })
  const question = { method: "GET", path: `/api/v1/decisions${asked}`, repeatable: true } as const
  return await listed(settings, question, options)
}

export interface DecisionComparisonOptions extends CallOptions {
  /** A version of the model; unless given, the one of the policy. */
  readonly model?: string
  /** A version of the policy; unless given, what was set then, or without `model` what acts. */
  readonly policy?: number
}

/** What a past decision would have been under another model or policy. */
export async function compareDecision(
  settings: Settings<Failover>,
  id: string,
  options: DecisionComparisonOptions = {},
): Promise<DecisionComparison> {
  const { model, policy } = options
  const path = `/api/v1/decisions/${encodeURIComponent(id)}/compare${query({ model, policy })}`
  const expected = {
    members: DecisionComparison.required,
    echo: ["id", id],
    scoreIn: "other",
  } as const
  const question = { method: "GET", path, repeatable: true } as const
  return (await ask(settings, question, options, (response) =>
    resultOf(response, expected),
  )) as DecisionComparison
}

/**
 * A page of past decisions about one identity, which is in the body and in no URL. Rejects whatever
 * `failover` says.
 */
export async function searchDecisions(
  settings: Settings<Failover>,
  search: DecisionSearch,
  options: CallOptions = {},
): Promise<DecisionList> {
  const question = {
    method: "POST",
    path: "/api/v1/decisions/search",
    body: JSON.stringify(search),
    repeatable: true,
  } as const
  return await listed(settings, question, options)
}

async function listed(
  settings: Settings<Failover>,
  question: Parameters<typeof ask>[1],
  options: CallOptions,
): Promise<DecisionList> {
  return (await ask(settings, question, options, (response) =>
    answerOf(response, 200, (body) => Array.isArray(body?.["decisions"])),
  )) as DecisionList
}

export interface DecisionCountsOptions extends CallOptions {
  /** How far back; a day unless given. */
  readonly period?: DecisionPeriod
}

/** How many decisions were what. Rejects whatever `failover` says. */
export async function countDecisions(
  settings: Settings<Failover>,
  options: DecisionCountsOptions = {},
): Promise<DecisionCounts> {
  const path = `/api/v1/decisions/counts${query({ period: options.period })}`
  const question = { method: "GET", path, repeatable: true } as const
  return (await ask(settings, question, options, (response) =>
    answerOf(response, 200, (body) => Array.isArray(body?.["actions"])),
  )) as DecisionCounts
}

// Beside the results and not in them: a result has exactly the members of the contract.
const ids = new WeakMap<object, string>()

export function rememberDecisionId(result: object, id: string | null): void {
  if (id !== null) ids.set(result, id)
}

/**
 * The id under which the service recorded this very result; null where it recorded none, or for a
 * copy.
 */
export function decisionIdOf(result: object): string | null {
  return ids.get(result) ?? null
}
