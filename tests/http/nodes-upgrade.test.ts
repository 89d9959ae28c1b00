// An older version and this one serve together, on one PostgreSQL and one cluster, and a node of
// the older one is upgraded. In the soak: running the older one from its sources takes as much of
// the processor as all other faults of several nodes.
import assert from "node:assert/strict"
import { join } from "node:path"
import { test } from "node:test"
import { until } from "../../packages/stores/testing/redis/test-cluster.ts"
import { createKey } from "../cli/assay.ts"
import { olderProgram } from "./older-program.ts"
import { type Service, startNode } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"
import { nodesForFile } from "./three-nodes.ts"

/** With the formats of today: the last commit before changes in a cluster waited for a replica. */
const OLDER = "5d6259ba"
const temporary = temporaryDirectory()
const isSoak = process.env["ASSAY_SOAK"] !== undefined
const program = isSoak ? olderProgram(OLDER, join(temporary, "older")) : null
const nodes =
  program === null
    ? null
    : await nodesForFile(temporary, {
        replicas: true,
        besides: async (number) => (number === 2 ? { program } : {}),
      })
if (program === null) {
  const skip = isSoak ? `commit ${OLDER} is not in the history here` : "npm run soak"
  test("nodes of two versions", { skip }, () => {})
}

if (nodes !== null) {
  const { all, env } = nodes
  const place = { dataDirectory: all[0].dataDirectory, env }
  const key = await createKey(place, "--tenant", "one", "--plan", "enterprise", "--scopes", "all")
  const at = (n: number): Service => all[n % 3] as Service
  const score = async (node: Service, email: string) => {
    const response = await node.request("/api/v1/risk/score", { key, json: { email } })
    const body = (await response.json()) as { risk_score?: number; exposed?: boolean }
    return { status: response.status, id: response.headers.get("x-decision-id"), ...body }
  }
  const assertFound = async (node: Service, id: string | null): Promise<void> => {
    const found = await node.request(`/api/v1/decisions/${id ?? assert.fail()}`, { key })
    assert.equal(found.status, 200)
    assert.equal(((await found.json()) as { reproduced: boolean }).reproduced, true)
  }
  const tell = async (node: Service, email: string, source: string): Promise<void> => {
    const response = await node.request("/api/v1/evidence", {
      key,
      method: "POST",
      headers: { "content-type": "application/x-ndjson" },
      body: JSON.stringify({ email, source, kind: "stealer", observed_at: "2026-06-01" }),
    })
    assert.match(await response.text(), /"stored"/)
  }
  for (const node of all) {
    await until(async () => (await score(node, "nobody@mail.example")).status === 200)
  }

  test("nodes of both versions find each other's decisions, and say the same of what any of them was told", async () => {
    for (let n = 0; n < 3; n++) {
      const { id } = await score(at(n), "ana.silva@mail.example")
      for (const other of [at(n + 1), at(n + 2)]) await assertFound(other, id)
    }
    for (let round = 0; round < 3; round++) {
      for (let n = 0; n < 3; n++) {
        // Each of a source of its own, which changes the catalogue.
        const email = `told-${round}-${n}@mail.example`
        await tell(at(n), email, `source-${round}-${n}`)
        const json = { email, outcome: "fraud_confirmed" }
        const reported = await at(n + 1).request("/api/v1/feedback", { key, json })
        assert.equal(reported.status, 202, await reported.text())
        const said = await Promise.all(all.map((node) => score(node, email)))
        assert.deepEqual(
          said.map(({ exposed }) => exposed),
          [true, true, true],
        )
        assert.equal(new Set(said.map(({ risk_score: risk }) => risk)).size, 1)
      }
    }
  })

  test("an older node that is stopped in order and started as this version goes on with what it had, while the others serve", async () => {
    const older = all[2]
    const before = await score(older, "told-0-0@mail.example")
    let serving = true
    let answered = 0
    const load = [all[0], all[1]].map(async (node) => {
      while (serving) {
        const { status, exposed } = await score(node, "told-0-0@mail.example")
        assert.deepEqual([status, exposed], [200, true])
        answered += 1
      }
    })
    const { dataDirectory } = older
    assert.equal(await older.stop(), 0)
    const newer = await startNode({ dataDirectory, env })
    try {
      assert.equal((await score(newer, "told-0-0@mail.example")).risk_score, before.risk_score)
      for (const node of [newer, all[0]]) await assertFound(node, before.id)
      const { id } = await score(newer, "told-1-1@mail.example")
      await assertFound(all[1], id)
    } finally {
      serving = false
      await Promise.all(load)
      await newer.stop()
    }
    assert.ok(answered > 0)
  })
}
