import type {
  DecisionComparison,
  DecisionCounts,
  DecisionDetails,
  DecisionList,
  DecisionSearch,
  DecisionView,
  DecisionViewRequest,
  EmailRiskResult,
  EvidenceLine,
  FeedbackReceipt,
  FeedbackRequest,
  PhoneContext,
  PhoneRiskResult,
  RequestContext,
  SubjectErasure,
  SubjectExport,
  SubjectRequest,
  SourceList,
  AuditList,
  UsageReport,
} from "@assay/core/contract"
import { ask } from "./attempts.ts"
import { scoreMany } from "./batch.ts"
import {
  compareDecision,
  type DecisionComparisonOptions,
  countDecisions,
  type DecisionCountsOptions,
  type DecisionListOptions,
  getDecision,
  listDecisions,
  rememberDecisionId,
  searchDecisions,
} from "./decisions.ts"
import { type DropCalls, dropCalls } from "./drop.ts"
import { isFailure } from "./errors.ts"
import { type Answer, type Failover, failoverAnswer } from "./failover.ts"
import { type EvidenceOutcome, sendEvidence } from "./evidence.ts"
import { type FeedbackOptions, sendFeedback, undoFeedback } from "./feedback.ts"
import type { ScoredItem } from "./items.ts"
import { emailOperation, type Operation, phoneOperation } from "./operations.ts"
import { type ClientOptions, type Settings, settingsOf } from "./options.ts"
import type { CallOptions, ScoreOptions } from "./request.ts"
import { type Expected, resultOf } from "./response.ts"
import { listSources, type SourceOptions } from "./sources.ts"
import { scoreStream } from "./stream.ts"
import type { Identities } from "./outgoing-lines.ts"
import { eraseSubject, exportSubject } from "./subjects.ts"
import { type ReviewCalls, reviewCalls } from "./review.ts"
import { sendFrom } from "./sent.ts"
import { type AuditOptions, listAudit } from "./audit.ts"
import {
  type AssayEvent,
  type EventListOptions,
  type EventPage,
  events,
  type EventsOptions,
  getEvent,
  listEvents,
} from "./events.ts"
import { getUsage, type UsageOptions } from "./usage.ts"
import { type ViewCalls, viewCalls } from "./views.ts"
import { type WatchListCalls, watchListCalls } from "./watch-list.ts"
import { type SharedSignalCalls, sharedSignalCalls } from "./shared-signals.ts"
import { type WebhookCalls, webhookCalls } from "./webhooks.ts"

export interface EmailOptions extends ScoreOptions {
  /** What happened when the address was given; compared with your sign-ups of the last 24 hours. */
  readonly context?: RequestContext
}

export interface PhoneOptions extends ScoreOptions {
  /** What happened when the number was given, and since when the account is known to hold it. */
  readonly context?: PhoneContext
}

/** A result asked for with `explain: true`. */
export type Explained<Result extends { explanation?: unknown }> = Result &
  Required<Pick<Result, "explanation">>

