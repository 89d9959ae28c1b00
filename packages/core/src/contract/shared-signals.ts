import { type Static, Type } from "typebox"
import { words } from "./words.ts"

const exactly = { additionalProperties: false }
/** Shown in tables and logs of terminals, so only printable characters. */
const PRINTABLE = "^\\P{C}*$"
const NAME = "[0-7][0-9a-hjkmnp-tv-z]{25}"

const time = (description: string) => Type.String({ format: "date-time", description })
const timeOrNull = (description: string) =>
  Type.Union([Type.String({ format: "date-time" }), Type.Null()], { description })
const textOrNull = (description: string) =>
  Type.Union([Type.String(), Type.Null()], { description })

/** What a stream can be told. */
export const SHARED_SIGNALS_EVENTS = [
  "risk-level-change",
  "session-revoked",
  "credential-compromise",
  "account-credential-change-required",
] as const

const method = words(
  ["push", "poll"],
  "`push`: tokens are sent to the receiver (RFC 8935). `poll`: it fetches them (RFC 8936).",
)
const url = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description: "Of push: where tokens are sent: https, at a public address.",
})
const authorization = Type.String({
  minLength: 1,
  maxLength: 2_000,
  pattern: "^[!-~]([ -~]*[!-~])?$",
  description:
    "Of push: what the receiver wants as `Authorization`, such as `Bearer` and a token. It is kept sealed and shown nowhere.",
})
const audience = Type.String({
  minLength: 1,
  maxLength: 500,
  pattern: "^[!-~]+$",
  description: "Whom tokens are for, as `aud`. Unless given: one that only this stream has.",
})
const description = Type.String({
  maxLength: 200,
  pattern: PRINTABLE,
  description: "A note to recognise it by.",
})
const dialect = words(
  ["standard", "okta"],
  "`okta`: changes of risk in the form that Okta takes, and nothing that it does not take. Of push alone.",
)
const subjectFormat = words(
  ["iss_sub", "opaque"],
  "How tokens name somebody (RFC 9493): by an issuer and your name of the watch item, or by that name alone. Never by an address or a number.",
)
const subjectIssuer = Type.String({
  minLength: 1,
  maxLength: 500,
  pattern: "^https?://[!-~]+$",
  description:
    "Of `iss_sub`: the issuer whose users your names are, such as your identity provider.",
})
const event = words(
  SHARED_SIGNALS_EVENTS,
  "`session-revoked`: once an address becomes ATTACKED. `account-credential-change-required`: with every `credential-compromise`.",
)
const events = Type.Array(event, {
  minItems: 1,
  maxItems: SHARED_SIGNALS_EVENTS.length,
  uniqueItems: true,
  description:
    "What it is told. `session-revoked` and `account-credential-change-required` have others do something, and are told only where they are named.",
})
const status = words(
  ["enabled", "paused", "disabled"],
  "`paused`: what comes is held for 30 days. `disabled`: what comes is not told.",
)
const reason = Type.String({ maxLength: 200, pattern: PRINTABLE, description: "Why it is so." })

/** Without the receiver's header. */
export const SharedSignalsStream = Type.Object(
  {
    id: Type.String({ pattern: `^str_${NAME}$` }),
    method,
    url: textOrNull("Where tokens are sent, or fetched."),
    has_authorization: Type.Boolean({
      description: "Whether an `Authorization` is sent to the receiver.",
    }),
    audience: Type.Array(Type.String(), { description: "Whom tokens are for." }),
    description,
    dialect,
    subject_format: subjectFormat,
    subject_issuer: textOrNull("Whose users your names are; null: your issuer's."),
    events: Type.Array(event),
    status,
    reason: textOrNull("Why its status is as it is, where somebody said so."),
    status_at: time("Since when."),
    behind: Type.Integer({
      minimum: 0,
      description: "Events that the receiver may not have yet, counted up to 10,000.",
    }),
    oldest_waiting_at: timeOrNull("When the first of them happened; null where there is none."),
    last_taken_at: timeOrNull("When the receiver last took anything; null: never."),
    last_fault: Type.Union(
      [
        Type.Object(
          {
            at: time("When."),
            code: Type.String({
              description: "Such as `timed-out`, `answered-503`, or what the receiver said.",
            }),
          },
          exactly,
        ),
        Type.Null(),
      ],
      { description: "What went wrong last; null where all went well since." },
    ),
    next_attempt_at: timeOrNull("Of push that failed: when it is tried again."),
    verification: Type.Union(
      [
        Type.Object(
          {
            asked_at: time("When a verification was asked for."),
            taken_at: timeOrNull("When the receiver took it; null: not yet."),
          },
          exactly,
        ),
        Type.Null(),
      ],
      { description: "The last one; null: there was none." },
    ),
    created_at: time("When it was made."),
    changed_at: time("When it was last changed."),
  },
  { $id: "SharedSignalsStream", ...exactly },
)
export type SharedSignalsStream = Static<typeof SharedSignalsStream>

