import swagger from "@fastify/swagger"
import {
  ActingRequest,
  AuditList,
  ApiKey,
  ApiKeyChange,
  ApiKeyList,
  ApiKeyRequest,
  ApiKeyRotation,
  BackTestRequest,
  CarrierNotification,
  ComparisonLine,
  DecisionDetails,
  DecisionList,
  Done,
  DropBatchActions,
  DropBatchResult,
  DropIndex,
  DropKeys,
  DropKeysRequest,
  DropResealResult,
  DropSyncRequest,
  EmailBatchItem,
  EmailBatchRequest,
  EmailBatchResult,
  EmailRiskRequest,
  EmailRiskResult,
  EndedSessions,
  EvidenceItem,
  EvidenceLine,
  EvidenceRequest,
  EvidenceResult,
  FeedbackReceipt,
  FeedbackRequest,
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
  PasskeyRequest,
  PasskeyStart,
  PasswordRequest,
  OutcomeReport,
  NewApiKey,
  PhoneBatchItem,
  PhoneBatchRequest,
  PhoneBatchResult,
  PhoneRiskRequest,
  PhoneRiskResult,
  Policy,
  PolicyList,
  PolicyRequest,
  PolicyRevertRequest,
  ProblemDetails,
  RecoveryCodes,
  Review,
  ReviewAssignment,
  ReviewBulkRequest,
  ReviewBulkResult,
  ReviewFilter,
  ReviewList,
  ReviewVerdict,
  ReviewView,
  ReviewViewList,
  ReviewViewRequest,
  ShadowState,
  type Right,
  SecondStepRequest,
  SessionDetails,
  SignInAnswer,
  SignInRequest,
  SourceList,
  SignUpApproval,
  SignUpConfirmation,
  SignUpList,
  SignUpOffer,
  SignUpPending,
  SignUpRequest,
  SignUpResult,
  SubjectErasure,
  SubjectExport,
  SubjectRequest,
  TotpRequest,
  TotpStart,
  Tenant,
  TenantChange,
  TenantList,
  TenantRequest,
  UsageReport,
  ImportFileRequest,
  ImportList,
  ImportPreview,
  ImportState,
} from "@assay/core/contract"
import type { FastifySchema } from "fastify"
import type { App } from "./app.ts"
import { referenceRoutes } from "./api-reference.ts"
import { VERSION } from "../base/version.ts"
import { rightOf } from "./route-rights.ts"
import { BODY_MAX } from "./sizes.ts"

/**
 * Serves the API description generated from the schemas the server validates with, and a reference
 * that loads nothing from outside.
 */
