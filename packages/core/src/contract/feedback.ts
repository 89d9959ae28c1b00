import { Type, type Static } from "typebox"
import { words } from "./words.ts"

/** What a tenant found out about an identity it asked about. */
export const FEEDBACK_OUTCOMES = [
  "fraud_confirmed",
  "takeover_confirmed",
  "credential_rotated",
  "ownership_verified",
  "not_fraud",
  "clear",
] as const
export type FeedbackOutcome = (typeof FEEDBACK_OUTCOMES)[number]

/**
 * Times and identities have no format here: the rules for them refuse with a reason, which a
 * pattern would not give.
 */
export const FeedbackRequest = Type.Object(
  {
    email: Type.Optional(
      Type.String({
        description: "The e-mail address the outcome is about; either this or `phone_number`.",
        examples: ["ana.silva@mail.example"],
      }),
    ),
    phone_number: Type.Optional(
      Type.String({ description: "The phone number the outcome is about, in E.164." }),
    ),
    outcome: {
      ...words(
        FEEDBACK_OUTCOMES,
        "What was found out. `fraud_confirmed`: its owner is abusive. `takeover_confirmed`: somebody else used the account. `credential_rotated`: the password was changed (e-mail only). `ownership_verified`: the owner proved it. `not_fraud`: earlier labels of fraud and takeover were wrong. `clear`: all earlier feedback is taken back.",
      ),
      examples: ["takeover_confirmed"],
    },
    occurred_at: Type.Optional(
      Type.String({
        description:
          "When it happened, RFC 3339; the moment of the request unless given. Not before 1990 and at most five minutes ahead.",
        examples: ["2026-11-02T09:30:00Z"],
      }),
    ),
    loss: Type.Optional(
      Type.Number({
        minimum: 0,
        description:
          "What was lost, in a currency of your own choice; with `fraud_confirmed` and `takeover_confirmed` only. Above 0, a takeover counts as turned into money.",
      }),
    ),
    reference: Type.Optional(
      Type.String({
        maxLength: 128,
        description:
          "Your own name for the case, stored as it is and never shown. Must not be an e-mail address or a phone number.",
      }),
    ),
    expires_at: Type.Optional(
      Type.String({
        description:
          "From then on the feedback has no effect, as if it had been undone, RFC 3339; never unless given.",
      }),
    ),
  },
  {
    $id: "FeedbackRequest",
    description: "Exactly one of `email` and `phone_number`. Unknown members are ignored.",
  },
)
export type FeedbackRequest = Static<typeof FeedbackRequest>

/** What an id looks like; any other text names no feedback. */
export const FEEDBACK_ID_PATTERN = "^fb_[0-9a-f]{28}$"

export const FeedbackReceipt = Type.Object(
  {
    id: Type.String({
      pattern: FEEDBACK_ID_PATTERN,
      description: "Names the feedback, to undo it. Ids sort by time.",
    }),
  },
  { $id: "FeedbackReceipt", additionalProperties: false },
)
export type FeedbackReceipt = Static<typeof FeedbackReceipt>

export const FeedbackParams = Type.Object({
  id: Type.String({ description: "The id the feedback was acknowledged with." }),
})

/** Lets a request be sent again without being carried out twice. */
export const IdempotencyHeaders = Type.Object({
  "idempotency-key": Type.Optional(
    Type.String({
      pattern: "^[\\x21-\\x7e]{1,255}$",
      description:
        "1 to 255 visible ASCII characters, new for each request that is to be carried out. Sent again with the same body within 24 hours, the request is answered as the first time and not carried out again.",
    }),
  ),
})
