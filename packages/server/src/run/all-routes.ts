import { setImmediate as turn } from "node:timers/promises"
import { demoApiKey } from "../accounts/api-key.ts"
import type { App } from "../http/app.ts"
import { describeApi } from "../http/api-description.ts"
import type { SchemaCompilers } from "../http/schema-compilers.ts"
import { refuseMethods } from "../http/refuse-methods.ts"
import { bareApp } from "./bare-app.ts"
import { type AnyFeature, features } from "./features.ts"
import type { Reach, Services } from "./services.ts"

/**
 * The application with every route of every feature, which is not ready yet. A worker makes it
 * while it scores for others, so they get a turn between features.
 */
export async function allRoutes(
  services: Services,
  reach: Reach,
  compilers: SchemaCompilers,
): Promise<App> {
  const app = bareApp(services, compilers)
  await describeApi(app, () =>
    services.config.production ? null : demoApiKey(services.secrets.subkeys["demo-key"], "page"),
  )
  refuseMethods(app, () => bareApp(services, compilers))
  for (const feature of features as readonly AnyFeature[]) {
    await feature.routes(app, services, feature.port && reach(feature.port))
    await turn()
  }
  return app
}