/** The service, seen from a caller. Calls reject with AssayProblem or AssayUnavailable. */
export interface Client<F extends Failover = "throw"> {
  /** Scores an e-mail address. */
  scoreEmail(
    email: string,
    options: EmailOptions & { readonly explain: true },
  ): Promise<Answer<Explained<EmailRiskResult>, F>>
  scoreEmail(email: string, options?: EmailOptions): Promise<Answer<EmailRiskResult, F>>
  /** Scores a phone number in international format: a plus sign and digits, without separators. */
  scorePhone(
    phoneNumber: string,
    options: PhoneOptions & { readonly explain: true },
  ): Promise<Answer<Explained<PhoneRiskResult>, F>>
  scorePhone(phoneNumber: string, options?: PhoneOptions): Promise<Answer<PhoneRiskResult, F>>
  /**
   * Reports what became of an identity, and resolves when the next score rests on it. It may be
   * sent again, and retries by itself. It rejects whatever `failover` says, and its time limit is 5
   * seconds unless given.
   */
  sendFeedback(feedback: FeedbackRequest, options?: FeedbackOptions): Promise<FeedbackReceipt>
  /** Takes feedback back, by the id it was acknowledged with, as if it had never been sent. */
  undoFeedback(id: string, options?: CallOptions): Promise<void>
  /**
   * Sends evidence of your own, any number of lines, and resolves when the next score rests on it,
   * with the outcome of each line. Safe to be sent again; it rejects whatever `failover` says.
   * `timeoutMs` is for each request, 30 seconds. Needs the scope `evidence:write`.
   */
  sendEvidence(
    lines: readonly EvidenceLine[],
    options?: FeedbackOptions,
  ): Promise<EvidenceOutcome[]>
  /**
   * Scores many e-mail addresses; items come in the order given. A request that fails rejects,
   * whatever `failover` says: an item that could not be answered has a problem of its own.
   * `timeoutMs` is for each request, 30 seconds.
   */
  scoreEmails(
    emails: readonly string[],
    options?: ScoreOptions,
  ): Promise<ScoredItem<EmailRiskResult>[]>
  scorePhones(
    phoneNumbers: readonly string[],
    options?: ScoreOptions,
  ): Promise<ScoredItem<PhoneRiskResult>[]>
  /**
   * Scores e-mail addresses while they come, any number of them, and gives the items in their
   * order. Holds at most a thousand that have no answer yet. `timeoutMs` is the longest wait for an
   * answer, 60 seconds.
   */
  scoreEmailStream(
    emails: Identities,
    options?: ScoreOptions,
  ): AsyncGenerator<ScoredItem<EmailRiskResult>>
  scorePhoneStream(
    phoneNumbers: Identities,
    options?: ScoreOptions,
  ): AsyncGenerator<ScoredItem<PhoneRiskResult>>
  /**
   * A past decision of the key's tenant, computed again. Needs the scope `decisions:read`; never
   * answered by `failover`.
   */
  getDecision(id: string, options?: ScoreOptions): Promise<DecisionDetails>
  /**
   * A past decision beside what it would have been under another model or policy. Needs the scope
   * `decisions:read`.
   */
  compareDecision(id: string, options?: DecisionComparisonOptions): Promise<DecisionComparison>
  /**
   * A page of past decisions, the newest first, or with `after` the oldest. Needs the scope
   * `decisions:read`.
   */
  listDecisions(options?: DecisionListOptions): Promise<DecisionList>
  /** Counts and shares of past decisions by what they were. Needs the scope `decisions:read`. */
  countDecisions(options?: DecisionCountsOptions): Promise<DecisionCounts>
  /**
   * A page of past decisions about one address or number, which is sent in the body and not stored.
   * Needs the scope `decisions:read`.
   */
  searchDecisions(search: DecisionSearch, options?: CallOptions): Promise<DecisionList>
  /**
   * Saved filters of decisions. Reading them needs the scope `decisions:read`; people who are
   * signed in save and delete them.
   */
  readonly decisionViews: ViewCalls<DecisionViewRequest, DecisionView>
  /**
   * Erases what is held about a person. Needs `subjects:own`, or a service key with
   * `subjects:admin`.
   */
  eraseSubject(request: SubjectRequest, options?: CallOptions): Promise<SubjectErasure>
  /**
   * All that is held about a person. Needs `subjects:own`, or a service key with `subjects:admin`;
   * 20 an hour.
   */
  exportSubject(request: SubjectRequest, options?: CallOptions): Promise<SubjectExport>
  /**
   * A page of the sources that scores rest on, as the key's plan may see them; never answered by
   * `failover`.
   */
  listSources(options?: SourceOptions): Promise<SourceList>
  /**
   * What the tenant's keys have looked up, by day. Needs the scope `usage:read`; never answered by
   * `failover`.
   */
  getUsage(options?: UsageOptions): Promise<UsageReport>
  /** Decisions that wait for an analyst, and what became of decisions. */
  readonly review: ReviewCalls
  /** Identities whose changes of risk you want to hear of. */
  readonly watchList: WatchListCalls
  /** Where events are sent. Needs `webhooks:manage`; never answered by `failover`. */
  readonly webhooks: WebhookCalls
  /**
   * Receivers of OpenID Shared Signals. Needs `webhooks:manage`, and for keys an administrator's
   * session; never answered by `failover`.
   */
  readonly sharedSignals: SharedSignalCalls
  /**
   * A page of who changed what, the newest first. Needs `audit:read`, or a service key with
   * `audit:admin`; never answered by `failover`.
   */
  listAudit(options?: AuditOptions): Promise<AuditList>
  /**
   * A page of events, the oldest first. Needs `events:read`, or a service key with `events:admin`;
   * never answered by `failover`.
   */
  listEvents(options?: EventListOptions): Promise<EventPage>
  /** One event by its id. Needs the same. */
  getEvent(id: string, options?: CallOptions): Promise<AssayEvent>
  /** Events one after the other, and those to come as they happen. Needs the same. */
  events(options?: EventsOptions): AsyncGenerator<AssayEvent, never>
  /** The anonymous drop, for its recipients. */
  readonly drop: DropCalls
}

