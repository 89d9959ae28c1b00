export { AssayProblem, AssayUnavailable, type ProblemErrors } from "./errors.ts"
export {
  type Client,
  createClient,
  type EmailOptions,
  type Explained,
  type PhoneOptions,
} from "./client.ts"
export {
  type DecisionComparisonOptions,
  type DecisionCountsOptions,
  decisionIdOf,
  type DecisionFilter,
  type DecisionListOptions,
} from "./decisions.ts"
export type { DropBatch, DropCalls, DropSealedFile, DropSync } from "./drop.ts"
export type { EvidenceOutcome } from "./evidence.ts"
export type { Answer, Failover, FailoverAnswer } from "./failover.ts"
export type { FeedbackOptions } from "./feedback.ts"
export type { ScoredItem } from "./items.ts"
export type { KeyCalls } from "./keys.ts"
export type { MemberCalls, OwnAccountCalls, PasskeyJson, SignInCalls } from "./people.ts"
export type { ComparedLine, PolicyCalls, PolicyDocument } from "./policy.ts"
export type { ReviewCalls } from "./review.ts"
export type { SignUpCalls } from "./sign-up.ts"
export type { ServiceCalls } from "./service.ts"
export type { TenantCalls } from "./tenants.ts"
export { createSessionClient, type SessionClient, type SessionClientOptions } from "./session.ts"
export type { SourceOptions } from "./sources.ts"
export type { AuditOptions } from "./audit.ts"
export type { AssayEvent, EventListOptions, EventPage, EventsOptions } from "./events.ts"
export type { UsageOptions } from "./usage.ts"
export type { ViewCalls } from "./views.ts"
export type { WatchListCalls, WatchListFilter, WatchListOutcome } from "./watch-list.ts"
export type { SharedSignalCalls } from "./shared-signals.ts"
export type { DeliveryFilter, WebhookCalls } from "./webhooks.ts"
export type { Identities } from "./outgoing-lines.ts"
export type { ImportCalls } from "./imports.ts"
export type { ListCalls } from "./lists.ts"
export type { ClientOptions } from "./options.ts"
export type { CallOptions, ScoreOptions } from "./request.ts"
export type {
  ApiKey,
  ApiKeyChange,
  ApiKeyList,
  ApiKeyRequest,
  ApiKeyRotation,
  AuditList,
  BackTestRequest,
  DecisionComparison,
  DecisionCounts,
  DecisionDetails,
  DecisionList,
  DecisionPeriod,
  DecisionSearch,
  DecisionView,
  DecisionViewFilter,
  DecisionViewList,
  DecisionViewRequest,
  DomainCheck,
  DomainOverride,
  DomainOverrideList,
  DomainOverrideListQuery,
  DomainOverrideRequest,
  DropBatchResult,
  DropIndex,
  DropKeys,
  DropResealResult,
  EmailRiskResult,
  ErrorBudget,
  EventKind,
  EvidenceLine,
  FeedbackOutcome,
  FeedbackReceipt,
  FeedbackRequest,
  ImportFileRequest,
  ImportList,
  ImportPreview,
  ImportQuery,
  ImportState,
  InvitationDetails,
  JoinRequest,
  MemberList,
  NewApiKey,
  NewInvitationLink,
  OwnAccount,
  OwnSessions,
  PasskeyStart,
  PhoneContext,
  PhoneRiskResult,
  OutcomeReport,
  OwnTenant,
  Policy,
  PolicyList,
  PolicyPreview,
  ProblemCode,
  RecoveryCodes,
  RequestContext,
  Review,
  ReviewBulkRequest,
  ReviewBulkResult,
  ReviewFilter,
  ReviewList,
  ReviewListQuery,
  ReviewOutcome,
  ReviewVerdict,
  ReviewView,
  ReviewViewList,
  ReviewViewRequest,
  ServiceHealth,
  ServiceLevels,
  ServicePeriod,
  SessionDetails,
  ShadowState,
  SignInAnswer,
  SignUpApproval,
  SignUpList,
  SignUpOffer,
  SignUpPending,
  SignUpRequest,
  SignUpResult,
  SinkList,
  SinkState,
  SinkTestResult,
  SourceList,
  SubjectErasure,
  SubjectExport,
  SubjectRequest,
  Tenant,
  TenantList,
  TenantRequest,
  TotpStart,
  UsageReport,
  WatchedDomain,
  WatchItem,
  WatchList,
  WatchListAdded,
  WatchListLine,
  WatchListRemoval,
  WatchListRemoved,
  WatchListRequest,
  Delivery,
  DeliveryAttempt,
  DeliveryDetails,
  DeliveryList,
  NewWebhook,
  SharedSignalsKeyList,
  SharedSignalsStream,
  SharedSignalsStreamChange,
  SharedSignalsStreamList,
  SharedSignalsStreamRequest,
  SharedSignalsVerification,
  Webhook,
  WebhookChange,
  WebhookList,
  WebhookReplay,
  WebhookReplayed,
  WebhookRequest,
  WebhookRotation,
  WebhookSecrets,
} from "@assay/core/contract"
