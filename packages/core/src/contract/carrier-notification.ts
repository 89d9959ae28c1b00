import { Type, type Static } from "typebox"
import { words } from "./words.ts"

/**
 * A CloudEvent of CAMARA's SIM-swap subscriptions, in structured mode. `time` and the number have
 * only a type here: the rules for them refuse with a reason, which a pattern would not give.
 */
export const CarrierNotification = Type.Object(
  {
    specversion: {
      ...words(["1.0"], "The version of CloudEvents."),
      examples: ["1.0"],
    },
    id: Type.String({
      minLength: 1,
      maxLength: 256,
      description:
        "With `source` it names the notification: one that is sent again changes nothing.",
      examples: ["7d2f6a54-7f0e-4a4b-9f0c-0c6b5b0f5a11"],
    }),
    source: Type.String({
      minLength: 1,
      maxLength: 2048,
      description: "What sends it.",
      examples: ["https://notifications.carrier.example"],
    }),
    type: Type.String({
      minLength: 1,
      maxLength: 256,
      description:
        "`org.camaraproject.sim-swap-subscriptions.v0.swapped` becomes evidence; other types are acknowledged and change nothing.",
      examples: ["org.camaraproject.sim-swap-subscriptions.v0.swapped"],
    }),
    time: Type.String({
      description:
        "When the SIM changed, RFC 3339; not before 1990 and at most an hour ahead. Kept by hour.",
      examples: ["2026-11-14T09:30:00Z"],
    }),
    datacontenttype: Type.Optional(words(["application/json"], "The form of `data`.")),
    data: Type.Optional(
      Type.Object(
        {
          phoneNumber: Type.Optional(
            Type.String({
              description:
                "The number whose SIM changed, in E.164; must be there where one did, and in the carrier's ranges.",
            }),
          ),
        },
        {
          description: "What the type of the notification says.",
          examples: [{ phoneNumber: "+447700900123", subscriptionId: "qs15-h556-rt89-1298" }],
        },
      ),
    ),
  },
  { $id: "CarrierNotification", description: "Unknown members are ignored." },
)
export type CarrierNotification = Static<typeof CarrierNotification>
