import { type Static, Type } from "typebox"
import { words } from "./words.ts"

export const SERVICE_PERIODS = ["24h", "7d", "30d", "90d"] as const
export type ServicePeriod = (typeof SERVICE_PERIODS)[number]

/** A single score is answered within this time, in milliseconds. */
export const OBJECTIVE_MS = 200
/** The share of the time that the service answers. */
export const OBJECTIVE_SHARE = 0.999
/** With fewer scores than this no share of them is told. */
export const REQUESTS_MIN = 100

export const ServiceLevelsQuery = Type.Object({
  period: Type.Optional(words(SERVICE_PERIODS, "How far back; `24h` unless given.")),
})

const exactly = { additionalProperties: false }
const moment = (description: string) => Type.String({ format: "date-time", description })
const count = (description: string) => Type.Integer({ minimum: 0, description })
const orNull = (description: string, maximum?: number) =>
  Type.Union(
    [Type.Number({ minimum: 0, ...(maximum !== undefined && { maximum }) }), Type.Null()],
    {
      description,
    },
  )
const ms = (share: string) =>
  orNull(`Milliseconds within which ${share} of single scores were answered; null: too few.`)

/** How well the service answered, as it measured itself. */
export const ServiceLevels = Type.Object(
  {
    period: words(SERVICE_PERIODS, "What was asked for."),
    from: moment("When the period began; by whole hours, quarters of a day or days of UTC."),
    to: moment("When the figures were taken."),
    measured_from: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
      description: "The first hour of the period that was measured; null: none.",
    }),
    availability: Type.Object(
      {
        objective: Type.Number({ description: "What is aimed at." }),
        share: orNull(
          "Of the time that was measured: by the share of requests answered without a fault of the service's own, and nothing while it was down. null: nothing was measured.",
          1,
        ),
        down_seconds: count("How long it did not run although it had not been stopped."),
      },
      exactly,
    ),
    latency: Type.Object(
      {
        objective_ms: Type.Number({ description: "What is aimed at, in milliseconds." }),
        requests_min: count("With fewer scores none of these is told."),
        p50_ms: ms("half"),
        p95_ms: ms("95 %"),
        p99_ms: ms("99 %"),
        within_objective: orNull("The share of single scores that took no longer than that.", 1),
      },
      exactly,
    ),
    points: Type.Array(
      Type.Object(
        {
          from: moment("When this part of the period begins."),
          availability: orNull("As `availability.share`.", 1),
          p95_ms: ms("95 %"),
        },
        exactly,
      ),
      { description: "The same by parts of the period, the oldest first." },
    ),
    counts: Type.Optional(
      Type.Object(
        {
          answered: count("Operations of all callers that were answered, refusals among them."),
          failed: count("Those that failed by the service's own doing."),
          scored: count("Single scores that were answered."),
          measured_seconds: count("How long was measured."),
        },
        { ...exactly, description: "Of all tenants; administrators alone see it." },
      ),
    ),
  },
  { $id: "ServiceLevels", ...exactly },
)
export type ServiceLevels = Static<typeof ServiceLevels>

const Finding = Type.Object(
  {
    name: Type.String({ description: "What was looked at." }),
    state: words(["ok", "warning", "fault"], "`fault`: something does not work."),
    detail: Type.String({ description: "What was found, in a sentence." }),
    remedy: Type.Union([Type.String(), Type.Null()], {
      description: "What to do about it; null where nothing is to be done.",
    }),
  },
  exactly,
)
export type Finding = Static<typeof Finding>

/** What an administrator needs to know of a running service. */
export const ServiceHealth = Type.Object(
  {
    version: Type.String(),
    started_at: moment("When the worker that answers was started."),
    workers: count("Processes that answer requests, by the settings."),
    models: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: "`email` or `phone`." }),
          versions: Type.Array(Type.String(), { description: "Those that are loaded." }),
        },
        exactly,
      ),
    ),
    findings: Type.Array(Finding),
    settings: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          value: Type.String({ description: "Never a secret." }),
          source: words(["environment", "file", "default"], "Where the value comes from."),
          meaning: Type.String(),
        },
        exactly,
      ),
      { description: "Every setting with the value in effect." },
    ),
  },
  { $id: "ServiceHealth", ...exactly },
)
export type ServiceHealth = Static<typeof ServiceHealth>
