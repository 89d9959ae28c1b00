import { type Static, type TSchema, Type, type TUnsafe } from "typebox"
import { BANDS } from "../score/vocabulary.ts"
import { DECISION_ID_PATTERN } from "./decisions.ts"
import { grouped } from "./grouped.ts"
import { Action, RiskReasons, RiskScore, ThreatStage, words, wordsForNow } from "./words.ts"

// Objects of events are left open, unlike those of answers: a receiver that validates with a copy
// of these schemas goes on working when a later version adds a member. Tests close them again.

/** What the id of an event looks like. */
export const EVENT_ID_PATTERN = "^evt_[0-7][0-9a-hjkmnp-tv-z]{25}$"

/** The most bytes that the body of an event may have. */
export const EVENT_BYTES_MAX = 20_000

/** How long an event can be pulled, delivered and sent again. */
export const EVENT_DAYS = 30

/** Why a watched identity was scored again. */
export const CHANGE_CAUSES = [
  "import",
  "evidence",
  "feedback",
  "carrier",
  "time",
  "lists",
  "policy",
] as const
export type ChangeCause = (typeof CHANGE_CAUSES)[number]

const time = (description: string) => Type.String({ format: "date-time", description })
const orNull = <T extends TSchema>(schema: T, description: string): TUnsafe<Static<T> | null> =>
  Type.Unsafe<Static<T> | null>({ anyOf: [schema, { type: "null" }], description })
const count = (description: string) => Type.Integer({ minimum: 0, description })
const band = words(
  BANDS.map(({ name }) => name),
  "The band of the score.",
)
const modelVersion = Type.String({
  pattern: "^\\d+\\.\\d+$",
  description: "Version of the risk model.",
})

const watched = {
  ref: Type.String({
    description: "Your name of the watch item, or the one that was made for it.",
  }),
  identity: Type.Optional(
    Type.String({
      description:
        "The identity as it was registered; only of items registered with `deliver_identity: true`.",
    }),
  ),
}

const cause = wordsForNow(
  CHANGE_CAUSES,
  "Why it was scored again: a file was imported, evidence or feedback arrived, a carrier told of a change, time passed, or lists or your policy were changed.",
)

const emailStanding = {
  risk_score: RiskScore,
  threat_stage: ThreatStage,
  band,
  recommended_action: Action,
  model_version: modelVersion,
}
const { threat_stage: _ofEmail, ...phoneStanding } = emailStanding

const RiskEmailChanged = Type.Object({
  ...watched,
  cause,
  previous: Type.Object(emailStanding, { description: "As the last event, or the item, had it." }),
  current: Type.Object({ ...emailStanding, risk_reasons: RiskReasons }),
})

const RiskPhoneChanged = Type.Object({
  ...watched,
  cause,
  previous: Type.Object(phoneStanding, { description: "As the last event, or the item, had it." }),
  current: Type.Object({ ...phoneStanding, risk_reasons: RiskReasons }),
})

const ExposureAdded = Type.Object({
  ...watched,
  watched: words(["email", "phone", "domain"], "What the item is."),
  source: orNull(
    Type.String(),
    "Name of the source that holds it; null where your plan does not name sources.",
  ),
  kind: Type.String({ description: "Kind of evidence, such as `breach`." }),
  last_seen: orNull(
    Type.String({ format: "date" }),
    "UTC day of the latest exposure by this source; null where it is not known.",
  ),
  password: Type.Optional(
    Type.Boolean({
      description:
        "Of an e-mail address or a number: whether a password of the account is in it, readable or hashed.",
    }),
  ),
  identities: Type.Optional(
    Type.Integer({
      minimum: 1,
      description:
        "Of a domain only: how many addresses there the import had. No address is named.",
    }),
  ),
})

const decided = {
  decision_id: Type.String({
    pattern: DECISION_ID_PATTERN,
    description: "The X-Decision-Id of the answer; `GET /api/v1/decisions/{id}` repeats it.",
  }),
  decided_at: time("When it was answered."),
  ref: orNull(Type.String(), "Your name of the case, where the request gave one."),
  subject: words(["email", "phone"], "What was scored."),
  risk_score: RiskScore,
  threat_stage: Type.Optional(ThreatStage),
  band,
  recommended_action: Action,
  reasons: Type.Unsafe<readonly string[]>({
    type: "array",
    items: { type: "string" },
    description: "Codes of what drove the score, the strongest first, as in `contributions`.",
  }),
  model_version: modelVersion,
}
const Decided = Type.Object(decided)

