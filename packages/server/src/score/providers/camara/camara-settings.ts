import { type Static, Type } from "typebox"
import { PRICE, RANGE, Timeout } from "../provider-kind.ts"
import {
  BASE_URL_OPTIONS,
  exactly,
  FILE,
  TEXT,
  URL_OPTIONS,
} from "../../../settings/settings-file.ts"

const PATH = {
  takes: "a path such as /sim-swap/v2",
  pattern: "^(/[A-Za-z0-9._-]+)+$",
}
const NAME = {
  takes: "1 to 32 of a-z, 0-9 and hyphens",
  pattern: "^[a-z0-9][a-z0-9-]{0,31}$",
}

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

/** An API about a change. Some carriers give the date, others only whether it changed. */
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
      ...BASE_URL_OPTIONS,
      description: "What the paths of its APIs stand under.",
    }),
    token_url: Type.String({ ...URL_OPTIONS, description: "Its OAuth 2 token endpoint." }),
    audience: Type.Optional(
      Type.String({
        takes: "a text of at most 2048 characters",
        maxLength: 2048,
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
    timeout_ms: Timeout,
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

/** Each is asked about the numbers in its own ranges. */
export const CamaraSettings = Type.Array(CarrierSettings, {
  title: "A carrier",
  minItems: 1,
  maxItems: 100,
  description: "Carriers that offer CAMARA APIs. Asked in this order, before Twilio.",
  note: "A call is one request to an API, with two exceptions: where a carrier answers `check` a change is looked for in up to three windows, and a tenure is asked for in up to two steps. Such a call counts with the price of all of them.",
})
