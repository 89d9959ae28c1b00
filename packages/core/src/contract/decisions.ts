import { Type, type Static } from "typebox"
import { BANDS } from "../score/vocabulary.ts"
import { Action, Confidence, Explanation, RiskScore, ThreatStage, words } from "./words.ts"

/** What the id of a decision looks like. */
export const DECISION_ID_PATTERN = "^dec_[0-7][0-9a-hjkmnp-tv-z]{25}$"

/**
 * How old a decision is when it is listed forward. Ids are of the moment a request began, so one
 * that takes long, or is recorded by another machine, comes behind ids that are already there.
 */
export const DECISION_SETTLED_SECONDS = 15

/** What a caller may choose for the id of a request; any other is replaced. */
export const REQUEST_ID_PATTERN = "^[A-Za-z0-9_.:\\-]{1,128}$"

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

const answer = {
  risk_score: RiskScore,
  threat_stage: Type.Optional(ThreatStage),
  confidence: Type.Optional(Confidence),
  recommended_action: Action,
}

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
    recorded: Type.Object(answer, {
      additionalProperties: false,
      description: "What was answered. Stage and confidence are those of an e-mail address.",
    }),
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

const ComparedAnswer = Type.Object(
  {
    model_version: Type.String({ description: "The model that gives this answer." }),
    policy_version: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
      description: "The version of the policy; null for what was set when it was decided.",
    }),
    ...answer,
    assessment: document("The members of the answer, without the identity."),
    explanation: document("As with ?explain=true."),
  },
  { additionalProperties: false },
)

/** What a decision would have been under another model or another policy. */
export const DecisionComparison = Type.Object(
  {
    id,
    decided_at: decidedAt,
    subject,
    recorded: Type.Unsafe<Static<typeof ComparedAnswer>>({
      ...ComparedAnswer,
      description: "Computed again from what was recorded, as it was decided.",
    }),
    other: Type.Unsafe<Static<typeof ComparedAnswer>>({
      ...ComparedAnswer,
      description: "The same input under the other model or policy.",
    }),
    summary: Type.String({ description: "In a sentence, what is another under the other." }),
    contributions: Type.Array(
      Type.Object(
        {
          code: Type.String({ description: "As in `explanation`." }),
          recorded: Type.Number({ description: "Points; 0 where it adds nothing." }),
          other: Type.Number(),
        },
        { additionalProperties: false },
      ),
      { description: "Every factor of either side, the one that moved most first." },
    ),
    notes: Type.Array(Type.String(), {
      description: "What the comparison cannot tell, or had to leave out.",
    }),
    models: Type.Array(Type.String(), {
      description: "The versions of the model that `model` takes, the oldest first.",
    }),
  },
  { $id: "DecisionComparison", additionalProperties: false },
)
export type DecisionComparison = Static<typeof DecisionComparison>

export const DecisionComparisonQuery = Type.Object({
  model: Type.Optional(
    Type.String({
      pattern: "^[0-9]{1,9}\\.[0-9]{1,9}$",
      description: "A version of the model that is loaded; unless given, the one of the policy.",
    }),
  ),
  policy: Type.Optional(
    Type.String({
      pattern: "^[1-9][0-9]{0,8}$",
      description:
        "A version of your policy. Unless given: with `model` what was set when it was decided, without it the policy that acts.",
    }),
  ),
})

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
  {
    decisions: Type.Array(DecisionSummary, {
      description: "The newest first; with `after` the oldest first.",
    }),
    next: Type.Optional(
      Type.String({
        pattern: DECISION_ID_PATTERN,
        description:
          "Only with `after`: as `after` it asks for what follows, also behind an empty page.",
      }),
    ),
  },
  { $id: "DecisionList", additionalProperties: false },
)
export type DecisionList = Static<typeof DecisionList>

/** What a list is narrowed by and a saved view keeps: none of it can name anybody. */
const viewMembers = {
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
/** The members that say which decisions are meant, whoever they are about. */
const filterMembers = {
  ...viewMembers,
  // A caller may have taken a number of somebody's for the id of a request.
  request_id: Type.Optional(
    Type.String({
      pattern: REQUEST_ID_PATTERN,
      description:
        "The X-Request-Id of the answer they came with. All items of a batch or a stream have the same.",
    }),
  ),
}
const before = Type.Optional(
  Type.String({
    pattern: DECISION_ID_PATTERN,
    description: "Only decisions before this one: the last id of a page asks for the next page.",
  }),
)

export const DecisionViewFilter = Type.Object(
  { subject: Type.Optional(subject), ...viewMembers },
  {
    $id: "DecisionViewFilter",
    additionalProperties: false,
    description:
      "Members of the list's query, without its page and the id of a request; one that is left out leaves none out.",
    examples: [{ subject: "email", action: "block", band: "critical" }],
  },
)
export type DecisionViewFilter = Static<typeof DecisionViewFilter>

export const DecisionListQuery = Type.Object({
  subject: Type.Optional(subject),
  ...filterMembers,
  before,
  after: Type.Optional(
    Type.String({
      pattern: `^start$|${DECISION_ID_PATTERN}`,
      description: `Only decisions after this one, the oldest first: \`next\` of a page asks for the following one, whether or not there is anything yet. \`start\` begins with the oldest that is kept. A decision is listed once it is ${DECISION_SETTLED_SECONDS} seconds old, when nothing can come before it any more. Not together with \`before\`.`,
    }),
  ),
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