const key = {
  key_id: Type.String({ description: "Names the key in lists, usage and the audit trail." }),
  hint: Type.String({ description: "The beginning and the last four characters of the key." }),
  label: Type.String({ description: "The note to recognise the key by." }),
}
const keyScopes = Type.Array(Type.String(), { description: "What the key may do." })
const actor = Type.String({ description: "Who did it, as the audit trail names them." })
const expiresAt = orNull(Type.String({ format: "date-time" }), "When it ends; null: never.")

const KeyCreated = Type.Object({ ...key, scopes: keyScopes, expires_at: expiresAt, actor })
const KeyRotated = Type.Object({
  ...key,
  scopes: keyScopes,
  expires_at: expiresAt,
  replaces: Type.String({ description: "The id of the key it takes over from." }),
  replaced_expires_at: time("Until when the replaced key works."),
  actor,
})
const KeyRevoked = Type.Object({ ...key, actor })

const KeyQuotaReached = Type.Object({
  ...key,
  month: Type.String({ pattern: "^\\d{4}-\\d{2}$", description: "The UTC month." }),
  lookups_per_month: count("What your plan allows all keys together."),
})

const imported = {
  import_id: Type.String({
    description:
      "Names it, in the list of imports too where it was made over HTTP or in the console.",
  }),
  source: Type.String({ description: "Name of the source the file is evidence of." }),
}
const ImportFinished = Type.Object({
  ...imported,
  report: orNull(
    Type.Object({
      batch: Type.Integer({ minimum: 1, description: "The batch in the corpus." }),
      rows: count("Rows of the file, those rejected included."),
      imported: count("Observations that are new."),
      known: count("Observations that were held already."),
      repeated: count("Rows that were there more than once in the file."),
      rejected: count("Rows that were not imported."),
      identities: count("Different identities of the batch."),
    }),
    "null where it was cut off at the moment it was made.",
  ),
})
const ImportFailed = Type.Object({
  ...imported,
  code: Type.String({ description: "The problem that an answer would have." }),
  detail: Type.String({ description: "Why it failed, without a word of the file." }),
})

const DropDigest = Type.Object({
  new_messages: words(
    ["none", "some"],
    "Whether a message waits that nobody has fetched. Both words are of one length, so that what is sent has the same size every day.",
  ),
  went_unread: Type.String({
    pattern: "^\\d{6}$",
    description: "How many messages expired unread since the last digest, in six digits.",
  }),
})

const WebhookDisabled = Type.Object({
  webhook_id: Type.String({ description: "The webhook that gets nothing any more." }),
  reason: wordsForNow(
    ["gone", "failing"],
    "`gone`: it answered 410. `failing`: every attempt to deliver an event failed.",
  ),
  event_id: Type.String({ pattern: EVENT_ID_PATTERN, description: "The event it was sent last." }),
  event_type: Type.String({ description: "The type of that event." }),
  attempts: Type.Integer({ minimum: 1, description: "How often that event was sent." }),
  last_status: orNull(Type.Integer(), "The status of the last answer; null where none came."),
  last_error: orNull(Type.String(), "Why no answer came, as a code; null where one came."),
})

const WebhookTest = Type.Object({
  webhook_id: Type.String({ description: "The webhook that is tested." }),
})

interface KindOfEvent {
  /** Whose events these are: `either` belongs to whoever owns what it is about. */
  readonly owner: "tenant" | "service" | "either"
  readonly summary: string
  readonly data: TSchema
  readonly example: object
}

const KEY_EXAMPLE = { key_id: "key_8f3kq2", hint: "ask_live_v7…Qm4T", label: "checkout" }
const DECIDED_EXAMPLE = {
  decision_id: "dec_01kacbgk5x9v8f2m4q6r7s3t0w",
  decided_at: "2026-11-18T09:30:00.125Z",
  ref: "order-1842",
  subject: "email",
  risk_score: 86,
  threat_stage: "ATTACKED",
  band: "critical",
  recommended_action: "block",
  reasons: ["ATO_CONFIRMED", "CRED_STEALER_LOG"],
  model_version: "1.1",
}

