import assert from "node:assert/strict"
import { test } from "node:test"
import { clusterForFile } from "@assay/stores/testing/redis/cluster-suite"
import { until } from "@assay/stores/testing/redis/test-cluster"
import { openLog } from "@assay/runtime/log"
import { openSignalCache } from "../score/providers/signal-cache.ts"
import type { SignalResult } from "../score/providers/signals.ts"
import { forgetEverywhere } from "./forget-everywhere.ts"

const result: SignalResult = {
  signal: "active",
  status: "ok",
  source: "test",
  observedAt: "2026-01-01T00:00:00Z",
}

const cluster = await clusterForFile()
if (cluster !== null) {
  test("an identity that one node forgets is forgotten by every node, and nobody else is", async (t) => {
    const place = {
      dataDirectory: "unused",
      databaseUrl: "postgres://shared/records",
      indexUrl: cluster.urls,
      indexName: "assay",
      indexBucketBits: 4,
      indexTimeoutMs: 5000,
    }
    const opened = async () => {
      const cache = openSignalCache(10)
      for (const key of ["a", "b"]) cache.set(key, "1:active", result, 0, 1000)
      const remembering = {
        forget: async (key: string) => cache.forget(key),
        forgetAll: async () => cache.forgetAll(),
      }
      const forgetting = await forgetEverywhere(place, remembering, openLog("error"))
      t.after(() => forgetting.close())
      return { cache, forgetting }
    }
    const [one, two] = [await opened(), await opened()]
    await one.forgetting.forget("a")
    assert.equal(one.cache.get("a", "1:active", 0), undefined)
    await until(async () => two.cache.get("a", "1:active", 0) === undefined)
    for (const { cache } of [one, two]) assert.ok(cache.get("b", "1:active", 0))
  })
}
