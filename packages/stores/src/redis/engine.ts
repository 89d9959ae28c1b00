import type { IndexEngine } from "../index-place.ts"
import { readClusterPlace } from "./cluster-place.ts"

export const cluster: IndexEngine = {
  takes: "redis:// or rediss:// URLs without path, all with the same user and password",
  at(url) {
    const place = readClusterPlace(url)
    if (place === null) return null
    return {
      // A service with its own index does not load the client of a cluster.
      async open({ indexName: name, indexBucketBits: bucketBits, indexTimeoutMs: timeoutMs }, use) {
        const { openRedisIndex } = await import("./exposure-index.ts")
        return await openRedisIndex({ place, name, bucketBits, timeoutMs, ...use })
      },
      shared: {
        async openCounters({ indexName: name, indexTimeoutMs: timeoutMs }, use) {
          const { openClusterNodeCounters } = await import("./node-counters.ts")
          return await openClusterNodeCounters({ place, name, timeoutMs }, use)
        },
        async openForgotten({ indexName: name, indexTimeoutMs: timeoutMs }, use) {
          const { openForgottenInCluster } = await import("./forgotten-identities.ts")
          return await openForgottenInCluster({ place, name, timeoutMs }, use)
        },
      },
      async advice({ indexTimeoutMs: timeoutMs }) {
        const { clusterAdvice } = await import("./cluster-advice.ts")
        return await clusterAdvice({ place, timeoutMs })
      },
      async members({ indexTimeoutMs: timeoutMs }) {
        const { clusterMembers } = await import("./cluster-members.ts")
        return await clusterMembers({ place, timeoutMs })
      },
    }
  },
}
