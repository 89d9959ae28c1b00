import assert from "node:assert/strict"
import { after, test } from "node:test"
import { openLog } from "@assay/runtime/log"
import { clusterForFile } from "../../testing/redis/cluster-suite.ts"
import { until } from "../../testing/redis/test-cluster.ts"
import type { ForgottenIdentities } from "../forgotten-identities.ts"
import { readClusterPlace } from "./cluster-place.ts"
import { openForgottenInCluster } from "./forgotten-identities.ts"
import { metaKey } from "./layout.ts"

const cluster = await clusterForFile()
if (cluster !== null) {
  const place = readClusterPlace(cluster.urls)
  assert.ok(place !== null)
  const opened = async (name: string) => {
    const heard: string[] = []
    const use = {
      onForgotten: async (identity: string) => void heard.push(identity),
      onMissed: async () => void heard.push("all"),
      log: openLog("error"),
    }
    const node: ForgottenIdentities = await openForgottenInCluster(
      { place, name, timeoutMs: 2000 },
      use,
    )
    after(() => node.close())
    return { node, heard }
  }

  test("whom one node forgets all hear of, in order and once, and none that came before them", async () => {
    const one = await opened("forgotten")
    await one.node.tell("aa")
    await until(async () => one.heard.length === 1)
    const two = await opened("forgotten")
    const identities = Array.from({ length: 2500 }, (_, n) => n.toString(16).padStart(32, "0"))
    await Promise.all(identities.map((identity) => one.node.tell(identity)))
    await until(async () => two.heard.length === 2500 && one.heard.length === 2501)
    assert.deepEqual(two.heard, identities)
    assert.deepEqual(one.heard, ["aa", ...identities])
    const place = await cluster.nodeOf(metaKey("forgotten"))
    const ttl = Number(await cluster.nodes[place]?.ask("PTTL", `${metaKey("forgotten")}:forgotten`))
    assert.ok(ttl > 0 && ttl <= 2 * 86_400_000)
  })

  test("a node that could not look forgets all, and what could not be told is told later", async () => {
    const [one, two] = [await opened("missed"), await opened("missed")]
    const node = cluster.nodes[await cluster.nodeOf(metaKey("missed"))]
    await node?.kill()
    await assert.rejects(one.node.tell("bb"))
    await node?.start()
    await until(async () => two.heard.includes("all"))
    await until(async () => {
      await one.node.tell("cc")
      return true
    })
    await until(async () => two.heard.at(-1) === "cc")
    const stream = `${metaKey("missed")}:forgotten`
    assert.match(String(await node?.ask("XRANGE", stream, "-", "+")), /bb/)
  })
}
