import { type Static, Type } from "typebox"
import { BUDGET_MS, TIMEOUT_MS } from "./provider-limits.ts"

// A misspelt member must not pass for the default it hides.
const exactly = { additionalProperties: false }

// `takes` says of a text what it may be, to a person who got it wrong; other kinds are told by what
// the schema has anyway. Every member also has a description, for the reference page.
export const URL_TAKES =
  "an https:// URL without user, query or fragment (http:// only on this machine)"
const URL_OPTIONS = { takes: URL_TAKES, maxLength: 2048 }
const FILE = { takes: "a file, from the folder of the settings", minLength: 1 }
const TEXT = { takes: "a text of 1 to 256 characters", minLength: 1, maxLength: 256 }
const PATH = {
  takes: "a path such as /sim-swap/v2",
  pattern: "^(/[A-Za-z0-9._-]+)+$",
}
const NAME = {
  takes: "1 to 32 of a-z, 0-9 and hyphens",
  pattern: "^[a-z0-9][a-z0-9-]{0,31}$",
}
const RANGE = {
  takes: "+ and 1 to 15 digits",
  pattern: "^\\+[1-9][0-9]{0,14}$",
}
const TIMEOUT = { minimum: 50, maximum: 30_000, default: TIMEOUT_MS }
const PRICE = { minimum: 0, maximum: 1_000 }
const CAP = { minimum: 0, maximum: 1_000_000_000 }

const Price = Type.Number({
  ...PRICE,
  description: "What one request to the API costs, in whatever unit the caps are in.",
})
const ApiPath = Type.Optional(
  Type.String({
    ...PATH,
    description: "Where the API is under `base_url`. Without it: where CAMARA puts it.",
  }),
)

/** An API that answers in one way. */
const api = (description: string) =>
  Type.Optional(Type.Object({ price: Price, path: ApiPath }, { ...exactly, description }))

/** An API about a change, of which carriers tell more or less. */
const changeApi = (description: string) =>
  Type.Optional(
    Type.Object(
      {
        price: Price,
        path: ApiPath,
        answers: Type.Union([Type.Literal("date"), Type.Literal("check")], {
          description: "`date`: the carrier tells when. `check`: only whether, in a window.",
        }),
        max_age_hours: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: 2_400,
            description:
              "The longest window the carrier may look back, where law or contract sets one.",
          }),
        ),
      },
      { ...exactly, description },
    ),
  )

/** One carrier that offers CAMARA APIs. */
export const CarrierSettings = Type.Object(
  {
    name: Type.String({
      ...NAME,
      description: "Makes the id `camara:NAME` that explanations, metrics and costs have.",
    }),
    ranges: Type.Array(Type.String(RANGE), {
      minItems: 1,
      description:
        "Beginnings of the numbers it is asked about, in E.164. Of several carriers the one with the longest that fits is asked.",
    }),
    base_url: Type.String({
      ...URL_OPTIONS,
      description: "What the paths of its APIs stand under.",
    }),
    token_url: Type.String({ ...URL_OPTIONS, description: "Its OAuth 2 token endpoint." }),
    audience: Type.Optional(
      Type.String({
        ...URL_OPTIONS,
        takes: "a text of at most 2048 characters",
        description: "What the token endpoint calls itself. Without it: `token_url`.",
      }),
    ),
    client_id: Type.String({ ...TEXT, description: "The id this service is registered under." }),
    private_key_file: Type.String({
      ...FILE,
      description:
        "The private key whose public part the carrier has: PKCS #8 in PEM, or a JWK. On P-256, or RSA with 2048 bits or more.",
    }),
    key_id: Type.Optional(
      Type.String({
        ...TEXT,
        description: "The key's id at the carrier. Without it: that of the JWK, if it has one.",
      }),
    ),
    algorithm: Type.Optional(
      Type.Union([Type.Literal("ES256"), Type.Literal("PS256"), Type.Literal("RS256")], {
        description:
          "How requests for tokens are signed. Without it: ES256 or RS256, as the key allows.",
      }),
    ),
    purpose: Type.Optional(
      Type.String({
        ...TEXT,
        description:
          "CAMARA's purpose, such as `dpv:FraudPreventionAndDetection`; put before the scopes.",
      }),
    ),
    timeout_ms: Type.Optional(
      Type.Integer({ ...TIMEOUT, description: "Time in milliseconds a call has to be answered." }),
    ),
    apis: Type.Object(
      {
        sim_swap: changeApi("When the SIM last changed."),
        device_swap: changeApi("When the number last moved to another device."),
        number_recycling: api(
          "Whether the number went to somebody else since a date; asked only where the request gives one.",
        ),
        call_forwarding: api("Whether all calls are forwarded."),
        reachability: api("Whether the handset can be reached."),
        roaming: api("Whether the handset is abroad, and where."),
        tenure: api("For how long the subscriber has had the number, and the kind of contract."),
        subscription_status: api("Whether the subscription is active."),
      },
      {
        ...exactly,
        description:
          "The APIs that are asked. One that is left out is not asked; none at all only with `notification_token_file`.",
      },
    ),
    notification_token_file: Type.Optional(
      Type.String({
        ...FILE,
        description:
          "The bearer token the carrier sends its notifications with. Without it none are taken from it.",
      }),
    ),
  },
  exactly,
)
export type CarrierSettings = Static<typeof CarrierSettings>

