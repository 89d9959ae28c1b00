export { AssayProblem, AssayUnavailable, type ProblemErrors } from "./errors.ts"
export {
  type Client,
  createClient,
  type EmailOptions,
  type Explained,
  type PhoneOptions,
} from "./client.ts"
export { decisionIdOf } from "./decisions.ts"
export type { DropBatch, DropCalls, DropSealedFile, DropSync } from "./drop.ts"
export type { EvidenceOutcome } from "./evidence.ts"
export type { Answer, Failover, FailoverAnswer } from "./failover.ts"
export type { FeedbackOptions } from "./feedback.ts"
export type { ScoredItem } from "./items.ts"
export type { ReviewCalls } from "./review.ts"
export { createSessionClient, type SessionClient, type SessionClientOptions } from "./session.ts"
export type { SourceOptions } from "./sources.ts"
export type { AuditOptions } from "./audit.ts"
export type { UsageOptions } from "./usage.ts"
export type { Identities } from "./outgoing-lines.ts"
export type { ClientOptions } from "./options.ts"
export type { CallOptions, ScoreOptions } from "./request.ts"
export type {
  DecisionDetails,
  DropBatchResult,
  DropIndex,
  DropKeys,
  DropResealResult,
  EmailRiskResult,
  EvidenceLine,
  FeedbackOutcome,
  FeedbackReceipt,
  FeedbackRequest,
  PhoneContext,
  PhoneRiskResult,
  OutcomeReport,
  ProblemCode,
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
  SessionDetails,
  SourceList,
  AuditList,
  UsageReport,
} from "@assay/core/contract"
