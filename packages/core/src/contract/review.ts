import { type Static, Type } from "typebox"
import { BANDS } from "../score/vocabulary.ts"
import { DECISION_ID_PATTERN } from "./decisions.ts"
import { referred } from "./referred.ts"
import { Action, RiskScore, ThreatStage, words } from "./words.ts"

/** What an analyst finds out about a decision. */
export const REVIEW_OUTCOMES = ["confirmed_fraud", "genuine", "cannot_tell"] as const
export type ReviewOutcome = (typeof REVIEW_OUTCOMES)[number]

/** The actions that send a decision to an analyst. */
export const REVIEWED_ACTIONS = ["review", "block"] as const

/** Who works on a review: a key, a person, or somebody at the service's own shell. */
export const ASSIGNEE_PATTERN = "^(key|person|cli):[A-Za-z0-9._-]{1,64}$"
export const REASON_CODE_PATTERN = "^[A-Z][A-Z0-9_]{0,63}$"
export const REVIEW_NOTE_MAX = 1000
/** Reviews that one request of a bulk change may change. */
export const REVIEW_BULK_MAX = 1000

const HOURS_PATTERN = "^(0|[1-9][0-9]{0,4})$"

const id = Type.String({
  pattern: DECISION_ID_PATTERN,
  description: "The decision's id, which sorts by time.",
})
const kind = words(["email", "phone"], "What was scored.")
const band = words(
  BANDS.map(({ name }) => name),
  "The band of the score.",
)
const action = words(REVIEWED_ACTIONS, "What was recommended.")
const outcome = words(
  REVIEW_OUTCOMES,
  "`confirmed_fraud` is the feedback `fraud_confirmed`, `genuine` is `not_fraud`; `cannot_tell` ends the review without any.",
)
const time = (description: string) => Type.String({ format: "date-time", description })
const orNull = <T>(schema: object, description: string) =>
  Type.Unsafe<T | null>({ ...schema, type: ["string", "null"], description })

export const Review = Type.Object(
  {
    id,
    decided_at: time("When the service decided."),
    subject: kind,
    risk_score: RiskScore,
    band,
    threat_stage: Type.Optional(ThreatStage),
    recommended_action: action,
    reasons: Type.Unsafe<readonly string[]>({
      type: "array",
      items: { type: "string" },
      description: "Codes of what drove the score, the strongest first, as in `contributions`.",
    }),
    ref: orNull<string>({}, "Your name of the case, where the request gave one."),
    state: words(["waiting", "decided"], "Whether it waits for an analyst."),
    assignee: orNull<string>({}, "Who works on it."),
    outcome: Type.Unsafe<ReviewOutcome | null>({
      type: ["string", "null"],
      enum: [...REVIEW_OUTCOMES, null],
      description: "What was found out; null while it waits.",
    }),
    note: orNull<string>({}, "The analyst's note."),
    reviewed_at: orNull<string>({ format: "date-time" }, "When that was found out."),
    reviewed_by: orNull<string>({}, "Who found it out."),
    feedback_id: orNull<string>({}, "The feedback that the outcome is, if it is one."),
  },
  { $id: "Review", additionalProperties: false },
)
export type Review = Static<typeof Review>

export const ReviewList = Type.Object(
  { reviews: Type.Array(referred(Review), { description: "The newest first." }) },
  { $id: "ReviewList", additionalProperties: false },
)
export type ReviewList = Static<typeof ReviewList>

/** The members that a query and the filter of a view or of a bulk change have in common. */
const filterMembers = {
  action: Type.Optional(action),
  subject: Type.Optional(kind),
  stage: Type.Optional(ThreatStage),
  band: Type.Optional(band),
  reason: Type.Optional(
    Type.String({ pattern: REASON_CODE_PATTERN, description: "One of the codes of its reasons." }),
  ),
  assignee: Type.Optional(
    Type.String({
      pattern: `${ASSIGNEE_PATTERN}|^(me|nobody)$`,
      description: "Whose they are: `me`, `nobody`, or as a review names them.",
    }),
  ),
  outcome: Type.Optional(outcome),
  older_than_hours: Type.Optional(
    Type.String({ pattern: HOURS_PATTERN, description: "Decided at least this long ago." }),
  ),
  newer_than_hours: Type.Optional(
    Type.String({ pattern: HOURS_PATTERN, description: "Decided at most this long ago." }),
  ),
}

