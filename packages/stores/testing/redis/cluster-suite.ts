import { after, test } from "node:test"
import { startTestCluster, type TestCluster } from "./test-cluster.ts"

/**
 * A cluster for the tests of a file; null without redis-server, which is then reported, and in CI
 * is a failure.
 */
export async function clusterForFile(): Promise<TestCluster | null> {
  try {
    const cluster = await startTestCluster()
    after(() => cluster.stop())
    return cluster
  } catch (error) {
    if (process.env["CI"] === "true") throw error
    test("redis", { skip: `no redis-server on this machine: ${String(error)}` }, () => {})
    return null
  }
}