export async function describeApi(app: App): Promise<void> {
  for (const schema of [
    EmailRiskRequest,
    EmailRiskResult,
    PhoneRiskRequest,
    PhoneRiskResult,
    DecisionDetails,
    DecisionList,
    FeedbackRequest,
    FeedbackReceipt,
    Review,
    ReviewList,
    ReviewFilter,
    ReviewAssignment,
    ReviewVerdict,
    ReviewBulkRequest,
    ReviewBulkResult,
    ReviewView,
    ReviewViewRequest,
    ReviewViewList,
    OutcomeReport,
    SubjectRequest,
    SubjectErasure,
    SubjectExport,
    EvidenceLine,
    EvidenceRequest,
    EvidenceItem,
    EvidenceResult,
    EmailBatchRequest,
    EmailBatchItem,
    EmailBatchResult,
    PhoneBatchRequest,
    PhoneBatchItem,
    PhoneBatchResult,
    SourceList,
    Policy,
    PolicyList,
    PolicyRequest,
    PolicyRevertRequest,
    BackTestRequest,
    ComparisonLine,
    ShadowState,
    ApiKey,
    ApiKeyList,
    ApiKeyRequest,
    NewApiKey,
    ApiKeyRotation,
    ApiKeyChange,
    Tenant,
    TenantList,
    TenantRequest,
    TenantChange,
    UsageReport,
    SignUpOffer,
    SignUpRequest,
    SignUpResult,
    SignUpPending,
    SignUpConfirmation,
    SignUpList,
    SignUpApproval,
    AuditList,
    CarrierNotification,
    SignInRequest,
    SignInAnswer,
    SecondStepRequest,
    PasskeyStart,
    PasskeyRequest,
    SessionDetails,
    ActingRequest,
    Done,
    InvitationRequest,
    InvitationDetails,
    JoinPasskeyRequest,
    JoinRequest,
    OwnAccount,
    OwnSessions,
    EndedSessions,
    PasswordRequest,
    NewPasskeyRequest,
    TotpStart,
    TotpRequest,
    RecoveryCodes,
    MemberList,
    InviteRequest,
    NewInvitationLink,
    MemberRoleRequest,
    ImportFileRequest,
    ImportPreview,
    ImportState,
    ImportList,
    DropSyncRequest,
    DropIndex,
    DropBatchActions,
    DropBatchResult,
    DropKeys,
    DropKeysRequest,
    DropResealResult,
    ProblemDetails,
  ])
    app.addSchema(schema)
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.1",
      info: {
        title: "Assay",
        version: VERSION,
        summary: "Identity risk of an e-mail address or a phone number, explained.",
        description:
          "Every answer has exactly the members described here. Failures are problem documents (RFC 9457) with a stable `code`; an identity that could not be checked is never reported as clean.",
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      servers: [{ url: "/" }],
      tags: [
        { name: "Score", description: "Score an identity." },
        { name: "Decisions", description: "Look at past answers and repeat them." },
        { name: "Feedback", description: "Report what became of an identity." },
        { name: "Review", description: "Look at what waits for an analyst, and decide it." },
        { name: "Subjects", description: "Erase or export what is held about a person." },
        { name: "Policy", description: "See and change how your scores are weighed." },
        { name: "Sources", description: "See what scores rest on." },
        { name: "Keys", description: "Make and end keys of your tenant." },
        { name: "Tenants", description: "For administrators: tenants and their plans." },
        { name: "Usage", description: "See what your keys have looked up." },
        { name: "Audit", description: "See who changed what." },
        { name: "Evidence", description: "Send what you know of identities yourself." },
        { name: "Carrier", description: "For carriers: tell of changes on a line." },
        { name: "Session", description: "Sign in and out, and take up invitations." },
        { name: "Account", description: "See to your own account." },
        { name: "Members", description: "See to who belongs to a tenant." },
        { name: "Drop", description: "For recipients of the anonymous drop: fetch and answer." },
        { name: "Sign-up", description: "Become a tenant of the free plan." },
        { name: "Operate", description: "For load balancers and monitoring." },
      ],
      components: {
        securitySchemes: {
          apiKey: {
            type: "http",
            scheme: "bearer",
            bearerFormat: "ask_live_…",
            description: "An API key made with `npx assay keys create`.",
          },
          session: {
            type: "apiKey",
            in: "cookie",
            name: "__Host-assay-session",
            description:
              "The cookie that signing in sets. Requests that are no GET also carry `X-CSRF-Token`.",
          },
          carrierToken: {
            type: "http",
            scheme: "bearer",
            description:
              "The token a carrier was given, as its `notification_token_file` in the settings of providers holds it.",
          },
        },
      },
    },
    transform: ({ schema, url, route }) => ({
      schema: withScopes(withBodyLimit(schema, route.bodyLimit), rightOf(route)?.scopes),
      url,
    }),
    refResolver: {
      buildLocalReference: (schema, _base, _fragment, n) =>
        typeof schema["$id"] === "string" ? schema["$id"] : `schema-${n}`,
    },
  })
  referenceRoutes(app)
}

/** Says how many bytes a body may have: for readers in words, for programs as a number. */
function withBodyLimit<T extends FastifySchema>(schema: T, bodyLimit = BODY_MAX): T {
  if (schema.body === undefined || schema.hide === true) return schema
  const description = withSentence(schema, `The body may have ${bytesText(bodyLimit)}.`)
  return { ...schema, description, "x-body-bytes-max": bodyLimit }
}

/** Says which scope a key needs, where it needs one. */
function withScopes<T extends FastifySchema>(schema: T, scopes: Right["scopes"] = []): T {
  if (scopes.length === 0 || schema.hide === true) return schema
  const names = scopes.map((name) => `\`${name}\``).join(" or ")
  const description = withSentence(schema, `Needs the scope ${names}.`)
  return { ...schema, description, "x-scopes": scopes }
}

function withSentence({ description }: FastifySchema, sentence: string): string {
  return description === undefined ? sentence : `${description} ${sentence}`
}

function bytesText(bytes: number): string {
  const mebibytes = bytes / 1024 / 1024
  return mebibytes >= 1 ? `${mebibytes} MiB` : `${bytes / 1024} KiB`
}
