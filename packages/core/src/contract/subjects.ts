import { Type, type Static } from "typebox"
import { words } from "./words.ts"

/**
 * Why somebody's data is looked at as a whole or taken out. Words and no text: a text would sooner
 * or later name them.
 */
export const SUBJECT_REASONS = [
  "subject_request",
  "legal_request",
  "consent_withdrawn",
  "incident",
  "correction",
] as const
export type SubjectReason = (typeof SUBJECT_REASONS)[number]

export const SubjectRequest = Type.Object(
  {
    email: Type.Optional(
      Type.String({
        description: "The e-mail address of the person; either this or `phone_number`.",
        examples: ["ana.silva@mail.example"],
      }),
    ),
    phone_number: Type.Optional(
      Type.String({ description: "The phone number of the person, in E.164." }),
    ),
    reason: {
      ...words(SUBJECT_REASONS, "Why it is done; kept in the audit trail."),
      examples: ["subject_request"],
    },
    reference: Type.Optional(
      Type.String({
        pattern: "^[A-Za-z0-9._-]{1,64}$",
        description:
          "Your own name for the case: letters, digits, `.`, `_` and `-`. Kept in the audit trail, so it must not name the person.",
      }),
    ),
  },
  {
    $id: "SubjectRequest",
    description: "Exactly one of `email` and `phone_number`. Unknown members are ignored.",
  },
)
export type SubjectRequest = Static<typeof SubjectRequest>

export const SubjectErasure = Type.Object(
  {
    erased_at: Type.String({ description: "RFC 3339." }),
    scope: words(
      ["everything", "own"],
      "`everything`: what anybody holds, now and later. `own`: what the key's tenant holds, now.",
    ),
    reports: Type.Integer({
      description: "Reports and lines of evidence of tenants that were deleted.",
    }),
    decisions: Type.Integer({ description: "Past decisions whose contents were deleted." }),
  },
  { $id: "SubjectErasure", additionalProperties: false },
)
export type SubjectErasure = Static<typeof SubjectErasure>

const owners = words(
  ["shared", "own", "a_tenant"],
  "`shared`: imported by the operator. `own`: the key's tenant. `a_tenant`: a tenant that is not named.",
)

export const SubjectEvidence = Type.Object({
  owner: owners,
  kind: Type.String(),
  observed: Type.String({ description: "UTC day; with the hour where evidence is dated by it." }),
  source: Type.Union([Type.String(), Type.Null()], {
    description: "Name of the source; null for a source of a tenant that is not named.",
  }),
  title: Type.Union([Type.String(), Type.Null()]),
  item: Type.Union([Type.String(), Type.Null()]),
  secret: Type.String({ description: "What form the password had; the password is not held." }),
  password_fingerprint: Type.Boolean({
    description: "Whether 12 bits of a keyed hash of the password are held.",
  }),
  classes: Type.Array(Type.String()),
  confidence: Type.Number(),
  value: Type.Union([Type.Number(), Type.Null()]),
  this_address: Type.Boolean({
    description: "Whether it names the address as given, or another spelling of the mailbox.",
  }),
})

export const SubjectReport = Type.Object({
  owner: owners,
  outcome: Type.String(),
  occurred_at: Type.String(),
  received_at: Type.String(),
  undone: Type.Boolean(),
})

export const SubjectDecision = Type.Object({
  owner: owners,
  id: Type.String(),
  decided_at: Type.String(),
  risk_score: Type.Integer(),
  threat_stage: Type.Union([Type.String(), Type.Null()]),
  recommended_action: Type.String(),
  model_version: Type.String(),
})

const orNull = Type.Union([Type.String(), Type.Null()])

export const SubjectReview = Type.Object({
  owner: owners,
  id: Type.String({ description: "Of the decision." }),
  ref: Type.Union([Type.String(), Type.Null()], {
    description: "The caller's name of the case.",
  }),
  outcome: orNull,
  note: orNull,
  reviewed_at: orNull,
})

export const SUBJECT_DECISIONS_MAX = 1_000

export const SubjectExport = Type.Object(
  {
    exported_at: Type.String({ description: "RFC 3339." }),
    subject: words(["email", "phone"], "What the identity is."),
    erased_at: Type.Union([Type.String(), Type.Null()], {
      description: "When everything was erased; only for keys of the service.",
    }),
    evidence: Type.Array(SubjectEvidence),
    evidence_cut: Type.Integer({
      description: "Entries that were not kept, because there were more than an answer rests on.",
    }),
    reports: Type.Array(SubjectReport),
    decisions: Type.Array(SubjectDecision, {
      description: `The newest ${SUBJECT_DECISIONS_MAX} decisions about the identity.`,
    }),
    reviews: Type.Array(SubjectReview, {
      description: "What waits for analysts about the identity, and what they found.",
    }),
  },
  {
    $id: "SubjectExport",
    additionalProperties: false,
    description:
      "All that is held about one identity. The identity itself is not: it is stored as a keyed hash alone.",
  },
)
export type SubjectExport = Static<typeof SubjectExport>
