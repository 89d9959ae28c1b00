import { type Static, type TSchema, Type } from "typebox"
import { Value } from "typebox/value"
import { invalidArgument } from "./carrier-error.ts"

// A misspelt member must not pass for the default it hides.
const exactly = { additionalProperties: false }
const Moment = Type.String({ format: "date-time" })
const Day = Type.String({ format: "date" })

/**
 * What the trial carrier offers: APIs by the names that the settings of a carrier use, and
 * subscriptions.
 */
const TRIAL_APIS = [
  "sim_swap",
  "device_swap",
  "number_recycling",
  "call_forwarding",
  "reachability",
  "roaming",
  "tenure",
  "subscription_status",
  "subscriptions",
] as const
export type TrialApi = (typeof TRIAL_APIS)[number]

const whichRequests = {
  /** Only in answers of this API; in all of them unless given. */
  api: Type.Optional(Type.Enum([...TRIAL_APIS])),
  /** How many requests the fault lasts; for good unless given. */
  times: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  /** How long an answer takes, whatever it is. */
  latency_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 120_000 })),
}

/** Faults for valid requests. An invalid request is refused as usual. */
export const TrialFault = Type.Union([
  Type.Object({ ...whichRequests, kind: Type.Literal("late") }, exactly),
  Type.Object(
    {
      ...whichRequests,
      kind: Type.Literal("error"),
      status: Type.Integer({ minimum: 400, maximum: 599 }),
      code: Type.String({ pattern: "^[A-Za-z0-9_.]{1,64}$" }),
      retry_after_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400 })),
    },
    exactly,
  ),
  /** A page of some gateway in front of the carrier. */
  Type.Object(
    {
      ...whichRequests,
      kind: Type.Literal("html"),
      status: Type.Integer({ minimum: 200, maximum: 599 }),
    },
    exactly,
  ),
  Type.Object(
    {
      ...whichRequests,
      kind: Type.Enum([
        /** 200 with text that is not JSON. */
        "malformed",
        /** 200 with every member there, of another type. */
        "wrong_types",
        /** 200 with an object that has no members. */
        "empty",
        /** The connection ends in the middle of the answer. */
        "truncated",
        /** The connection ends without an answer. */
        "closed",
        /** 401, and the token is good for nothing from then on. */
        "expired_token",
        /** 200 with a right answer and 256 KiB more. */
        "oversized",
        /** 307 to another place, which would be given the number. */
        "redirect",
      ]),
    },
    exactly,
  ),
])
export type TrialFault = Static<typeof TrialFault>

const ChangeScript = Type.Object(
  {
    /** Returned as it stands here, odd dates too. null: not since the line was activated. */
    changed_at: Type.Optional(Type.Union([Moment, Type.Null()])),
    /**
     * How far back the carrier knows. `unsaid`: it gives no date and does not say how far back it
     * looked.
     */
    history_days: Type.Optional(
      Type.Union([
        Type.Integer({ minimum: 1, maximum: 36_500 }),
        Type.Literal("all"),
        Type.Literal("unsaid"),
      ]),
    ),
    /**
     * The operations there are: a carrier may answer only whether the SIM changed, or only when.
     */
    answers: Type.Optional(Type.Enum(["date", "check", "both"])),
    /** The longest window of a check that law allows. */
    look_back_hours: Type.Optional(Type.Integer({ minimum: 1, maximum: 2400 })),
  },
  exactly,
)

const FORWARDINGS = [
  "unconditional",
  "conditional_busy",
  "conditional_not_reachable",
  "conditional_no_answer",
] as const

/**
 * The facts about the line of a number, and the faults of the carrier's answers. A member that is
 * not given is harmless.
 */
export const LineScript = Type.Object(
  {
    sim: Type.Optional(ChangeScript),
    device: Type.Optional(ChangeScript),
    /** The day the number went to its present subscriber; null: it never had another. */
    recycled_on: Type.Optional(Type.Union([Day, Type.Null()])),
    forwarding: Type.Optional(Type.Array(Type.Enum([...FORWARDINGS]), { maxItems: 4 })),
    /** What the handset can be reached by; nothing: it cannot be reached. */
    reachable_by: Type.Optional(Type.Array(Type.Enum(["DATA", "SMS"]), { maxItems: 2 })),
    /**
     * The country where the line roams: mobile country code and ISO 3166-1 alpha-2. null: it is at
     * home.
     */
    roaming: Type.Optional(
      Type.Union([
        Type.Object(
          {
            mcc: Type.Integer({ minimum: 200, maximum: 799 }),
            countries: Type.Array(Type.String({ pattern: "^[A-Z]{2}$" })),
          },
          exactly,
        ),
        Type.Null(),
      ]),
    ),
    tenure: Type.Optional(
      Type.Object(
        {
          since: Type.Optional(Day),
          /** null: the carrier does not say. */
          contract: Type.Optional(
            Type.Union([Type.Enum(["PAYG", "PAYM", "Business"]), Type.Null()]),
          ),
        },
        exactly,
      ),
    ),
    services: Type.Optional(
      Type.Object(
        {
          voice_sms_in: Type.Optional(Type.Enum(["active", "suspended"])),
          voice_sms_out: Type.Optional(Type.Enum(["active", "suspended"])),
          data: Type.Optional(Type.Enum(["active", "suspended", "throttled"])),
        },
        exactly,
      ),
    ),
    /** The first that fits a request acts on it. */
    faults: Type.Optional(Type.Array(TrialFault, { maxItems: 32 })),
  },
  exactly,
)
export type LineScript = Static<typeof LineScript>

/** What the token endpoint does. */
export const TokenScript = Type.Object(
  {
    lifetime_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 86_400 })),
    faults: Type.Optional(Type.Array(TrialFault, { maxItems: 32 })),
  },
  exactly,
)
export type TokenScript = Static<typeof TokenScript>

export function readLineScript(document: unknown): LineScript {
  return readScript(LineScript, document)
}

export function readTokenScript(document: unknown): TokenScript {
  return readScript(TokenScript, document)
}

/** Throws a CarrierError that names the member the carrier cannot act by, never its value. */
export function readScript<Schema extends TSchema>(
  schema: Schema,
  document: unknown,
): Static<Schema> {
  // Copied, since a script is kept and its giver may go on with the object.
  const script: unknown = structuredClone(document)
  if (Value.Check(schema, script)) return script
  const [fault] = Value.Errors(schema, script)
  const place = fault === undefined || fault.instancePath === "" ? "the top" : fault.instancePath
  throw invalidArgument(`at ${place}: ${fault?.message ?? "does not fit"}`)
}
