import { readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { type Static, Type } from "typebox"
import { Value } from "typebox/value"
import { readBaseUrl } from "../../outbound/base-url.ts"

// A misspelt member must not pass for the default it hides.
const exactly = { additionalProperties: false }
const Url = Type.String({ maxLength: 2048 })
const File = Type.String({ minLength: 1 })
const Text = Type.String({ minLength: 1, maxLength: 256 })
const TimeoutMs = Type.Integer({ minimum: 50, maximum: 30_000 })
/** For one call, in whatever unit the caps are in. */
const Price = Type.Number({ minimum: 0, maximum: 1_000 })
const Cap = Type.Number({ minimum: 0, maximum: 1_000_000_000 })
/** Beginnings of numbers in E.164. The longest that fits decides. */
const Ranges = Type.Array(Type.String({ pattern: "^\\+[1-9][0-9]{0,14}$" }), { minItems: 1 })

const Path = Type.String({ pattern: "^(/[A-Za-z0-9._-]+)+$" })
const Api = Type.Object({ price: Price, path: Type.Optional(Path) }, exactly)
const ChangeApi = Type.Object(
  {
    price: Price,
    path: Type.Optional(Path),
    /** `date`: the operator tells when. `check`: only whether, in a window. */
    answers: Type.Union([Type.Literal("date"), Type.Literal("check")]),
    /** The longest window the operator may look back, where law or contract sets one. */
    max_age_hours: Type.Optional(Type.Integer({ minimum: 1, maximum: 2400 })),
  },
  exactly,
)

/** One operator that offers CAMARA APIs. */
export const OperatorSettings = Type.Object(
  {
    name: Type.String({ pattern: "^[a-z0-9][a-z0-9-]{0,31}$" }),
    ranges: Ranges,
    base_url: Url,
    token_url: Url,
    /** What the token endpoint calls itself; its URL unless given. */
    audience: Type.Optional(Url),
    client_id: Text,
    /** PKCS #8 in PEM, or a JWK. */
    private_key_file: File,
    key_id: Type.Optional(Text),
    algorithm: Type.Optional(
      Type.Union([Type.Literal("ES256"), Type.Literal("PS256"), Type.Literal("RS256")]),
    ),
    /** CAMARA's purpose, such as `dpv:FraudPreventionAndDetection`; put before the scopes. */
    purpose: Type.Optional(Text),
    timeout_ms: Type.Optional(TimeoutMs),
    apis: Type.Object(
      {
        sim_swap: Type.Optional(ChangeApi),
        device_swap: Type.Optional(ChangeApi),
        number_recycling: Type.Optional(Api),
        call_forwarding: Type.Optional(Api),
        reachability: Type.Optional(Api),
        roaming: Type.Optional(Api),
        tenure: Type.Optional(Api),
        subscription_status: Type.Optional(Api),
      },
      exactly,
    ),
    /** The bearer token the operator sends its notifications with. */
    notification_token_file: Type.Optional(File),
  },
  exactly,
)
export type OperatorSettings = Static<typeof OperatorSettings>

export const TWILIO_FIELDS = [
  "line_type_intelligence",
  "sim_swap",
  "call_forwarding",
  "reassigned_number",
  "line_status",
] as const
export type TwilioField = (typeof TWILIO_FIELDS)[number]

export const TwilioSettings = Type.Object(
  {
    base_url: Type.Optional(Url),
    /** The account's SID, or that of an API key. */
    user: Text,
    password_file: File,
    /** Only numbers that begin with one of these are sent; every number unless given. */
    ranges: Type.Optional(Ranges),
    timeout_ms: Type.Optional(TimeoutMs),
    /** The price of each field that is to be asked for. */
    fields: Type.Object(
      Object.fromEntries(TWILIO_FIELDS.map((field) => [field, Type.Optional(Price)])) as Record<
        TwilioField,
        ReturnType<typeof Type.Optional<typeof Price>>
      >,
      exactly,
    ),
  },
  exactly,
)
export type TwilioSettings = Static<typeof TwilioSettings>

/** Who is asked about phone numbers, and what that may cost. */
export const ProviderSettings = Type.Object(
  {
    /** Time an answer waits for providers. */
    budget_ms: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_000 })),
    daily_cap: Cap,
    tenant_daily_cap: Cap,
    /** Asked in this order, before Twilio. */
    camara: Type.Optional(Type.Array(OperatorSettings, { minItems: 1, maxItems: 100 })),
    twilio: Type.Optional(TwilioSettings),
  },
  exactly,
)
export type ProviderSettings = Static<typeof ProviderSettings>

/** Settings of providers that cannot be used. Names the member, never its value. */
export class ProviderSettingsError extends Error {
  override readonly name = "ProviderSettingsError"
}

/**
 * Reads the file, and checks that all it names can be used. Paths in it are taken from its own folder; every path of what
 * is returned is absolute.
 */
export function readProviderSettings(file: string): ProviderSettings {
  const document = parsed(file)
  if (!Value.Check(ProviderSettings, document)) {
    const [fault] = Value.Errors(ProviderSettings, document)
    const place = fault === undefined || fault.instancePath === "" ? "the top" : fault.instancePath
    throw new ProviderSettingsError(`at ${place}: ${fault?.message ?? "does not fit"}`)
  }
  const here = dirname(resolve(file))
  const { camara, twilio } = document
  const names = camara?.map(({ name }) => name) ?? []
  if (new Set(names).size < names.length)
    throw new ProviderSettingsError("at /camara: two operators have the same name")
  return {
    ...document,
    ...(camara && {
      camara: camara.map((operator, at) => located(operator, here, `/camara/${at}`)),
    }),
    ...(twilio && {
      twilio: {
        ...twilio,
        password_file: readable(twilio.password_file, here, "/twilio/password_file"),
        ...(twilio.base_url !== undefined && {
          base_url: safeUrl(twilio.base_url, "/twilio/base_url"),
        }),
      },
    }),
  }
}

function located(operator: OperatorSettings, here: string, place: string): OperatorSettings {
  const { notification_token_file: token } = operator
  if (readBaseUrl(operator.token_url) === null)
    throw new ProviderSettingsError(`at ${place}/token_url: ${URL_RULE}`)
  return {
    ...operator,
    base_url: safeUrl(operator.base_url, `${place}/base_url`),
    private_key_file: readable(operator.private_key_file, here, `${place}/private_key_file`),
    ...(token !== undefined && {
      notification_token_file: readable(token, here, `${place}/notification_token_file`),
    }),
  }
}

const URL_RULE =
  "takes an https:// URL without user, query or fragment (http:// only on this machine)"

function safeUrl(text: string, place: string): string {
  const url = readBaseUrl(text)
  if (url === null) throw new ProviderSettingsError(`at ${place}: ${URL_RULE}`)
  return url
}

function readable(path: string, here: string, place: string): string {
  const file = resolve(here, path)
  try {
    readFileSync(file)
  } catch {
    throw new ProviderSettingsError(`at ${place}: names a file that cannot be read`)
  }
  return file
}

function parsed(file: string): unknown {
  let text: string
  try {
    text = readFileSync(file, "utf8")
  } catch {
    throw new ProviderSettingsError("the file cannot be read")
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new ProviderSettingsError("the file is not JSON")
  }
}