/** Every kind of event: whose it is, what it says, and one that could be sent. */
export const EVENTS = {
  "risk.email.changed": {
    owner: "tenant",
    summary: "A watched e-mail address changed its stage or its band.",
    data: RiskEmailChanged,
    example: {
      ref: "customer-4711",
      cause: "import",
      previous: {
        risk_score: 34,
        threat_stage: "LEAKED",
        band: "elevated",
        recommended_action: "step_up_auth",
        model_version: "1.1",
      },
      current: {
        risk_score: 61,
        threat_stage: "TRADED",
        band: "high",
        recommended_action: "step_up_auth",
        model_version: "1.1",
        risk_reasons: ["Offered for sale 1 day ago", "Plaintext password in 2 breach sources"],
      },
    },
  },
  "risk.phone.changed": {
    owner: "tenant",
    summary: "A watched phone number changed its band.",
    data: RiskPhoneChanged,
    example: {
      ref: "customer-4711-phone",
      identity: "+61491570156",
      cause: "carrier",
      previous: {
        risk_score: 12,
        band: "low",
        recommended_action: "allow",
        model_version: "1.1",
      },
      current: {
        risk_score: 61,
        band: "high",
        recommended_action: "step_up_auth",
        model_version: "1.1",
        risk_reasons: ["SIM changed 2 hours ago"],
      },
    },
  },
  "exposure.added": {
    owner: "tenant",
    summary:
      "Data was imported that holds a watched identity, or addresses at a domain that you watch and have shown to be yours.",
    data: ExposureAdded,
    example: {
      ref: "our-domain",
      watched: "domain",
      source: "forum-2026",
      kind: "breach",
      last_seen: "2026-11-02",
      identities: 37,
    },
  },
  "decision.critical": {
    owner: "tenant",
    summary: "A request was answered with a score in the critical band.",
    data: Decided,
    example: DECIDED_EXAMPLE,
  },
  "decision.review": {
    owner: "tenant",
    summary: "A decision waits for an analyst.",
    data: Decided,
    example: DECIDED_EXAMPLE,
  },
  "key.created": {
    owner: "either",
    summary: "An API key was made.",
    data: KeyCreated,
    example: { ...KEY_EXAMPLE, scopes: ["score"], expires_at: null, actor: "person:7" },
  },
  "key.rotated": {
    owner: "either",
    summary: "An API key was replaced by a new one.",
    data: KeyRotated,
    example: {
      ...KEY_EXAMPLE,
      scopes: ["score"],
      expires_at: null,
      replaces: "key_2c9wd7",
      replaced_expires_at: "2026-11-19T09:30:00.000Z",
      actor: "person:7",
    },
  },
  "key.revoked": {
    owner: "either",
    summary: "An API key was ended.",
    data: KeyRevoked,
    example: { ...KEY_EXAMPLE, actor: "person:7" },
  },
  "key.quota_reached": {
    owner: "tenant",
    summary:
      "A request with the key was refused because the lookups of the month are used up; told once a month and key.",
    data: KeyQuotaReached,
    example: { ...KEY_EXAMPLE, month: "2026-11", lookups_per_month: 1_000 },
  },
  "import.finished": {
    owner: "service",
    summary: "An import is done, and its evidence counts.",
    data: ImportFinished,
    example: {
      import_id: "imp_6f1d0c9a4b7e2f3a5c8d1e0b",
      source: "forum-2026",
      report: {
        batch: 12,
        rows: 184_203,
        imported: 171_960,
        known: 9_811,
        repeated: 2_300,
        rejected: 132,
        identities: 168_044,
      },
    },
  },
  "import.failed": {
    owner: "service",
    summary: "An import failed; nothing of the file was imported.",
    data: ImportFailed,
    example: {
      import_id: "imp_6f1d0c9a4b7e2f3a5c8d1e0b",
      source: "forum-2026",
      code: "import-refused",
      detail: "No line of the file could be read.",
    },
  },
  "drop.digest": {
    owner: "service",
    summary:
      "The daily digest of the drop, made every day in the same hour whether or not anybody wrote; only the last one is kept.",
    data: DropDigest,
    example: { new_messages: "some", went_unread: "000000" },
  },
  "webhook.disabled": {
    owner: "either",
    summary: "A webhook was disabled because it could not be delivered to.",
    data: WebhookDisabled,
    example: {
      webhook_id: "whk_5t2mh8",
      reason: "failing",
      event_id: "evt_01kacbgk5x9v8f2m4q6r7s3t0w",
      event_type: "risk.email.changed",
      attempts: 10,
      last_status: 503,
      last_error: null,
    },
  },
  "webhook.test": {
    owner: "either",
    summary: "Sent once to one webhook, when its owner asks for a test.",
    data: WebhookTest,
    example: { webhook_id: "whk_5t2mh8" },
  },
} as const satisfies Record<string, KindOfEvent>

