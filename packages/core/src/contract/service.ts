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

export const REQUEST_KINDS = ["score", "api", "pages"] as const
/** What a request was for, as the error budget counts it. */
export type RequestKind = (typeof REQUEST_KINDS)[number]

export const ErrorBudgetQuery = Type.Object({
  month: Type.Optional(
    Type.String({
      pattern: "^20[0-9]{2}-(0[1-9]|1[0-2])$",
      description: "A month of UTC such as `2026-11`; the present one unless given.",
    }),
  ),
})

const share = orNull("The share of requests that were good; null: there were none.", 1)
const requestCounts = {
  total: count("Requests that count."),
  good: count("Those that were answered with a status below 500."),
  failed: count("The others."),
}
const times = {
  running_seconds: count("How long it noted that it ran."),
  not_running_seconds: count(
    "The rest of the time: nobody can know what was asked in it, and none of it counts as good.",
  ),
}

/** How many requests of a month failed, and how many may, as the service counted itself. */
export const ErrorBudget = Type.Object(
  {
    month: Type.String({ description: "A month of UTC." }),
    from: moment("When the month began."),
    to: moment("When the figures were taken, or when the month ended."),
    measured_from: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
      description: "Since when requests of the month were counted; null: none of it was.",
    }),
    objective: Type.Number({ description: "The share of requests that is to be good." }),
    requests: Type.Object(requestCounts, exactly),
    availability: share,
    budget: Type.Object(
      {
        allowed: count("How many of the requests so far may have failed."),
        left: Type.Union([Type.Number({ maximum: 1 }), Type.Null()], {
          description:
            "The share of the budget that is left; below 0: more failed than may. null: there were no requests.",
        }),
      },
      exactly,
    ),
    running: Type.Object(
      {
        ...times,
        down_seconds: count(
          "Of `not_running_seconds`: without having been stopped. Known once it runs again.",
        ),
        share: orNull("The share of the time that it ran; null: nothing was measured.", 1),
      },
      exactly,
    ),
    burn: Type.Array(
      Type.Object(
        {
          hours: Type.Integer({ description: "How far back." }),
          ...requestCounts,
          rate: orNull(
            "How fast the budget is spent: at 1 it lasts a month exactly. null: no requests.",
          ),
        },
        exactly,
      ),
      { description: "Up to now, the shortest first; empty for a month that is over." },
    ),
    kinds: Type.Array(
      Type.Object(
        {
          kind: words(
            REQUEST_KINDS,
            "`score`: single scores and batches. `api`: every other operation. `pages`: pages and their files.",
          ),
          ...requestCounts,
          availability: share,
        },
        exactly,
      ),
    ),
    days: Type.Array(
      Type.Object(
        {
          day: Type.String({ format: "date", description: "A day of UTC." }),
          ...requestCounts,
          availability: share,
          ...times,
        },
        exactly,
      ),
      { description: "Every day of the month so far, the first one first." },
    ),
    worst_minutes: Type.Array(
      Type.Object({ at: moment("When the minute began."), ...requestCounts }, exactly),
      {
        description:
          "The minutes of the last 24 hours in which most requests failed, at most ten; empty for a month that is over.",
      },
    ),
  },
  { $id: "ErrorBudget", ...exactly },
)
export type ErrorBudget = Static<typeof ErrorBudget>

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
