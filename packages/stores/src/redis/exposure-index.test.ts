import { exposureIndexSuite } from "../../testing/exposure-index-suite.ts"
import type { ExposureIndex } from "../exposure-index.ts"
import { alterStored } from "../../testing/redis/alter-stored-suite.ts"
import { clusterForFile } from "../../testing/redis/cluster-suite.ts"

const cluster = await clusterForFile()
if (cluster !== null) {
  const opener = new URL(
    `../../testing/redis/suite-opener.ts?cluster=${cluster.urls}`,
    import.meta.url,
  )
  const { open } = (await import(opener.href)) as {
    open: (directory: string) => Promise<ExposureIndex>
  }
  const identities = process.env["ASSAY_SOAK"] === undefined ? 6_000 : 20_000
  exposureIndexSuite("redis", open, opener, alterStored(cluster), identities)
}