export const TWILIO_FIELDS = [
  "line_type_intelligence",
  "sim_swap",
  "call_forwarding",
  "reassigned_number",
  "line_status",
] as const
export type TwilioField = (typeof TWILIO_FIELDS)[number]

const field = (description: string) => Type.Optional(Type.Number({ ...PRICE, description }))

export const TwilioSettings = Type.Object(
  {
    base_url: Type.Optional(
      Type.String({
        ...URL_OPTIONS,
        default: "https://lookups.twilio.com/",
        description: "Where Twilio Lookup is.",
      }),
    ),
    user: Type.String({ ...TEXT, description: "The account's SID, or that of an API key." }),
    password_file: Type.String({
      ...FILE,
      description: "The account's token, or the secret of the API key.",
    }),
    ranges: Type.Optional(
      Type.Array(Type.String(RANGE), {
        minItems: 1,
        description:
          "Only numbers that begin with one of these are sent, in E.164. Without it: every number.",
      }),
    ),
    timeout_ms: Type.Optional(
      Type.Integer({ ...TIMEOUT, description: "Time in milliseconds a call has to be answered." }),
    ),
    fields: Type.Object(
      {
        line_type_intelligence: field("The price of line type and carrier."),
        sim_swap: field("The price of the last change of the SIM."),
        call_forwarding: field("The price of whether all calls are forwarded."),
        reassigned_number: field(
          "The price of whether the number went to somebody else since a date; asked only where the request gives one.",
        ),
        line_status: field("The price of whether the line is active."),
      } satisfies Record<TwilioField, unknown>,
      {
        ...exactly,
        minProperties: 1,
        description:
          "The fields that are asked for, each with what it costs in whatever unit the caps are in.",
      },
    ),
  },
  { ...exactly, description: "Twilio Lookup v2, asked for what no carrier answered." },
)
export type TwilioSettings = Static<typeof TwilioSettings>

/** Who is asked about phone numbers, and what that may cost. */
export const ProviderSettings = Type.Object(
  {
    budget_ms: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2_000,
        default: BUDGET_MS,
        description:
          "Time in milliseconds an answer waits for all providers together. What comes later is there for the next request.",
      }),
    ),
    daily_cap: Type.Number({
      ...CAP,
      description:
        "The most that is spent in a UTC day for all tenants together, in whatever unit the prices are in.",
    }),
    tenant_daily_cap: Type.Number({
      ...CAP,
      description:
        "The most that is spent in a UTC day for one tenant, unless `provider_daily_cap` is set for it.",
    }),
    camara: Type.Optional(
      Type.Array(CarrierSettings, {
        minItems: 1,
        maxItems: 100,
        description: "Carriers that offer CAMARA APIs. Asked in this order, before Twilio.",
      }),
    ),
    twilio: Type.Optional(TwilioSettings),
  },
  exactly,
)
export type ProviderSettings = Static<typeof ProviderSettings>
