import { resolve } from "node:path"
import type { Config } from "../base/config.ts"
import { openDataDirectory } from "@assay/runtime/data-directory"
import { VERSION } from "../base/version.ts"
import { callRunningServer } from "@assay/runtime/control-socket"
import type { WorkerAddress } from "./workers.ts"

/** What a running service says of itself to commands of the same user. */
export interface RunningService {
  readonly version: string
  readonly address: WorkerAddress
  /**
   * The settings it runs with, whatever the environment of the command is. Without keys and tokens.
   */
  readonly config: Config
}

export function describeService(config: Config, address: WorkerAddress): RunningService {
  const { providersFile } = config
  return {
    version: VERSION,
    address,
    config: {
      ...config,
      bootstrapKey: null,
      metricsToken: null,
      // Absolute, since the reading command may run in another folder.
      providersFile: providersFile === null ? null : resolve(providersFile),
    },
  }
}

/** The service that runs on the data directory of `config`; null where none does. */
export async function askRunningService(
  config: Pick<Config, "dataDirectory">,
): Promise<RunningService | null> {
  const { controlSocket } = openDataDirectory(config.dataDirectory)
  const server = await callRunningServer(controlSocket)
  if (server === null) return null
  const described = server.call("describe") as Promise<RunningService>
  return await described.finally(server.close)
}
