import {
  ErrorBudget,
  ErrorBudgetQuery,
  type Finding,
  ServiceHealth,
  ServiceLevels,
  ServiceLevelsQuery,
  type ServicePeriod,
} from "@assay/core/contract"
import type { App } from "../http/app.ts"
import type { Feature } from "../http/feature.ts"
import { failures, FAILURES_OF_READING, named } from "../http/schemas.ts"
import { type ProbeServices, probeRoutes } from "./probes.ts"

export interface HealthServices extends ProbeServices {
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
    "Requests of all tenants as the service counted them itself: good is every status below 500, so a refusal is good and a request that was shed is not. Probes of health, scrapes of metrics and paths that nobody offers do not count. What was asked while the service did not run, nobody can know: that time stands apart. Of several nodes it is the sum, with what others said within the last minute.",
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
  probeRoutes(app, services)

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
}

/** The error itself may name what administrators need not see, and is no help to them. */
const UNKNOWN = {
  state: "fault",
  detail: "It could not be looked at.",
  remedy: "Look at the log of the service.",
} as const
