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
export {
  ActingRequest,
  Done,
  EndedSessions,
  InvitationDetails,
  InvitationRequest,
  InviteRequest,
  JoinPasskeyRequest,
  JoinRequest,
  MemberList,
  MemberRoleRequest,
  NewInvitationLink,
  NewPasskeyRequest,
  OwnAccount,
  OwnSessions,
  PASSWORD_LENGTH_MIN,
  PasskeyRequest,
  PasskeyStart,
  PasswordRequest,
  RecoveryCodes,
  SecondStepRequest,
  SessionDetails,
  SignInAnswer,
  SignInRequest,
  TotpRequest,
  TotpStart,
} from "./people.ts"
export {
  ApiKey,
  ApiKeyChange,
  ApiKeyList,
  ApiKeyParams,
  ApiKeyRequest,
  ApiKeyRotation,
  NewApiKey,
  Tenant,
  TenantChange,
  TenantList,
  TenantListQuery,
  TenantParams,
  TenantRequest,
} from "./keys.ts"
export { PhoneContext } from "./phone-context.ts"
export { NUMBER_TYPES } from "../identity/number-types.ts"
export { IMPORT_PREVIEW_BYTES } from "./import-preview-bytes.ts"
export {
  ImportFileRequest,
  ImportList,
  ImportParams,
  ImportPreview,
  ImportPreviewQuery,
  ImportQuery,
  ImportState,
} from "./imports.ts"
export { PhoneRiskRequest, PhoneRiskResult } from "./phone-risk.ts"
export {
  BackTestRequest,
  type ChangedDecisionLine,
  ComparisonLine,
  type ComparisonSummary,
  IfMatchHeaders,
  Policy,
  POLICY_DAYS_MAX,
  PolicyList,
  PolicyListQuery,
  PolicyRequest,
  PolicyRevertRequest,
  PolicyVersionParams,
  ShadowReportQuery,
  ShadowState,
} from "./policy.ts"
export { type ProblemCode, ProblemDetails, problems } from "./problems.ts"
export {
  type Open,
  type Operation,
  PAGES,
  type Right,
  RIGHTS,
  type Role,
  SERVICE_ROLES,
  type ServiceRole,
  TENANT_ROLES,
  type TenantRole,
} from "./rights.ts"
export {
  ASSIGNEE_PATTERN,
  OUTCOME_DAYS_MAX,
  OutcomeReport,
  OutcomesQuery,
  Review,
  REVIEW_BULK_MAX,
  REVIEW_NOTE_MAX,
  REVIEW_OUTCOMES,
  ReviewAssignment,
  ReviewBulkRequest,
  ReviewBulkResult,
  REVIEWED_ACTIONS,
  ReviewFilter,
  ReviewList,
  ReviewListQuery,
  type ReviewOutcome,
  ReviewParams,
  ReviewVerdict,
  ReviewView,
  ReviewViewList,
  ReviewViewParams,
  ReviewViewRequest,
} from "./review.ts"
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
export {
  ORGANISATION_MAX,
  type Purpose,
  PURPOSES,
  SIGN_UP_MODES,
  SignUpApproval,
  SignUpConfirmation,
  SignUpList,
  type SignUpMode,
  SignUpOffer,
  SignUpParams,
  SignUpPending,
  SignUpRequest,
  SignUpResult,
  TERMS,
} from "./signup.ts"
export { SourceList, SourceListQuery, type SourceSummary } from "./sources.ts"
export { AuditEntry, AuditList, AuditListQuery } from "./audit.ts"
export { USAGE_DAYS_MAX, UsageQuery, UsageReport } from "./usage.ts"
export { ExplainQuery } from "./words.ts"
