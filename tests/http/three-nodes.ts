// Three services that share PostgreSQL and a cluster, as processes of this machine.
import { writeFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { after, test } from "node:test"
import type { ExposureIndex } from "../../packages/stores/src/exposure-index.ts"
import { openIndex } from "../../packages/stores/src/open/open-index.ts"
import { openPostgresRecords } from "../../packages/stores/src/postgres/records.ts"
import type { Records } from "../../packages/stores/src/records.ts"
import { lastingPort } from "../../packages/stores/testing/free-port.ts"
import {
  startTestServer,
  type TestServer,
} from "../../packages/stores/testing/postgres/test-server.ts"
import {
  startTestCluster,
  type TestCluster,
} from "../../packages/stores/testing/redis/test-cluster.ts"
import { type Service, type ServiceOptions, startNode } from "./service.ts"

export interface Nodes {
  readonly all: readonly [Service, Service, Service]
  readonly env: Readonly<Record<string, string>>
  readonly postgres: TestServer
  readonly cluster: TestCluster
  /** What all of them write to, read beside them. */
  readonly records: Records
  readonly index: ExposureIndex
  /** Starts a node that was killed, on the same data directory and port. */
  restart(number: 0 | 1 | 2): Promise<Service>
  /** The name by which the others know a node. */
  idOf(number: 0 | 1 | 2): Promise<string>
}

export const BUCKET_BITS = 6

export interface NodesOptions {
  /** Whether each primary of the cluster has a replica. */
  readonly replicas?: boolean
  /** After how long without a word the cluster takes one of its nodes for dead. */
  readonly nodeTimeoutMs?: number
  /** What a node is started with besides. */
  readonly besides?: (
    number: number,
    engines: { readonly postgresUrl: string; readonly clusterUrls: string },
  ) => Promise<Pick<ServiceOptions, "env" | "nodeFlags" | "dataDirectory" | "program">>
}

/** The nodes for the tests of a file; null where an engine is missing, which is then reported. */
export async function nodesForFile(
  temporary: string,
  options: NodesOptions = {},
): Promise<Nodes | null> {
  try {
    return await startNodes(temporary, options)
  } catch (error) {
    if (process.env["CI"] === "true" || !isMissing(error)) throw error
    test("nodes", { skip: `an engine is missing on this machine: ${String(error)}` }, () => {})
    return null
  }
}

/** No program of that name, or one that did not start. */
function isMissing(error: unknown): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: string }
  return code === "ENOENT" || message?.startsWith("PostgreSQL did not start") === true
}

async function startNodes(
  temporary: string,
  { replicas = false, nodeTimeoutMs, besides = async () => ({}) }: NodesOptions,
): Promise<Nodes> {
  const postgres = await startTestServer()
  after(() => postgres.stop())
  const cluster = await startTestCluster({ replicas, ...(nodeTimeoutMs && { nodeTimeoutMs }) })
  after(() => cluster.stop())
  const url = await postgres.createDatabase()
  const secret = join(temporary, "secret")
  writeFileSync(secret, `${"3c".repeat(32)}\n`, { mode: 0o600 })
  const env = {
    DATABASE_URL: url,
    ASSAY_INDEX_URL: cluster.urls,
    ASSAY_INDEX_BUCKET_BITS: String(BUCKET_BITS),
    ASSAY_INDEX_TIMEOUT_MS: "10000",
    ASSAY_SECRET_FILE: secret,
  }
  const ports = [await lastingPort(), await lastingPort(), await lastingPort()]
  const engines = { postgresUrl: url, clusterUrls: cluster.urls }
  const more = await Promise.all([0, 1, 2].map((number) => besides(number, engines)))
  const start = async (number: number): Promise<Service> =>
    await startNode({
      dataDirectory: join(temporary, `node-${number}`),
      ...more[number],
      env: { ...env, PORT: String(ports[number]), ...more[number]?.env },
    })
  // The first one makes the tables and the index; the others find them.
  const first = await start(0)
  const [second, third] = await Promise.all([start(1), start(2)])
  const all: [Service, Service, Service] = [first, second, third]
  const records = await openPostgresRecords({ url, poolMax: 2 })
  const place = { dataDirectory: join(temporary, "beside"), indexUrl: cluster.urls }
  const index = await openIndex(
    { ...place, indexName: "assay", indexBucketBits: BUCKET_BITS, indexTimeoutMs: 10_000 },
    { readOnly: true },
  )
  after(() =>
    Promise.allSettled([...all.map((node) => node.stop()), records.close(), index.close()]),
  )
  return {
    all,
    env,
    postgres,
    cluster,
    records,
    index,
    async restart(number) {
      return (all[number] = await start(number))
    },
    async idOf(number) {
      const { dataDirectory } = all[number]
      const text = await readFile(join(dataDirectory, "node.json"), "utf8")
      return (JSON.parse(text) as { readonly id: string }).id
    },
  }
}