export const ReviewListQuery = Type.Object({
  state: Type.Optional(words(["waiting", "decided", "all"], "`waiting` unless given.")),
  ...filterMembers,
  before: Type.Optional(
    Type.String({
      pattern: DECISION_ID_PATTERN,
      description: "Only reviews before this one: the last id of a page asks for the next page.",
    }),
  ),
  limit: Type.Optional(
    Type.String({ pattern: "^([1-9][0-9]?|100)$", description: "1 to 100; 20 unless given." }),
  ),
})
export type ReviewListQuery = Static<typeof ReviewListQuery>

export const ReviewFilter = Type.Object(
  {
    state: Type.Optional(words(["waiting", "decided", "all"], "`waiting` unless given.")),
    ...filterMembers,
  },
  {
    $id: "ReviewFilter",
    additionalProperties: false,
    description: "The members of the list's query; one that is left out leaves none out.",
    examples: [{ action: "block", band: "critical", reason: "BOT_DISPOSABLE" }],
  },
)
export type ReviewFilter = Static<typeof ReviewFilter>

export const ReviewParams = Type.Object({
  id: Type.String({ description: "The decision's id." }),
})

const assignee = Type.Unsafe<string | null>({
  type: ["string", "null"],
  pattern: `${ASSIGNEE_PATTERN}|^me$`,
  description: "`me`, somebody as a review names them, or null for nobody.",
})
const note = Type.Unsafe<string | null>({
  type: ["string", "null"],
  minLength: 1,
  maxLength: REVIEW_NOTE_MAX,
  description:
    "Why, for those who look later. Stored as it is, so it must not hold an e-mail address or a phone number.",
})

export const ReviewAssignment = Type.Object(
  { assignee },
  { $id: "ReviewAssignment", additionalProperties: false, examples: [{ assignee: "me" }] },
)
export type ReviewAssignment = Static<typeof ReviewAssignment>

export const ReviewVerdict = Type.Object(
  { outcome, note: Type.Optional(note) },
  {
    $id: "ReviewVerdict",
    additionalProperties: false,
    examples: [{ outcome: "confirmed_fraud", note: "Chargeback of 3 March." }],
  },
)
export type ReviewVerdict = Static<typeof ReviewVerdict>

/** One change of all reviews that pass a filter. */
export const ReviewBulkRequest = Type.Object(
  {
    filter: referred(ReviewFilter),
    up_to: Type.Optional(
      Type.String({
        pattern: DECISION_ID_PATTERN,
        description:
          "The newest review that is meant, such as the first one of a list: those that came later wait on.",
      }),
    ),
    decide: Type.Optional(referred(ReviewVerdict)),
    assign: Type.Optional(referred(ReviewAssignment)),
    undo: Type.Optional(
      Type.Unsafe<true>({ type: "boolean", enum: [true], description: "Takes outcomes back." }),
    ),
  },
  {
    $id: "ReviewBulkRequest",
    additionalProperties: false,
    description: "Exactly one of `decide`, `assign` and `undo`.",
    examples: [{ filter: { reason: "BOT_DISPOSABLE" }, decide: { outcome: "confirmed_fraud" } }],
  },
)
export type ReviewBulkRequest = Static<typeof ReviewBulkRequest>

export const ReviewBulkResult = Type.Object(
  {
    changed: Type.Integer({ minimum: 0, description: "Reviews that this request changed." }),
    more: Type.Boolean({
      description: `Whether others may be left: a request changes at most ${REVIEW_BULK_MAX}. Send it again until this is false; what is changed already stays as it is.`,
    }),
  },
  { $id: "ReviewBulkResult", additionalProperties: false },
)
export type ReviewBulkResult = Static<typeof ReviewBulkResult>

export const OUTCOME_DAYS_MAX = 400

export const OutcomesQuery = Type.Object({
  days: Type.Optional(
    Type.String({
      pattern: "^([1-9][0-9]?|[1-3][0-9]{2}|400)$",
      description: `Decisions of the last days, 1 to ${OUTCOME_DAYS_MAX}; 90 unless given.`,
    }),
  ),
})

