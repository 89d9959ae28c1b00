import type { App } from "../http/app.ts"
import type { Feature } from "../http/feature.ts"
import { ownRoutes } from "./own-routes.ts"
import type { OpenServices, SharedSignalServices } from "./services.ts"
import { openSets, type Sets } from "./sets.ts"
import { standardRoutes } from "./standard-routes.ts"
import { openStreamsWriter, sharedSignalsPort, type StreamKeeper } from "./streams.ts"
import { openTokens, type Tokens } from "./tokens.ts"

/**
 * A transmitter of OpenID Shared Signals. Where the operator has not said at which origin it is
 * reached, the paths of that standard do not exist.
 */
export const sharedSignals: Feature<SharedSignalServices, StreamKeeper> = {
  port: sharedSignalsPort,
  writer: openStreamsWriter,
  routes: sharedSignalRoutes,
}

async function sharedSignalRoutes(
  app: App,
  services: SharedSignalServices,
  keeper: StreamKeeper,
): Promise<void> {
  const opened = openServices(services)
  ownRoutes(app, opened, keeper)
  if (opened !== null) await standardRoutes(app, opened, keeper)
}

function openServices(services: SharedSignalServices): OpenServices | null {
  const { config, sharedSignalRecords: records, secrets, now } = services
  const { callers, limits, eventNews, streams, refusalMs } = services
  const { ssfOrigin: origin } = config
  if (origin === null) return null
  // Opened by the first request: most workers are never asked.
  let sets: Sets | undefined
  let tokens: Tokens | undefined
  return {
    ...{ callers, limits, eventNews, streams, refusalMs, secrets, now, origin, records },
    sets: () => (sets ??= openSets({ records, subkeys: secrets.subkeys, origin, now })),
    tokens: () => (tokens ??= openTokens(secrets.subkeys.request, now)),
  }
}
