import { type Static, Type } from "typebox"
import { readScript, TrialFault } from "./script.ts"

/**
 * The fields of Twilio Lookup that the carrier for trials answers. One request may ask for several.
 */
export const TWILIO_FIELDS = [
  "line_type_intelligence",
  "sim_swap",
  "call_forwarding",
  "reassigned_number",
  "line_status",
] as const
export type TwilioField = (typeof TWILIO_FIELDS)[number]

const exactly = { additionalProperties: false }
const Field = Type.Enum([...TWILIO_FIELDS])

/**
 * What Twilio Lookup knows of a number, and the faults of its answers. A member that is not given
 * is harmless.
 */
export const TwilioScript = Type.Object(
  {
    valid: Type.Optional(Type.Boolean()),
    /** In Twilio's words, such as `nonFixedVoip`; null: not known. */
    type: Type.Optional(Type.Union([Type.String({ maxLength: 64 }), Type.Null()])),
    carrier: Type.Optional(Type.Union([Type.String({ maxLength: 200 }), Type.Null()])),
    sim: Type.Optional(
      Type.Object(
        {
          /** Returned as it stands here, odd dates too. null: nothing is known. */
          changed_at: Type.Union([Type.String({ format: "date-time" }), Type.Null()]),
          /**
           * Hours. Where given, the answer says only whether the SIM changed in that time, and not
           * when.
           */
          period_hours: Type.Optional(Type.Integer({ minimum: 1, maximum: 87_600 })),
        },
        exactly,
      ),
    ),
    /** All calls go elsewhere; null: not known. */
    forwarding: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
    /** The day it went to somebody else; null: it did not. `unknown`: there is no data. */
    reassigned_on: Type.Optional(
      Type.Union([Type.String({ format: "date" }), Type.Literal("unknown"), Type.Null()]),
    ),
    status: Type.Optional(Type.Enum(["active", "reachable", "unreachable", "inactive", "unknown"])),
    /** Fields that are not covered for this number. */
    not_covered: Type.Optional(Type.Array(Field, { maxItems: TWILIO_FIELDS.length })),
    /** Twilio's error codes of single fields. */
    codes: Type.Optional(
      Type.Partial(Type.Record(Field, Type.Integer({ minimum: 1, maximum: 999_999 }))),
    ),
    /** The first that has times left acts on a request. */
    faults: Type.Optional(Type.Array(TrialFault, { maxItems: 32 })),
  },
  exactly,
)
export type TwilioScript = Static<typeof TwilioScript>

/** Throws as `readScript` does. */
export function readTwilioScript(document: unknown): TwilioScript {
  return readScript(TwilioScript, document)
}
