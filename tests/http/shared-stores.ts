// With ASSAY_TEST_NODES=3 whatever a test of this folder starts is three nodes behind a balancer,
// on one PostgreSQL and one cluster, which the services of a file share as several installations
// would.
import { after } from "node:test"
import type { TestServer } from "../../packages/stores/testing/postgres/test-server.ts"
import type { TestCluster } from "../../packages/stores/testing/redis/test-cluster.ts"

/** How many nodes a service is made of in this run. */
export const testNodes = Number(process.env["ASSAY_TEST_NODES"] ?? "1")
export const severalNodes = testNodes > 1

/** Settings that name the stores of a service; none where they are in its data directory. */
export type StoresEnv = Readonly<Record<string, string>>

interface Engines {
  readonly postgres: TestServer
  readonly cluster: TestCluster
}

let engines: Promise<Engines> | undefined
const places = new Map<string, Promise<StoresEnv>>()
const made = new Map<string, StoresEnv>()

// Set while the module loads, so that it belongs to the file and not to the test that asks first. A
// program that is no test and reaches this file would print that it ran none.
if (severalNodes)
  after(async () => {
    const started = await engines?.catch(() => null)
    await Promise.all([started?.postgres.stop(), started?.cluster.stop()])
  })

/**
 * The stores of the service with this data directory: a database and an index of their own.
 * Commands and tests that work beside the service find them by the same name.
 */
export function storesOf(dataDirectory: string): Promise<StoresEnv> {
  if (!severalNodes) return Promise.resolve({})
  let place = places.get(dataDirectory)
  if (place === undefined) {
    place = newStores(dataDirectory, places.size)
    places.set(dataDirectory, place)
  }
  return place
}

/** The same for a service that was started, for who cannot wait. */
export function storesOfStarted(dataDirectory: string): StoresEnv {
  return made.get(dataDirectory) ?? {}
}

async function newStores(dataDirectory: string, number: number): Promise<StoresEnv> {
  const { postgres, cluster } = await (engines ??= startEngines())
  const stores = {
    DATABASE_URL: await postgres.createDatabase(),
    ASSAY_INDEX_URL: cluster.urls,
    ASSAY_INDEX_NAME: `service-${number}`,
    ASSAY_INDEX_BUCKET_BITS: "6",
    // On a busy machine a node of the cluster may take seconds.
    ASSAY_INDEX_TIMEOUT_MS: "10000",
  }
  made.set(dataDirectory, stores)
  return stores
}

/** What it imports is loaded here alone: nearly every file of this folder reaches this one. */
async function startEngines(): Promise<Engines> {
  const [{ startTestServer }, { startTestCluster }] = await Promise.all([
    import("../../packages/stores/testing/postgres/test-server.ts"),
    import("../../packages/stores/testing/redis/test-cluster.ts"),
  ])
  const [postgres, cluster] = await Promise.all([startTestServer(), startTestCluster()])
  return { postgres, cluster }
}
