import { Type, type Static } from "typebox"
import { Action, RiskScore, words } from "./words.ts"
import { DECISION_ID_PATTERN } from "./decisions.ts"
import { ProblemDetails } from "./problems.ts"

/** The most days of decisions that a back-test or a report of a shadow looks at. */
export const POLICY_DAYS_MAX = 90

const exactly = { additionalProperties: false }

/** The members are checked by the operation, which answers 422 and names those that do not fit. */
const document = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: true, description })

const MEMBERS =
  "Members, each optional: `models`, `prior_cred`, `prior_abuse`, `costs`, `calibration`, `confirmed_before_block`, `sms_only_step_up`, `domains`, `providers`; `verified` and `provider_daily_cap` are set by the operator and stay as they are."

const version = (description: string) => Type.Integer({ minimum: 1, description })
const setAt = Type.String({ format: "date-time" })
const actor = Type.String({ description: "Who set it: `key:` and the id of a key, for example." })

/** A version of what is set for a tenant. */
export const Policy = Type.Object(
  {
    version: version("From 1 up, by itself for each tenant; also the `ETag`."),
    set_at: setAt,
    actor,
    reverted_to: Type.Union([Type.Integer(), Type.Null()], {
      description: "The earlier version that this one brought back; null for any other change.",
    }),
    policy: document(MEMBERS),
  },
  { $id: "Policy", ...exactly },
)
export type Policy = Static<typeof Policy>

export const PolicyList = Type.Object(
  {
    versions: Type.Array(Type.Unsafe<Policy>({ $ref: "Policy#" }), {
      description: "The newest first.",
    }),
    next: Type.Union([Type.Integer(), Type.Null()], {
      description: "As `before` it asks for the next page; null on the last one.",
    }),
  },
  { $id: "PolicyList", ...exactly },
)
export type PolicyList = Static<typeof PolicyList>

export const PolicyListQuery = Type.Object({
  before: Type.Optional(
    Type.String({ pattern: "^[1-9][0-9]{0,8}$", description: "Only versions before this one." }),
  ),
  limit: Type.Optional(
    Type.String({ pattern: "^([1-9][0-9]?|100)$", description: "1 to 100; 20 unless given." }),
  ),
})

export const PolicyVersionParams = Type.Object({
  version: Type.String({ description: "The number of the version." }),
})

export const IfMatchHeaders = Type.Object({
  "if-match": Type.Optional(
    Type.String({
      description: "The `ETag` of the policy as you read it: its version in quotes.",
    }),
  ),
})

export const PolicyRequest = Type.Unsafe<Record<string, unknown>>({
  $id: "PolicyRequest",
  type: "object",
  additionalProperties: true,
  description: `The whole policy: a member that is left out leaves the matter to the model. ${MEMBERS}`,
  examples: [{ costs: { loss: 40 }, confirmed_before_block: true }],
})

export const PolicyRevertRequest = Type.Object(
  { version: version("The version to act again.") },
  { $id: "PolicyRevertRequest", ...exactly, examples: [{ version: 1 }] },
)
export type PolicyRevertRequest = Static<typeof PolicyRevertRequest>

const cost = (description: string) => Type.Number({ description })
const edge = (description: string) => Type.Integer({ description })
const Curve = Type.Object(
  {
    model: Type.String({ description: "The version of the model." }),
    costs: Type.Object(
      {
        loss: cost("A bad actor gets through."),
        challenge: cost("A good user is challenged."),
        wrong_block: cost("A good user is blocked."),
      },
      { ...exactly, description: "As they act: the model's where the policy names none." },
    ),
    edges: Type.Object(
      {
        challenge: edge("The score from which a challenge pays; it may lie beyond 0 and 100."),
        block: edge("The score from which a block pays."),
      },
      exactly,
    ),
    actions: Type.Array(Type.Object({ action: Action, from: RiskScore, to: RiskScore }, exactly), {
      description:
        "The action of each score, where nothing is confirmed and confidence is not low.",
    }),
    curve: Type.Array(
      Type.Object(
        {
          score: RiskScore,
          allow: Type.Number(),
          step_up_auth: Type.Number(),
          review: Type.Number(),
          block: Type.Number(),
        },
        exactly,
      ),
      {
        description:
          "What each action is expected to cost at each score from 0 to 100, in units of one unnecessary challenge, if all of the risk is that somebody else uses the identity.",
      },
    ),
  },
  exactly,
)

/** What a policy would make of each score, for both kinds of identities. */
export const PolicyPreview = Type.Object(
  { email: Curve, phone: Curve },
  { $id: "PolicyPreview", ...exactly },
)
export type PolicyPreview = Static<typeof PolicyPreview>

