export {
  BATCH_ITEMS_MAX,
  type BatchItem,
  EmailBatchItem,
  EmailBatchRequest,
  EmailBatchResult,
  PhoneBatchItem,
  PhoneBatchRequest,
  PhoneBatchResult,
  type StreamEnd,
} from "./batch.ts"
export { CarrierNotification } from "./carrier-notification.ts"
export { RequestContext } from "./context.ts"
export {
  DecisionDetails,
  DecisionList,
  DecisionListQuery,
  type DecisionSummary,
} from "./decisions.ts"
export {
  DROP_BATCH_FILES_MAX,
  DROP_HAVE_MAX,
  DropBatchActions,
  DropBatchResult,
  DropIndex,
  DropKeys,
  DropKeysRequest,
  DropResealResult,
  DropSyncRequest,
} from "./drop-recipients.ts"
export { EmailRiskRequest, EmailRiskResult } from "./email-risk.ts"
export {
  EMAIL_SENT_KINDS,
  type EmailSentKind,
  EVIDENCE_CLASSES,
  EVIDENCE_LINES_MAX,
  EVIDENCE_SOURCE_PATTERN,
  EVIDENCE_SOURCES_MAX,
  EvidenceItem,
  EvidenceLine,
  EvidenceRequest,
  EvidenceResult,
  type EvidenceStatus,
  PHONE_SENT_KINDS,
  type PhoneSentKind,
} from "./evidence.ts"
export {
  FEEDBACK_ID_PATTERN,
  FEEDBACK_OUTCOMES,
  type FeedbackOutcome,
  FeedbackParams,
  FeedbackReceipt,
  FeedbackRequest,
  IdempotencyHeaders,
} from "./feedback.ts"
export { PhoneContext } from "./phone-context.ts"
export { NUMBER_TYPES } from "../identity/number-types.ts"
export { PhoneRiskRequest, PhoneRiskResult } from "./phone-risk.ts"
export { type ProblemCode, ProblemDetails, problems } from "./problems.ts"
export {
  type Scope,
  BRIEF_HOURS_MAX,
  BRIEF_SCOPES,
  SERVICE_SCOPES,
  type ServiceScope,
  TENANT_SCOPES,
  type TenantScope,
} from "./scopes.ts"
export {
  SUBJECT_DECISIONS_MAX,
  SUBJECT_REASONS,
  SubjectErasure,
  SubjectExport,
  type SubjectReason,
  SubjectRequest,
} from "./subjects.ts"
export { SourceList, SourceListQuery, type SourceSummary } from "./sources.ts"
export { USAGE_DAYS_MAX, UsageQuery, UsageReport } from "./usage.ts"
export { ExplainQuery } from "./words.ts"
