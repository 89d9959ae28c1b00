import { type Static, Type } from "typebox"
import { CURSOR, EVENT_ID_PATTERN, EVENT_KINDS } from "./events.ts"
import { words } from "./words.ts"

const exactly = { additionalProperties: false }
/** Descriptions are shown in tables and logs of terminals, so only printable characters. */
const PRINTABLE = "^\\P{C}*$"
const NAME = "[0-7][0-9a-hjkmnp-tv-z]{25}"

const WEBHOOK_ID_PATTERN = `^whk_${NAME}$`
const DELIVERY_ID_PATTERN = `^del_${NAME}$`

/** What a receiver checks an attempt by. */
export const SIGNATURE_SCHEMES = ["v1", "v1a"] as const

const time = (description: string) => Type.String({ format: "date-time", description })
const timeOrNull = (description: string) =>
  Type.Union([Type.String({ format: "date-time" }), Type.Null()], { description })
const textOrNull = (description: string) =>
  Type.Union([Type.String(), Type.Null()], { description })
const statusOrNull = Type.Union([Type.Integer(), Type.Null()], {
  description: "Status of the answer; null where none came.",
})
const errorOrNull = textOrNull(
  "Why no answer came, as a code such as `timed-out`; null where one came.",
)

const url = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description: "Where events are sent: https, at a public address.",
})
const description = Type.String({
  maxLength: 200,
  pattern: PRINTABLE,
  description: "A note to recognise it by.",
})
const kind = words(EVENT_KINDS, "A kind of event.")
const kinds = Type.Array(kind, {
  minItems: 1,
  maxItems: EVENT_KINDS.length,
  uniqueItems: true,
  description: "Which kinds of events are sent.",
})
const scheme = words(
  SIGNATURE_SCHEMES,
  "`v1`: HMAC-SHA256 by a shared secret. `v1a`: Ed25519, by a key of /.well-known/jwks.json.",
)

const DisabledWebhook = Type.Object(
  {
    at: time("Since when nothing is sent."),
    reason: words(
      ["by-hand", "gone", "failing"],
      "`by-hand`: its owner did it. `gone`: it answered 410. `failing`: an event was given up, and nothing was delivered since its first attempt.",
    ),
    event_id: textOrNull("The event that was sent last; null by hand."),
    event_type: textOrNull("The kind of that event."),
    last_status: statusOrNull,
    last_error: errorOrNull,
  },
  exactly,
)

/** Without what it is signed by. */
export const Webhook = Type.Object(
  {
    id: Type.String({ pattern: WEBHOOK_ID_PATTERN }),
    url,
    description,
    events: Type.Array(kind),
    signatures: Type.Array(scheme, { description: "How attempts are signed." }),
    enabled: Type.Boolean(),
    disabled: Type.Union([DisabledWebhook, Type.Null()], {
      description: "Why nothing is sent; null while it is enabled.",
    }),
    created_at: time("When it was made."),
    changed_at: time("When it was last changed by its owner."),
  },
  { $id: "Webhook", ...exactly },
)
export type Webhook = Static<typeof Webhook>

export const WebhookList = Type.Object(
  {
    webhooks: Type.Array(Type.Unsafe<Webhook>({ $ref: "Webhook#" }), {
      description: "The oldest first, at most 50.",
    }),
  },
  { $id: "WebhookList", ...exactly },
)
export type WebhookList = Static<typeof WebhookList>

const signatures = (description: string) =>
  Type.Optional(
    Type.Array(scheme, {
      minItems: 1,
      maxItems: SIGNATURE_SCHEMES.length,
      uniqueItems: true,
      contains: { const: "v1" },
      description,
    }),
  )

export const WebhookRequest = Type.Object(
  {
    url,
    events: kinds,
    description: Type.Optional(description),
    signatures: signatures("`v1` is always among them, and alone unless `v1a` is asked for."),
  },
  {
    $id: "WebhookRequest",
    ...exactly,
    examples: [{ url: "https://hooks.example.com/assay", events: ["risk.email.changed"] }],
  },
)
export type WebhookRequest = Static<typeof WebhookRequest>

const signedBy = {
  secret: Type.String({
    description: "Signs by `v1`: `whsec_` and base64. It is shown this once.",
  }),
  public_key: textOrNull(
    "Checks `v1a`: `whpk_` and base64. The same key is in /.well-known/jwks.json. null where attempts are not signed by `v1a`.",
  ),
}

/** The only answers that have a secret are this one and that of a rotation. */
export const NewWebhook = Type.Object(
  { webhook: Type.Unsafe<Webhook>({ $ref: "Webhook#" }), ...signedBy },
  { $id: "NewWebhook", ...exactly },
)
export type NewWebhook = Static<typeof NewWebhook>

export const WebhookChange = Type.Object(
  {
    url: Type.Optional(url),
    events: Type.Optional(kinds),
    description: Type.Optional(description),
    enabled: Type.Optional(
      Type.Boolean({
        description: "Disabling gives up what waits; a replay brings it once it is enabled again.",
      }),
    ),
  },
  { $id: "WebhookChange", ...exactly, minProperties: 1, examples: [{ enabled: true }] },
)
export type WebhookChange = Static<typeof WebhookChange>

export const WebhookRotation = Type.Object(
  {
    overlap_hours: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 720,
        description:
          "How long attempts are signed by the old secret as well; 24 unless given. 0: no longer.",
      }),
    ),
    signatures: signatures(
      "With `v1a` among them attempts are signed by Ed25519 too from now on, and stay so.",
    ),
  },
  { $id: "WebhookRotation", ...exactly, examples: [{ overlap_hours: 24 }] },
)
export type WebhookRotation = Static<typeof WebhookRotation>

