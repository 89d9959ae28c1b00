import { type Static, Type } from "typebox"
import { PRICE, RANGE, Timeout } from "../provider-kind.ts"
import { BASE_URL_OPTIONS, exactly, FILE, TEXT } from "../../../settings/settings-file.ts"

export type TwilioField =
  | "line_type_intelligence"
  | "sim_swap"
  | "call_forwarding"
  | "reassigned_number"
  | "line_status"

const field = (description: string) => Type.Optional(Type.Number({ ...PRICE, description }))

export const TwilioSettings = Type.Object(
  {
    base_url: Type.Optional(
      Type.String({
        ...BASE_URL_OPTIONS,
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
    timeout_ms: Timeout,
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
  {
    ...exactly,
    title: "Twilio",
    description: "Twilio Lookup v2, asked for what no carrier answered.",
  },
)
export type TwilioSettings = Static<typeof TwilioSettings>
