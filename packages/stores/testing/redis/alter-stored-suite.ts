import assert from "node:assert/strict"
import { basename } from "node:path"
import type { AlterStored } from "../exposure-index-damage-suite.ts"
import { layoutOf } from "../../src/redis/layout.ts"
import { SUITE_BITS } from "./suite-opener.ts"
import type { TestCluster } from "./test-cluster.ts"

/**
 * Changes what a bucket of the suite's index has, as an operator with a client of the engine could.
 */
export function alterStored(cluster: TestCluster): AlterStored {
  return async (directory, owner, key, change) => {
    const layout = layoutOf(basename(directory), SUITE_BITS)
    const bucket = layout.bucketKey(layout.bucketOf(key))
    const field = owner === "shared" ? layout.sharedField(key) : layout.tenantField(owner, key)
    const node = cluster.nodes[await cluster.nodeOf(bucket)]
    assert.ok(node !== undefined)
    const escaped = [...field].map((byte) => `\\${byte}`).join("")
    const hex = await node.ask("EVAL", TO_HEX.replace("FIELD", escaped), "1", bucket)
    const changed = [...change(Buffer.from(String(hex), "hex"))].map((byte) => `\\${byte}`).join("")
    await node.ask("EVAL", `redis.call('HSET', KEYS[1], '${escaped}', '${changed}')`, "1", bucket)
  }
}

const TO_HEX = `return (redis.call('HGET', KEYS[1], 'FIELD'):gsub('.', function (c) return string.format('%02x', c:byte()) end))`