export const WebhookSecrets = Type.Object(signedBy, { $id: "WebhookSecrets", ...exactly })
export type WebhookSecrets = Static<typeof WebhookSecrets>

export const REPLAY_PER_SECOND = 10
export const REPLAY_PER_SECOND_MAX = 1_000

export const WebhookReplay = Type.Object(
  {
    since: time("Events that happened from then on; at most 30 days ago."),
    until: Type.Optional(time("And up to then; now unless given.")),
    events: Type.Optional(kinds),
    include_delivered: Type.Optional(
      Type.Boolean({ description: "Those that were delivered too; false unless given." }),
    ),
    per_second: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: REPLAY_PER_SECOND_MAX,
        description: `How many of them are sent in a second; ${REPLAY_PER_SECOND} unless given.`,
      }),
    ),
  },
  { $id: "WebhookReplay", ...exactly, examples: [{ since: "2026-11-17T00:00:00Z" }] },
)
export type WebhookReplay = Static<typeof WebhookReplay>

export const WebhookReplayed = Type.Object(
  { queued: Type.Integer({ minimum: 0, description: "Events that are sent again." }) },
  { $id: "WebhookReplayed", ...exactly },
)
export type WebhookReplayed = Static<typeof WebhookReplayed>

const status = words(
  ["pending", "delivered", "dead", "replaced"],
  "`dead`: given up. `replaced`: a newer change of the same identity was sent instead.",
)

/** One event for one webhook. */
export const Delivery = Type.Object(
  {
    id: Type.String({ pattern: DELIVERY_ID_PATTERN }),
    event_id: Type.String({ pattern: EVENT_ID_PATTERN }),
    event_type: Type.String(),
    ref: textOrNull("Your name of what the event is about, where it has one."),
    happened_at: time("When the event happened."),
    status,
    failed_attempts: Type.Integer({
      minimum: 0,
      description: "Attempts of the schedule that failed.",
    }),
    next_attempt_at: timeOrNull("When it is sent next; null: never."),
    last_attempt_at: timeOrNull("When it was sent last; null: never."),
    last_status: statusOrNull,
    last_error: errorOrNull,
  },
  { $id: "Delivery", ...exactly },
)
export type Delivery = Static<typeof Delivery>

export const DeliveryList = Type.Object(
  {
    deliveries: Type.Array(Type.Unsafe<Delivery>({ $ref: "Delivery#" }), {
      description: "The newest events first.",
    }),
    next: Type.Union([Type.String({ pattern: `^${CURSOR}$` }), Type.Null()], {
      description: "As `before` it asks for the next page; null on the last one.",
    }),
  },
  { $id: "DeliveryList", ...exactly },
)
export type DeliveryList = Static<typeof DeliveryList>

export const DeliveryAttempt = Type.Object(
  {
    at: time("When it ended."),
    cause: words(
      ["schedule", "replay", "test"],
      "`schedule`: its time had come. The others were asked for, are sent once, and count for nothing else.",
    ),
    status: statusOrNull,
    error: errorOrNull,
    duration_ms: Type.Integer({ minimum: 0 }),
    response: textOrNull(
      "The first 1,000 bytes of the answer; null where none came, or the address is not public.",
    ),
  },
  { $id: "DeliveryAttempt", ...exactly },
)
export type DeliveryAttempt = Static<typeof DeliveryAttempt>

export const DeliveryDetails = Type.Object(
  {
    delivery: Type.Unsafe<Delivery>({ $ref: "Delivery#" }),
    attempts: Type.Array(Type.Unsafe<DeliveryAttempt>({ $ref: "DeliveryAttempt#" }), {
      description: "The newest first, at most 100.",
    }),
  },
  { $id: "DeliveryDetails", ...exactly },
)
export type DeliveryDetails = Static<typeof DeliveryDetails>

export const WebhookKeys = Type.Object(
  {
    keys: Type.Array(
      Type.Object(
        {
          kty: Type.Literal("OKP"),
          crv: Type.Literal("Ed25519"),
          x: Type.String(),
          kid: Type.String(),
          use: Type.Literal("sig"),
          alg: Type.Literal("EdDSA"),
        },
        exactly,
      ),
    ),
  },
  { $id: "WebhookKeys", ...exactly },
)
export type WebhookKeys = Static<typeof WebhookKeys>

export const DELIVERIES_LISTED = 50
export const DELIVERIES_LISTED_MAX = 200

export const DeliveryListQuery = Type.Object(
  {
    status: Type.Optional(status),
    before: Type.Optional(
      Type.String({
        pattern: `^${CURSOR}$`,
        description: "`next` of the page before this one.",
      }),
    ),
    limit: Type.Optional(
      Type.String({
        pattern: "^([1-9][0-9]?|1[0-9][0-9]|200)$",
        description: `At most so many, up to ${DELIVERIES_LISTED_MAX}; ${DELIVERIES_LISTED} unless given.`,
      }),
    ),
  },
  exactly,
)
export type DeliveryListQuery = Static<typeof DeliveryListQuery>

export const WebhookParams = Type.Object({
  id: Type.String({ description: "The id of the webhook." }),
})
export const DeliveryParams = Type.Object({
  id: Type.String({ description: "The id of the webhook." }),
  delivery_id: Type.String({ description: "The id of the delivery." }),
})
