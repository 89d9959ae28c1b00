import { after, test } from "node:test"
import { startTestCluster, type TestCluster } from "./test-cluster.ts"

/**
 * A cluster for the tests of a file; null without Valkey or Redis, which is then reported, and in
 * CI is a failure.
 */
export async function clusterForFile(
  options: Parameters<typeof startTestCluster>[0] = {},
): Promise<TestCluster | null> {
  try {
    const cluster = await startTestCluster(options)
    after(() => cluster.stop())
    return cluster
  } catch (error) {
    if (process.env["CI"] === "true") throw error
    test("redis", { skip: `neither Valkey nor Redis on this machine: ${String(error)}` }, () => {})
    return null
  }
}
