import { Type, type Static } from "typebox"
import { BANDS } from "../score/vocabulary.ts"
import { Action, Confidence, Explanation, RiskScore, ThreatStage, words } from "./words.ts"

/** What the id of a decision looks like. */
export const DECISION_ID_PATTERN = "^dec_[0-7][0-9a-hjkmnp-tv-z]{25}$"

const id = Type.String({
  pattern: DECISION_ID_PATTERN,
  description: "The value of X-Decision-Id. Ids sort by time.",
})
const decidedAt = Type.String({ format: "date-time" })
const subject = words(["email", "phone"], "What was scored.")
const modelVersion = Type.String({ description: "Version of the model that made the decision." })

/** A JSON object whose members the contract leaves open. */
const document = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: true, description })

/** A past answer, and the same answer computed again from what was recorded. */
export const DecisionDetails = Type.Object(
  {
    id,
    decided_at: decidedAt,
    subject,
    model_version: modelVersion,
    calibration: Type.Union([Type.String(), Type.Null()], {
      description: "Hash of the tenant's own calibration; null for the model as published.",
    }),
    recorded: Type.Object(
      {
        risk_score: RiskScore,
        threat_stage: Type.Optional(ThreatStage),
        confidence: Type.Optional(Confidence),
        recommended_action: Action,
      },
      {
        additionalProperties: false,
        description: "What was answered. Stage and confidence are those of an e-mail address.",
      },
    ),
    assessment: document(
      "Computed now from `input` by the model of `model_version`: the members of the answer, without the identity, which is not stored.",
    ),
    reproduced: Type.Boolean({
      description: "Whether `assessment` has every value of `recorded`.",
    }),
    input: document("The scorer's input document as it was recorded."),
    explanation: Type.Optional(Explanation),
  },
  { $id: "Decision", additionalProperties: false },
)
export type DecisionDetails = Static<typeof DecisionDetails>

const DecisionSummary = Type.Object(
  {
    id,
    decided_at: decidedAt,
    subject,
    risk_score: RiskScore,
    threat_stage: Type.Optional(ThreatStage),
    recommended_action: Action,
    model_version: modelVersion,
  },
  { additionalProperties: false },
)
export type DecisionSummary = Static<typeof DecisionSummary>

export const DecisionList = Type.Object(
  { decisions: Type.Array(DecisionSummary, { description: "The newest first." }) },
  { $id: "DecisionList", additionalProperties: false },
)
export type DecisionList = Static<typeof DecisionList>

/** The members that say which decisions are meant, whoever they are about. */
const filterMembers = {
  stage: Type.Optional(ThreatStage),
  action: Type.Optional(Action),
  band: Type.Optional(
    words(
      BANDS.map(({ name }) => name),
      "The band of the score.",
    ),
  ),
  from: Type.Optional(
    Type.String({ format: "date-time", description: "Not decided before this moment." }),
  ),
  until: Type.Optional(
    Type.String({ format: "date-time", description: "Decided before this moment." }),
  ),
}
const before = Type.Optional(
  Type.String({
    pattern: DECISION_ID_PATTERN,
    description: "Only decisions before this one: the last id of a page asks for the next page.",
  }),
)

export const DecisionListQuery = Type.Object({
  subject: Type.Optional(subject),
  ...filterMembers,
  before,
  limit: Type.Optional(
    Type.String({ pattern: "^([1-9][0-9]?|100)$", description: "1 to 100; 20 unless given." }),
  ),
})
export type DecisionListQuery = Static<typeof DecisionListQuery>

/** Whose decisions are looked for. In a body, because an address has no place in a URL. */
export const DecisionSearch = Type.Object(
  {
    email: Type.Optional(
      Type.String({
        description: "The e-mail address they are about; either this or `phone_number`.",
        examples: ["ana.silva@mail.example"],
      }),
    ),
    phone_number: Type.Optional(
      Type.String({ description: "The phone number they are about, in E.164." }),
    ),
    ...filterMembers,
    before,
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: "20 unless given." }),
    ),
  },
  {
    $id: "DecisionSearch",
    additionalProperties: false,
    description:
      "Exactly one of `email` and `phone_number`. It is looked for by its keyed hash and not stored.",
  },
)
export type DecisionSearch = Static<typeof DecisionSearch>
