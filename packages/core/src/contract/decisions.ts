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

export const DecisionListQuery = Type.Object({
  before: Type.Optional(
    Type.String({
      pattern: DECISION_ID_PATTERN,
      description: "Only decisions before this one: the last id of a page asks for the next page.",
    }),
  ),
  limit: Type.Optional(
    Type.String({ pattern: "^([1-9][0-9]?|100)$", description: "1 to 100; 20 unless given." }),
  ),
})

export const DECISION_PERIODS = ["24h", "7d", "30d"] as const
export type DecisionPeriod = (typeof DECISION_PERIODS)[number]

export const DecisionCountsQuery = Type.Object({
  period: Type.Optional(words(DECISION_PERIODS, "How far back; `24h` unless given.")),
})

const moment = (description: string) => Type.String({ format: "date-time", description })
const part = (of: string) => ({
  count: Type.Integer({ minimum: 0 }),
  share: Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Null()], {
    description: `Of ${of}; null where there are none.`,
  }),
})
const exactly = { additionalProperties: false }

/** What a tenant's decisions of some days were. */
export const DecisionCounts = Type.Object(
  {
    period: words(DECISION_PERIODS, "What was asked for."),
    from: moment("When the period began."),
    to: moment("When it was counted."),
    counted_from: moment(
      "Every decision since then is counted. Later than `from` where there are too many to read.",
    ),
    complete: Type.Boolean({ description: "Whether all of the period is counted." }),
    total: Type.Integer({
      minimum: 0,
      description: "Decisions that are counted. Those that were erased are not.",
    }),
    subjects: Type.Array(Type.Object({ subject, ...part("all") }, exactly)),
    actions: Type.Array(Type.Object({ action: Action, ...part("all") }, exactly)),
    bands: Type.Array(
      Type.Object(
        {
          band: words(
            BANDS.map(({ name }) => name),
            "The band of the score.",
          ),
          ...part("all"),
        },
        exactly,
      ),
    ),
    stages: Type.Array(Type.Object({ stage: ThreatStage, ...part("e-mail addresses") }, exactly), {
      description: "Of e-mail addresses; phone numbers have none.",
    }),
  },
  { $id: "DecisionCounts", additionalProperties: false },
)
export type DecisionCounts = Static<typeof DecisionCounts>
