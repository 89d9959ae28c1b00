import assert from "node:assert/strict"
import { test } from "node:test"
import { RecordsError } from "@assay/stores/records-error"
import type { Node } from "@assay/stores/records-nodes"
import { openOtherNodes } from "./other-nodes.ts"

const HOUR_MS = 3_600_000
const asked = 100 * HOUR_MS

function node(changes: Partial<Node>): Node {
  return {
    ...{ id: "node_1", host: "a", version: "1.0.0", indexFormat: 3, serves: "{}" },
    ...{ startedAt: 0, seenAt: asked, clockOffMs: 0, foldedAt: asked + 1, leftAt: null },
    ...changes,
  }
}

/** Looked at in turn; the last stays. */
function others(...looks: readonly (readonly Node[])[]) {
  let look = 0
  const records = {
    databaseTime: async () => asked,
    nodes: async () => [...(looks[Math.min(look++, looks.length - 1)] ?? [])],
  }
  return { ...openOtherNodes({ records, patienceMs: 200 }), looks: () => look }
}

test("a decision is waited for until every node has folded past the question", async () => {
  const behind = node({ id: "node_2", foldedAt: asked - 1 })
  const nodes = others([node({}), behind], [node({}), behind], [node({}), node({ id: "node_2" })])
  await nodes.settled(asked)
  assert.equal(nodes.looks(), 3)
})

test("a node that says nothing makes the answer unknown, unless the id is far older", async () => {
  const killed = node({ foldedAt: asked - HOUR_MS })
  const unavailable = (error: unknown): boolean =>
    error instanceof RecordsError && error.code === "unavailable"
  await assert.rejects(others([killed]).settled(asked - HOUR_MS), unavailable)
  await assert.rejects(others([killed]).settled(), unavailable)
  const old = others([killed])
  await old.settled(asked - 2 * HOUR_MS)
  assert.equal(old.looks(), 1)
})

test("a node that was stopped in order is not waited for, and none is where there is none", async () => {
  await others([node({ foldedAt: 0, leftAt: asked - HOUR_MS })]).settled()
  await others([]).settled()
})

test("whoever reads forward stops at the node that is furthest behind, by its own clock", async () => {
  const slow = node({ foldedAt: asked - 5_000, clockOffMs: 60_000 })
  const left = node({ foldedAt: 0, leftAt: asked })
  assert.equal(await others([node({}), slow, left]).through(), asked - 5_000 - 60_000 - 1_000)
  assert.equal(await others([]).through(), Infinity)
})
