import { after, test } from "node:test"
import { exposureIndexSuite } from "../exposure-index-suite.ts"
import type { ExposureIndex } from "../exposure-index.ts"
import { startTestCluster } from "./test-cluster.ts"

const cluster = await startTestCluster().catch((error: unknown) => {
  if (process.env["CI"] === "true") throw error
  return String(error)
})
if (typeof cluster === "string") {
  test("redis", { skip: cluster }, () => {})
} else {
  after(() => cluster.stop())
  const opener = new URL(`suite-opener.ts?cluster=${cluster.urls}`, import.meta.url)
  const { open } = (await import(opener.href)) as {
    open: (directory: string) => Promise<ExposureIndex>
  }
  exposureIndexSuite(
    "redis",
    open,
    opener,
    process.env["ASSAY_SOAK"] === undefined ? 6_000 : 20_000,
  )
}