const modelVersion = Type.Optional(Type.String({ pattern: "^[0-9]+\\.[0-9]+$", maxLength: 20 }))

export const BackTestRequest = Type.Object(
  {
    policy: Type.Optional(document(`The proposed policy; the one that acts unless given.`)),
    version: Type.Optional(version("An earlier version as the proposed policy.")),
    models: Type.Optional(
      Type.Object(
        { email: modelVersion, phone: modelVersion },
        { ...exactly, description: "The proposal with these models." },
      ),
    ),
    days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: POLICY_DAYS_MAX,
        description: `Decisions of the last days; ${POLICY_DAYS_MAX} unless given.`,
      }),
    ),
  },
  {
    $id: "BackTestRequest",
    ...exactly,
    examples: [{ policy: { costs: { loss: 40 } }, days: 30 }],
  },
)
export type BackTestRequest = Static<typeof BackTestRequest>

const subject = words(["email", "phone"], "What was scored.")
const answer = Type.Object({ risk_score: RiskScore, recommended_action: Action }, exactly)
const count = (description: string) => Type.Integer({ minimum: 0, description })

const ProgressLine = Type.Object(
  {
    type: Type.Literal("progress"),
    decisions: count("Looked at so far."),
    reached: Type.String({ format: "date-time", description: "How far back that is." }),
  },
  exactly,
)
const ChangedLine = Type.Object(
  {
    type: Type.Literal("changed"),
    id: Type.String({ pattern: DECISION_ID_PATTERN }),
    subject,
    before: answer,
    after: answer,
  },
  { ...exactly, description: "A decision whose action is another under the proposal." },
)
const SummaryLine = Type.Object(
  {
    type: Type.Literal("summary"),
    from: Type.String({ format: "date-time", description: "Decisions since this moment." }),
    decisions: count("All that were looked at."),
    compared: count("Those whose actions were compared."),
    changed: count("Those of them whose action is another."),
    left_out: Type.Object(
      {
        erased: count("The person had the decision erased."),
        model_not_loaded: count("Made by a model whose document is no longer here."),
        not_repeated: count("Computed again as it was made, the answer is another one."),
        unknown_format: count("Written by a newer program."),
        not_shadowed: count("Made without this version of the shadow."),
      },
      { ...exactly, description: "Those that could not be compared, by what stood in the way." },
    ),
    moves: Type.Array(
      Type.Object({ subject, before: Action, after: Action, count: count("Decisions.") }, exactly),
      { description: "How many decisions go from one action to another, or stay at it." },
    ),
    lacking: Type.Object(
      {
        inputs: count("Inputs recorded before members that the proposed model reads."),
        members: Type.Array(Type.String(), { description: "It takes these as unknown there." }),
      },
      exactly,
    ),
  },
  { ...exactly, description: "The last line of a whole answer." },
)
const FailedLine = Type.Object(
  { problem: Type.Unsafe<ProblemDetails>({ $ref: "Problem#" }) },
  { ...exactly, description: "The last line where the work had to end early." },
)

/** A line of a back-test, and of the report of a shadow. */
export const ComparisonLine = Type.Union([ProgressLine, ChangedLine, SummaryLine, FailedLine], {
  $id: "ComparisonLine",
})
export type ComparisonLine = Static<typeof ComparisonLine>
export type ComparisonSummary = Static<typeof SummaryLine>
export type ChangedDecisionLine = Static<typeof ChangedLine>

/** The policy that is computed beside the one that acts. */
export const ShadowState = Type.Object(
  {
    shadow: Type.Union(
      [
        Type.Object(
          {
            version: version("Decisions are recorded under it, and a report is about one."),
            set_at: setAt,
            actor,
            policy: document(MEMBERS),
          },
          exactly,
        ),
        Type.Null(),
      ],
      { description: "null: nothing is computed beside the policy that acts." },
    ),
  },
  { $id: "ShadowState", ...exactly },
)
export type ShadowState = Static<typeof ShadowState>

export const ShadowReportQuery = Type.Object({
  days: Type.Optional(
    Type.String({
      pattern: "^([1-9]|[1-8][0-9]|90)$",
      description: `Decisions of the last days, 1 to ${POLICY_DAYS_MAX}; ${POLICY_DAYS_MAX} unless given.`,
    }),
  ),
  version: Type.Optional(
    Type.String({
      pattern: "^[1-9][0-9]{0,8}$",
      description: "The version of the shadow; the last one unless given.",
    }),
  ),
})