export type EventKind = keyof typeof EVENTS
/** What `data` of an event holds. */
export type EventData<K extends EventKind> = Static<(typeof EVENTS)[K]["data"]>

export const EVENT_KINDS = Object.keys(EVENTS) as readonly EventKind[]

/** The longest that an answer may wait for an event. */
export const EVENT_WAIT_SECONDS_MAX = 30

const timestamp = time("When it happened; every attempt to deliver it says the same.")

/** The body of a delivery, as Standard Webhooks has it. The id is in the header `webhook-id`. */
export function eventBodySchema(kind: EventKind) {
  const { data, summary, example } = EVENTS[kind]
  return Type.Object(
    { type: Type.Unsafe<EventKind>({ type: "string", const: kind }), timestamp, data },
    {
      $id: eventSchemaName(kind),
      description: `${summary} The body has less than ${grouped(EVENT_BYTES_MAX)} bytes.`,
      examples: [{ type: kind, timestamp: EXAMPLE_TIME, data: example }],
    },
  )
}

const EXAMPLE_TIME = "2026-11-18T09:30:00.125Z"

/** The name of a kind's schema, such as `RiskEmailChangedEvent`. */
export function eventSchemaName(kind: EventKind): string {
  const parts = kind.split(/[._]/)
  return `${parts.map((part) => part.slice(0, 1).toUpperCase() + part.slice(1)).join("")}Event`
}

const eventMembers = {
  id: Type.String({ pattern: EVENT_ID_PATTERN, description: "As `webhook-id` of a delivery." }),
  type: Type.String({ description: "What happened. Expect other types in later versions." }),
  timestamp,
  data: Type.Unsafe<Record<string, unknown>>({
    type: "object",
    additionalProperties: true,
    description: "By type, as the body that a webhook receives has it.",
  }),
}
const EventItem = Type.Object(eventMembers, { additionalProperties: false })
export type EventItem = Static<typeof EventItem>

/** One event by itself. */
export const EventDetails = Type.Object(eventMembers, {
  $id: "EventDetails",
  additionalProperties: false,
})
export type EventDetails = Static<typeof EventDetails>

export const EventParams = Type.Object({
  id: Type.String({ description: "The id of the event." }),
})

export const CURSOR = "cur_[A-Za-z0-9_-]{22}"

export const EventList = Type.Object(
  {
    events: Type.Array(EventItem, { description: "The oldest first." }),
    next: Type.String({
      pattern: `^${CURSOR}$`,
      description: "As `after` it asks for what follows, also behind an empty page.",
    }),
  },
  { $id: "EventList", additionalProperties: false },
)
export type EventList = Static<typeof EventList>

export const EventListQuery = Type.Object({
  after: Type.Optional(
    Type.String({
      pattern: `^latest$|^${CURSOR}$`,
      description: `\`next\` of the page before; good for ${EVENT_DAYS - 1} days. \`latest\`: only what happens from now on. Unless given: from the oldest that is kept.`,
    }),
  ),
  last: Type.Optional(
    Type.String({
      pattern: "^([1-9][0-9]?|100)$",
      description:
        "Instead of `after`: the newest so many that there are, 1 to 100, and the cursor behind them. Answered at once.",
    }),
  ),
  types: Type.Optional(
    Type.String({
      maxLength: 1000,
      pattern: "^[a-z_.]+(,[a-z_.]+)*$",
      description: "Only events of these types, separated by commas.",
    }),
  ),
  limit: Type.Optional(
    Type.String({ pattern: "^([1-9][0-9]?|100)$", description: "1 to 100; 100 unless given." }),
  ),
  wait: Type.Optional(
    Type.String({
      pattern: "^([0-9]|[12][0-9]|30)$",
      description: `How many seconds to wait for an event where there is none yet, at most ${EVENT_WAIT_SECONDS_MAX}; 0 unless given. The answer may come earlier without one.`,
    }),
  ),
})
export type EventListQuery = Static<typeof EventListQuery>