export const SharedSignalsStreamList = Type.Object(
  {
    issuer: Type.String({ description: "Your issuer: `iss` of every token." }),
    configuration_url: Type.String({
      description: "Where receivers find all the rest, as Shared Signals has it.",
    }),
    jwks_url: Type.String({ description: "Where the keys are that tokens verify by." }),
    token_url: Type.String({
      description: "Where receivers get a token by an API key, to see to streams themselves.",
    }),
    streams: Type.Array(Type.Unsafe<SharedSignalsStream>({ $ref: "SharedSignalsStream#" }), {
      description: "The oldest first, at most 10.",
    }),
  },
  { $id: "SharedSignalsStreamList", ...exactly },
)
export type SharedSignalsStreamList = Static<typeof SharedSignalsStreamList>

export const SharedSignalsStreamRequest = Type.Object(
  {
    method,
    url: Type.Optional(url),
    authorization: Type.Optional(authorization),
    audience: Type.Optional(audience),
    description: Type.Optional(description),
    dialect: Type.Optional(dialect),
    subject_format: Type.Optional(subjectFormat),
    subject_issuer: Type.Optional(subjectIssuer),
    events: Type.Optional(events),
  },
  {
    $id: "SharedSignalsStreamRequest",
    ...exactly,
    examples: [{ method: "poll", description: "Our identity provider" }],
  },
)
export type SharedSignalsStreamRequest = Static<typeof SharedSignalsStreamRequest>

export const SharedSignalsStreamChange = Type.Object(
  {
    url: Type.Optional(url),
    authorization: Type.Optional(
      Type.Union([authorization, Type.Null()], {
        description: "null: none is sent any more. Another URL begins without one.",
      }),
    ),
    audience: Type.Optional(audience),
    description: Type.Optional(description),
    dialect: Type.Optional(dialect),
    subject_format: Type.Optional(subjectFormat),
    subject_issuer: Type.Optional(
      Type.Union([subjectIssuer, Type.Null()], { description: "null: your issuer." }),
    ),
    events: Type.Optional(events),
    status: Type.Optional(status),
    reason: Type.Optional(reason),
  },
  {
    $id: "SharedSignalsStreamChange",
    ...exactly,
    minProperties: 1,
    examples: [{ status: "paused", reason: "The receiver moves" }],
  },
)
export type SharedSignalsStreamChange = Static<typeof SharedSignalsStreamChange>

export const SharedSignalsVerification = Type.Object(
  { state: Type.String({ description: "Comes back in the event, so that it is recognised." }) },
  { $id: "SharedSignalsVerification", ...exactly },
)
export type SharedSignalsVerification = Static<typeof SharedSignalsVerification>

export const SharedSignalsKeyList = Type.Object(
  {
    keys: Type.Array(
      Type.Object(
        {
          kid: Type.String({ description: "As tokens name it." }),
          state: words(
            ["next", "signing", "retired"],
            "`next`: published, and signs once everybody can know it. `retired`: published for tokens that were signed by it.",
          ),
          created_at: time("When it was made."),
          signs_from: time("When it began or begins to sign."),
        },
        exactly,
      ),
      { description: "The oldest first." },
    ),
  },
  { $id: "SharedSignalsKeyList", ...exactly },
)
export type SharedSignalsKeyList = Static<typeof SharedSignalsKeyList>

export const SharedSignalsParams = Type.Object({
  id: Type.String({ description: "The id of the stream." }),
})