/**
 * Makes a client; throws a TypeError on a wrong option. It holds no connection and needs no
 * closing.
 */
export function createClient<const F extends Failover = "throw">(
  options: ClientOptions<F>,
): Client<F> {
  return callsOf(settingsOf(options))
}

/** All calls that a key may make, with these settings. */
export function callsOf<F extends Failover>(settings: Settings<F>): Client<F> {
  const score =
    (operation: Operation) =>
    // The members of the result were checked against the contract, so its type can be asserted.
    (identity: string, options: EmailOptions | PhoneOptions = {}): Promise<never> =>
      scored(settings, operation, identity, options) as Promise<never>
  const many =
    (operation: Operation) =>
    (identities: readonly string[], options: ScoreOptions = {}): Promise<never> =>
      scoreMany(settings, operation, identities, options) as Promise<never>
  const stream =
    (operation: Operation) =>
    (identities: Identities, options: ScoreOptions = {}): AsyncGenerator<never> =>
      scoreStream(settings, operation, identities, options) as AsyncGenerator<never>
  const send = sendFrom(settings)
  return {
    scoreEmail: score(emailOperation),
    scorePhone: score(phoneOperation),
    scoreEmails: many(emailOperation),
    scorePhones: many(phoneOperation),
    scoreEmailStream: stream(emailOperation),
    scorePhoneStream: stream(phoneOperation),
    sendFeedback: (feedback, options) => sendFeedback(settings, feedback, options),
    undoFeedback: (id, options) => undoFeedback(settings, id, options),
    sendEvidence: (lines, options) => sendEvidence(settings, lines, options),
    getDecision: (id, options) => getDecision(settings, id, options),
    compareDecision: (id, options) => compareDecision(settings, id, options),
    listDecisions: (options) => listDecisions(settings, options),
    countDecisions: (options) => countDecisions(settings, options),
    searchDecisions: (search, options) => searchDecisions(settings, search, options),
    eraseSubject: (request, options) => eraseSubject(settings, request, options),
    exportSubject: (request, options) => exportSubject(settings, request, options),
    listSources: (options) => listSources(settings, options),
    getUsage: (options) => getUsage(settings, options),
    decisionViews: viewCalls(send, "/decisions/views"),
    review: reviewCalls(send),
    watchList: watchListCalls(settings, send),
    webhooks: webhookCalls(send),
    sharedSignals: sharedSignalCalls(send),
    listAudit: (options) => listAudit(settings, options),
    listEvents: (options) => listEvents(settings, options),
    getEvent: (id, options) => getEvent(settings, id, options),
    events: (options) => events(settings, options),
    drop: dropCalls(settings),
  }
}

async function scored(
  settings: Settings<Failover>,
  operation: Operation,
  identity: string,
  options: EmailOptions | PhoneOptions,
): Promise<object> {
  const { explain = false, context } = options
  const { path, identity: member, members } = operation
  const question = {
    method: "POST",
    path: path + (explain ? "?explain=true" : ""),
    body: JSON.stringify({ [member]: identity, context }),
    repeatable: false,
  } as const
  const expected: Expected = {
    members: explain ? [...members, "explanation"] : members,
    echo: [member, identity],
  }
  try {
    return await ask(settings, question, options, async (response) => {
      const result = await resultOf(response, expected)
      rememberDecisionId(result, response.headers.get("x-decision-id"))
      return result
    })
  } catch (error) {
    const answer = isFailure(error) ? failoverAnswer(settings.failover, error) : null
    if (answer === null) throw error
    return answer
  }
}
