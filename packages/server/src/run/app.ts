import {
  EmailRiskRequest,
  EmailRiskResult,
  PhoneRiskRequest,
  PhoneRiskResult,
  ProblemDetails,
} from "@assay/core/contract"
import { probeRoutes } from "../health/probes.ts"
import type { App } from "../http/app.ts"
import { passOnUnmatched } from "../http/pass-on.ts"
import { schemaCompilers } from "../http/schema-compilers.ts"
import { scoreRoutes } from "../score/email/routes.ts"
import { telecomRoutes } from "../score/phone/routes.ts"
import { bareApp } from "./bare-app.ts"
import type { Reach, Services } from "./services.ts"

/**
 * The application of a worker. At first it has the routes that score one identity and those that
 * monitoring asks. With the first request for any other, an application that has all routes is
 * opened behind it: making them, and what they load, was a quarter of a worker's start.
 */
export async function buildApp(
  services: Services,
  reach: Reach,
  compilers = schemaCompilers,
): Promise<App> {
  const app = bareApp(services, compilers)
  for (const schema of [
    EmailRiskRequest,
    EmailRiskResult,
    PhoneRiskRequest,
    PhoneRiskResult,
    ProblemDetails,
  ])
    app.addSchema(schema)
  passOnUnmatched(app, async () => {
    const { allRoutes } = await import("./all-routes.ts")
    return await allRoutes(services, reach, compilers)
  })
  probeRoutes(app, services)
  scoreRoutes(app, services)
  telecomRoutes(app, services)
  return app
}
