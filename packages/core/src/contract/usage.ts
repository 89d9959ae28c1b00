import { Type, type Static } from "typebox"

/** The most days one report may cover. */
export const USAGE_DAYS_MAX = 366

/**
 * Two patterns rather than a format: the operation checks whether the day exists, because it can
 * explain what is wrong.
 */
const day = (description: string) =>
  Type.Optional(Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\d$", description }))

export const UsageQuery = Type.Object({
  from: day("First UTC day, YYYY-MM-DD; the first of the month of `to` unless given."),
  to: day(`Last UTC day, included; today unless given. At most ${USAGE_DAYS_MAX} days.`),
})

/** What a tenant's keys were answered, by day. */
export const UsageReport = Type.Object(
  {
    from: Type.String({ format: "date" }),
    to: Type.String({ format: "date" }),
    lookups_per_month: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
      description: "How many lookups the plan has in a UTC month; null without limit.",
    }),
    lookups_left: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
      description:
        "How many of them are left in the present month, some seconds ago; null without limit.",
    }),
    total: Type.Integer({ minimum: 0, description: "Lookups of all the days." }),
    usage: Type.Array(
      Type.Object(
        {
          day: Type.String({ format: "date", description: "UTC day." }),
          key_id: Type.String({ description: "The API key that asked, by its id." }),
          operation: Type.String({
            description: "What was looked up: `email` or `phone`, one by one or in bulk.",
          }),
          count: Type.Integer({ minimum: 0, description: "Lookups that were answered." }),
        },
        { additionalProperties: false },
      ),
      { description: "By day, key and operation; days without lookups are left out." },
    ),
  },
  { $id: "UsageReport", additionalProperties: false },
)
export type UsageReport = Static<typeof UsageReport>
