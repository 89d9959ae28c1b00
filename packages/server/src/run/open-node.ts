import { hostname } from "node:os"
import type { Log } from "@assay/runtime/log"
import { CLUSTER_INDEX_FORMAT, INDEX_FORMAT } from "@assay/stores/exposure-index"
import type { CountersPlace } from "@assay/stores/open/open-counters"
import { recordsAreShared } from "@assay/stores/open/open-database"
import { indexAt } from "@assay/stores/open/open-index"
import { RecordsError } from "@assay/stores/records-error"
import type { Records } from "@assay/stores/records"
import type { Config } from "../base/config.ts"
import { VERSION } from "../base/version.ts"
import { aloneTurns } from "../http/alone-turns.ts"
import type { NodeTurns } from "../http/feature.ts"
import { type Membership, openMembership } from "./membership.ts"
import { nodeIdIn } from "./node-id.ts"
import { openNodeTurns } from "./node-turns.ts"

/** This service among those that share its records. */
export interface OwnNode extends Omit<Membership, "figures"> {
  readonly turns: NodeTurns
  /** Its registry, as JSON; null where there is one node. */
  metrics(segmentsLacking: number | null): Promise<object | null>
}

interface NodeOptions {
  readonly config: Pick<Config, "port" | "workers" | "drop" | "host" | "nodePort" | "nodeAddress"> &
    CountersPlace
  readonly records: Records
  /** The data directory, which holds the name of the node. */
  readonly directory: string
  readonly log: Log
}

/** Records in files are one service's own, which then tells nobody of itself. */
export async function openNode({ config, records, directory, log }: NodeOptions): Promise<OwnNode> {
  if (!recordsAreShared(config)) {
    return {
      now: Date.now,
      noting: async (fold) => await fold(),
      leave: async () => undefined,
      metrics: async () => null,
      turns: aloneTurns(records),
    }
  }
  const id = nodeIdIn(directory)
  const { port, workers, drop } = config
  const isShared = indexAt(config).files === null
  const membership = await openMembership({
    records,
    facts: {
      id,
      host: hostname(),
      version: VERSION,
      indexFormat: isShared ? CLUSTER_INDEX_FORMAT : INDEX_FORMAT,
      serves: JSON.stringify({
        port,
        workers,
        drop: drop.on,
        index: isShared ? "shared" : "own",
        segments: segmentsAddress(config),
      }),
      startedAt: Date.now(),
    },
    now: Date.now,
    log,
  })
  const turns = openNodeTurns({ records, holder: id, log })
  return {
    now: membership.now,
    noting: membership.noting,
    turns,
    async metrics(segmentsLacking) {
      // Loaded when first asked for: not every start is scraped.
      const { nodeMetrics } = await import("./node-metrics.ts")
      return await nodeMetrics({ ...membership.figures(), leases: turns.count(), segmentsLacking })
    },
    async leave() {
      await turns.release()
      await membership.leave()
    },
  }
}

/** The addresses that mean all those of a machine. */
const ALL_ADDRESSES: ReadonlySet<string> = new Set(["0.0.0.0", "::"])

/** Where other nodes get segments of this one. */
function segmentsAddress({
  host,
  nodePort: port,
  nodeAddress,
}: NodeOptions["config"]): { readonly host: string; readonly port: number } | null {
  if (port === null) return null
  const own = host ?? "127.0.0.1"
  return { host: nodeAddress ?? (ALL_ADDRESSES.has(own) ? hostname() : own), port }
}

/** Nodes that start at once may make the same tenant or key; all but one then find it. */
export async function unlessFirst<T>(make: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await make()
    } catch (error) {
      const isTaken = error instanceof RecordsError && TAKEN.has(error.code)
      if (!isTaken || tries === TRIES_MAX) throw error
    }
  }
}

const TAKEN: ReadonlySet<string> = new Set(["name-taken", "key-taken"])
const TRIES_MAX = 10
