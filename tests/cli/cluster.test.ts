import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { testServerOrSkip } from "../../packages/stores/testing/postgres/test-server.ts"
import { openPostgresRecords } from "../../packages/stores/src/postgres/records.ts"
import { until } from "../../packages/stores/testing/redis/test-cluster.ts"
import { startService } from "../http/service.ts"
import { assay } from "./assay.ts"

const directory = mkdtempSync(join(tmpdir(), "assay-cluster-"))
after(() => rmSync(directory, { recursive: true, force: true }))

interface Status {
  readonly nodes: readonly { readonly id: string; readonly state: string }[]
  readonly leases: readonly { readonly name: string; readonly node: string }[]
  readonly database: { readonly state: string }
  readonly index: { readonly state: string }
}

test("cluster status shows a node while it runs, once it is stopped, and until it is forgotten", async (context) => {
  const postgres = await testServerOrSkip(context)
  if (postgres === null) return
  const url = await postgres.createDatabase()
  const env = { DATABASE_URL: url, ASSAY_DATA: join(directory, "data") }
  const status = async (): Promise<Status> =>
    JSON.parse((await assay(["cluster", "status", "--json"], env)).out) as Status
  const service = await startService({ dataDirectory: env.ASSAY_DATA, env })
  await until(async () => (await status()).leases.length > 0)
  const { nodes, leases, database, index } = await status()
  const [node] = nodes
  assert.ok(node)
  assert.equal(nodes.length, 1)
  assert.ok(leases.every((lease) => lease.node === node.id))
  assert.deepEqual([database.state, index.state], ["ok", "own"])
  const { code, out, err } = await assay(["cluster", "status"], env)
  assert.equal(code, 0, err)
  assert.match(out, /^NODE +WHERE +STATE +VERSION +SEEN +DECISIONS BEHIND +CLOCK OFF$/m)
  assert.match(
    out,
    /^node_[0-9a-f]{12} +\S+:\d+ +(running|behind) +\d+\.\d+\.\d+ +\d+ s ago +\d+ s +-?\d+ ms$/m,
  )
  assert.match(out, /^feedback +node_[0-9a-f]{12} +\d+ +\d+ s$/m)
  assert.match(out, /^records +PostgreSQL +ok$/m)

  const metrics = await (await service.request("/metrics", { key: null })).text()
  assert.match(metrics, /^assay_node_leases [1-9]\d*$/m)
  assert.match(metrics, /^assay_node_decisions_behind_seconds \d/m)
  assert.match(metrics, /^assay_node_clock_off_seconds -?\d/m)

  const early = await assay(["cluster", "forget", node.id], env)
  assert.equal(early.code, 1)
  assert.match(early.err, /runs on .*; stop it first/)
  assert.equal(await service.stop(), 0)
  const stopped = await status()
  assert.deepEqual([stopped.nodes[0]?.state, stopped.leases.length], ["stopped", 0])
  const forgotten = await assay(["cluster", "forget", node.id], env)
  assert.equal(forgotten.code, 0, forgotten.err)
  assert.deepEqual((await status()).nodes, [])
  const unknown = await assay(["cluster", "forget", node.id], env)
  assert.match(unknown.err, /There is no node node_/)
  const records = await openPostgresRecords({ url, poolMax: 1 })
  const noted = await records.audit({ limit: 9 })
  await records.close()
  assert.ok(
    noted.some(
      ({ action, subject }) => action === "cluster.forget" && subject === `node:${node.id}`,
    ),
  )

  await postgres.stop()
  const away = await assay(["cluster", "status"], env)
  assert.equal(away.code, 1)
  assert.match(away.out, /^records +PostgreSQL +unavailable$/m)
  assert.doesNotMatch(away.out + away.err, /password/)
})

test("cluster explains itself, and says where there is one node only", async () => {
  const help = await assay(["cluster", "--help"], {})
  assert.match(help.out, /status .*forget <node>/s)
  const { code, err } = await assay(["cluster", "status"], { ASSAY_DATA: join(directory, "one") })
  assert.equal(code, 1)
  assert.match(err, /There is one node/)
})
