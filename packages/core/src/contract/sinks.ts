import { type Static, Type } from "typebox"

const exactly = { additionalProperties: false }
const moment = Type.String({ format: "date-time" })

export const SinkState = Type.Object(
  {
    name: Type.String({ description: "As the settings name it." }),
    kind: Type.String({ description: "Of the receiver, such as `splunk`." }),
    behind: Type.Integer({
      minimum: 0,
      description: "Events that it does not have yet, counted up to 100,000.",
    }),
    lag_seconds: Type.Integer({
      minimum: 0,
      description: "Age of the oldest event that it does not have yet; 0: it has all.",
    }),
    last_taken_at: Type.Union([moment, Type.Null()], {
      description: "When it last took events, or began to; null: it has not begun.",
    }),
    fault: Type.Union(
      [
        Type.Object(
          {
            at: Type.String({ format: "date-time", description: "Of the last attempt." }),
            code: Type.String({ description: "Such as `timed-out` or `answered-503`." }),
          },
          exactly,
        ),
        Type.Null(),
      ],
      { description: "Why the last attempt failed; null: it did not." },
    ),
    sent_elsewhere: Type.Boolean({
      description: "Another service on the same database sends to it, and knows its faults.",
    }),
  },
  exactly,
)
export type SinkState = Static<typeof SinkState>

export const SinkList = Type.Object(
  { sinks: Type.Array(SinkState, { description: "In the order of the settings." }) },
  { $id: "SinkList", ...exactly },
)
export type SinkList = Static<typeof SinkList>

export const SinkParams = Type.Object({
  name: Type.String({ description: "The name of the sink." }),
})

export const SinkTestResult = Type.Object(
  {
    event_id: Type.String({ description: "The id that the receiver finds it by." }),
    fault: Type.Union([Type.String(), Type.Null()], {
      description: "Why it was not taken, as a code; null: it was.",
    }),
    duration_ms: Type.Integer({ minimum: 0, description: "How long it took." }),
  },
  { $id: "SinkTestResult", ...exactly },
)
export type SinkTestResult = Static<typeof SinkTestResult>
