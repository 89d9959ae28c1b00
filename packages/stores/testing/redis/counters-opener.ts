import { randomBytes } from "node:crypto"
import { IndexUnavailable } from "../../src/exposure-index.ts"
import { readClusterPlace } from "../../src/redis/cluster-place.ts"
import { type ClusterConnection, openConnection } from "../../src/redis/connection.ts"
import {
  type ClusterCounters,
  clusterCounters,
  type ClusterCountersOptions,
} from "../../src/redis/counters.ts"
import { layoutOf } from "../../src/redis/layout.ts"
import { madeOrNewIndex } from "../../src/redis/making.ts"
import { openMeta } from "../../src/redis/meta.ts"
import type { TestCluster } from "./test-cluster.ts"

const BITS = 4

/** One of the nodes of a service that count together in an index of their own. */
export interface TestCounters extends ClusterCounters {
  /** Counters of another node on the same index. */
  another(changes?: Partial<ClusterCountersOptions>): ClusterCounters
  /** Of the index: begins the names of its keys. */
  readonly name: string
  readonly connection: ClusterConnection
  /** The key of the bucket in whose slot a tenant is counted. */
  bucketOf(tenantId: number): string
}

let indexes = 0

export async function openTestCounters(
  { urls }: TestCluster,
  changes: Partial<ClusterCountersOptions> = {},
): Promise<TestCounters> {
  const place = readClusterPlace(urls)
  if (place === null) throw new Error("the cluster has no URLs")
  const connection = await openConnection({ place, timeoutMs: 10_000 })
  const name = `counted${++indexes}`
  const { mark } = await madeOrNewIndex(connection, openMeta(connection, name), name, BITS)
  const layout = layoutOf(name, BITS)
  const open = (more: Partial<ClusterCountersOptions> = {}): ClusterCounters =>
    clusterCounters({
      connection,
      layout,
      mark,
      node: randomBytes(4).toString("hex"),
      now: Date.now,
      before: { lookups: async () => 0, identities: async () => [] },
      onAdmitted: () => undefined,
      ...changes,
      ...more,
    })
  return {
    ...open(),
    another: open,
    name,
    connection,
    bucketOf(tenantId) {
      const spread = Math.imul(tenantId, 0x9e3779b1) >>> 0
      return layout.bucketKey(Math.floor(spread / (2 ** 32 / layout.buckets)))
    },
  }
}

/** A connection that has every command carried out and, while `deaf`, loses the answers. */
export function losingAnswers(
  connection: ClusterConnection,
  state: { deaf: boolean },
): ClusterConnection {
  return {
    ...connection,
    async send(key, args) {
      const reply = await connection.send(key, args)
      if (state.deaf) throw new IndexUnavailable("The cluster gives no answer in time")
      return reply
    },
  }
}

/** A connection that tells how often it went to the cluster. */
export function countingTrips(
  connection: ClusterConnection,
): ClusterConnection & { trips(): number } {
  let trips = 0
  return {
    send(key, args) {
      trips++
      return connection.send(key, args)
    },
    replicated: {
      send(key, args) {
        trips++
        return connection.replicated.send(key, args)
      },
    },
    hasReplica(key) {
      trips++
      return connection.hasReplica(key)
    },
    sendToMasters(args) {
      trips++
      return connection.sendToMasters(args)
    },
    close: () => connection.close(),
    trips: () => trips,
  }
}
