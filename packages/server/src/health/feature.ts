import { timingSafeEqual } from "node:crypto"
import {
  ErrorBudget,
  ErrorBudgetQuery,
  type Finding,
  ServiceHealth,
  ServiceLevels,
  ServiceLevelsQuery,
  type ServicePeriod,
} from "@assay/core/contract"
import { Type } from "typebox"
import type { App } from "../http/app.ts"
import type { Feature } from "../http/feature.ts"
import type { Config } from "../base/config.ts"
import type { ExposureIndex } from "@assay/stores/exposure-index"
import type { Metrics } from "../base/metrics.ts"
import { failures, FAILURES_OF_READING, named } from "../http/schemas.ts"
import { Problem } from "../base/problem.ts"
import { sha256 } from "@assay/runtime/secrets"

const neverShed = { neverShed: true }

const Status = Type.Object({ status: Type.Literal("ok") })

export interface HealthServices {
  readonly config: Pick<Config, "production" | "metricsToken" | "metricsPort">
  readonly index: Pick<ExposureIndex, "ping">
  /** Reads from the records, or throws. */
  readonly pingRecords: () => Promise<void>
  /** Throws where the index was found damaged when it was last read through. */
  readonly requireSoundIndex: () => void
  readonly metrics: Pick<Metrics, "text">
  /** What the service measured of itself, of all tenants. */
  readonly serviceLevels: (period: ServicePeriod) => Promise<ServiceLevels>
  /** The error budget of a month, of all tenants; the present month unless given. */
  readonly errorBudget: (month?: string) => Promise<ErrorBudget>
  /** What is looked at when an administrator asks; one that throws is a fault. */
  readonly healthChecks: Readonly<Record<string, () => Promise<Omit<Finding, "name">>>>
  /** What does not change while a worker runs. */
  readonly aboutService: Omit<ServiceHealth, "findings">
}

const levelsSchema = {
  operationId: "getServiceLevels",
  summary: "See how well the service answers",
  description:
    "As the service measured itself, for all tenants together. A refusal is an answer; a status of 500 or more is none.",
  tags: ["Operate"],
  security: [{ session: [] }],
  querystring: ServiceLevelsQuery,
  response: {
    200: named(ServiceLevels, "Availability and the times of single scores."),
    ...failures(...FAILURES_OF_READING),
  },
}

const budgetSchema = {
  operationId: "getErrorBudget",
  summary: "See how much of a month's error budget is spent",
  description:
    "Requests of all tenants as the service counted them itself: good is every status below 500, so a refusal is good and a request that was shed is not. Probes of health, scrapes of metrics and paths that nobody offers do not count. What was asked while the service did not run, nobody can know: that time stands apart.",
  tags: ["Operate"],
  security: [{ session: [] }],
  querystring: ErrorBudgetQuery,
  response: {
    200: named(ErrorBudget, "What was asked, what failed, what is left, and when it ran."),
    ...failures(...FAILURES_OF_READING),
  },
}

const healthSchema = {
  operationId: "getServiceHealth",
  summary: "See whether anything is wrong with the service",
  tags: ["Operate"],
  security: [{ session: [] }],
  response: {
    200: named(ServiceHealth, "What was found, and the settings in effect without secrets."),
    ...failures(...FAILURES_OF_READING),
  },
}

export const health: Feature<HealthServices> = { routes: healthRoutes }

function healthRoutes(app: App, services: HealthServices): void {
  const { config, index, pingRecords, requireSoundIndex, metrics } = services
  const live = {
    operationId: "live",
    security: [],
    summary: "Whether the process answers",
    tags: ["Operate"],
    response: { 200: Status, ...failures() },
  }
  app.get("/healthz", { schema: live, config: neverShed }, async () => ({ status: "ok" as const }))

  const ready = {
    operationId: "ready",
    security: [],
    summary: "Whether every required store can be read, and the index was not found damaged",
    tags: ["Operate"],
    response: { 200: Status, ...failures("store-unavailable") },
  }
  app.get("/readyz", { schema: ready, config: neverShed }, async () => {
    await Promise.all([index.ping(), pingRecords()])
    try {
      requireSoundIndex()
    } catch (cause) {
      throw new Problem("store-unavailable", "The index was found damaged.", { cause })
    }
    return { status: "ok" as const }
  })

  app.get("/api/v1/service/levels", { schema: levelsSchema }, async ({ caller, query }) => {
    const { counts, ...levels } = await services.serviceLevels(query.period ?? "24h")
    const isAdministrator = caller.person?.roles.includes("administrator") === true
    return isAdministrator && counts !== undefined ? { ...levels, counts } : levels
  })

  app.get("/api/v1/service/budget", { schema: budgetSchema }, ({ query }) =>
    services.errorBudget(query.month),
  )

  app.get("/api/v1/service/health", { schema: healthSchema }, async () => ({
    ...services.aboutService,
    findings: await Promise.all(
      Object.entries(services.healthChecks).map(async ([name, check]) => ({
        name,
        ...(await check().catch(() => UNKNOWN)),
      })),
    ),
  }))

  if (config.metricsPort !== null) return
  app.get("/metrics", { schema: { hide: true }, config: neverShed }, async (request, reply) => {
    allowMetrics(config, request.headers.authorization)
    return reply.type("text/plain; version=0.0.4; charset=utf-8").send(await metrics.text())
  })
}

/** The error itself may name what administrators need not see, and is no help to them. */
const UNKNOWN = {
  state: "fault",
  detail: "It could not be looked at.",
  remedy: "Look at the log of the service.",
} as const

/**
 * In production metrics need their token; how busy a service is, and with what, is nobody else's
 * business.
 */
function allowMetrics(
  { production, metricsToken }: HealthServices["config"],
  authorization: string | undefined,
): void {
  if (metricsToken === null) {
    if (production) throw new Problem("not-found", "No operation or page has this path.")
    return
  }
  const given = sha256(Buffer.from(authorization ?? ""))
  if (timingSafeEqual(given, sha256(Buffer.from(`Bearer ${metricsToken}`)))) return
  throw new Problem("unauthenticated", "The metrics need their own token.", {
    headers: { "www-authenticate": `Bearer realm="assay metrics"` },
  })
}