const Share = Type.Unsafe<number | null>({
  type: ["number", "null"],
  minimum: 0,
  maximum: 1,
  description: "The share of cases that proved bad; null where there are too few.",
})
const Interval = Type.Unsafe<readonly [number, number] | null>({
  type: ["array", "null"],
  items: { type: "number" },
  minItems: 2,
  maxItems: 2,
  description:
    "Between what that share lies with a confidence of 95 %, by Wilson's method; null where there are too few cases.",
})
const cases = Type.Integer({ minimum: 0, description: "Confirmed cases." })
const bad = Type.Integer({ minimum: 0, description: "Those that proved bad." })
const predicted = Type.Unsafe<number | null>({
  type: ["number", "null"],
  description:
    "The mean probability that the scores stood for; null where there are too few cases.",
})
const exactly = { additionalProperties: false }

const quality = Type.Object(
  {
    brier: Type.Number(),
    ece: Type.Number({ description: "Expected calibration error." }),
    log_loss: Type.Number(),
    auc: Type.Unsafe<number | null>({ type: ["number", "null"] }),
  },
  exactly,
)

/** What became of decisions, as far as somebody confirmed it. */
export const OutcomeReport = Type.Object(
  {
    from: time("Decisions made from this moment on."),
    to: time("The moment of the report."),
    confirmed: Type.Object(
      {
        bad,
        good: Type.Integer({ minimum: 0 }),
        cannot_tell: Type.Integer({ minimum: 0, description: "Reviews that ended undecided." }),
        by_analysts: Type.Integer({ minimum: 0 }),
        by_feedback: Type.Integer({ minimum: 0 }),
        cut: Type.Boolean({
          description: "Whether older cases were left out: there are too many.",
        }),
      },
      exactly,
    ),
    cases_min: Type.Integer({
      description: "Where fewer cases are confirmed, there is no share and no interval.",
    }),
    groups: Type.Array(
      Type.Object(
        { subject: kind, band, action: Action, cases, bad, share: Share, interval: Interval },
        exactly,
      ),
      { description: "By kind, band and action. Only what is confirmed is counted." },
    ),
    calibration: Type.Array(
      Type.Object(
        {
          subject: kind,
          cases,
          bad,
          error: Type.Unsafe<number | null>({
            type: ["number", "null"],
            description:
              "Expected calibration error: how far predicted and seen shares lie apart, weighed by cases; null where there are too few.",
          }),
          buckets: Type.Array(
            Type.Object(
              {
                from: RiskScore,
                to: RiskScore,
                cases,
                bad,
                predicted,
                share: Share,
                interval: Interval,
              },
              exactly,
            ),
          ),
        },
        exactly,
      ),
      { description: "What scores promised, and what was seen, by scores." },
    ),
    drift: Type.Array(
      Type.Object(
        {
          month: Type.String({ description: "Of the decisions, YYYY-MM in UTC." }),
          subject: kind,
          cases,
          bad,
          predicted,
          share: Share,
          interval: Interval,
        },
        exactly,
      ),
      { description: "The same over time, the oldest month first." },
    ),
    proposal: Type.Object(
      {
        lacks: Type.Unsafe<string | null>({
          type: ["string", "null"],
          description: "What is missing for a proposal; null where there is one.",
        }),
        model_version: Type.String({ description: "The e-mail model it is fitted to." }),
        labels: Type.Integer({ minimum: 0, description: "Cases about e-mail addresses used." }),
        policy: Type.Unsafe<Record<string, unknown> | null>({
          type: ["object", "null"],
          additionalProperties: true,
          description:
            "The tenant's policy with the proposed calibration, as `npx assay policy backtest --file` takes it.",
        }),
        held_out: Type.Unsafe<{
          readonly cases: number
          readonly bad: number
          readonly before: Static<typeof quality>
          readonly after: Static<typeof quality>
        } | null>({
          ...Type.Object({ cases, bad, before: quality, after: quality }, exactly),
          type: ["object", "null"],
          description: "Measured on the newest cases, by a fit to the older ones.",
        }),
      },
      exactly,
    ),
  },
  { $id: "OutcomeReport", additionalProperties: false },
)
export type OutcomeReport = Static<typeof OutcomeReport>
