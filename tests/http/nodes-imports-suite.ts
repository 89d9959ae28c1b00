// Imports over HTTP on three nodes: begun at one, asked for and stopped at others, and completed at
// another where the first was killed.
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import type { ImportState } from "@assay/core/contract"
import { combolist, emailAt } from "../cli/corpus.ts"
import { halfSent, imports, isExposed, sends } from "./half-sent.ts"
import { joins, printedToken, signsIn, type Visitor } from "./signed-in.ts"
import type { Nodes } from "./three-nodes.ts"

const ROWS = 5_000
/** Lines of it that are no rows. */
const BROKEN = 5
const ADDRESS = "ada@people.example"

/** On nodes on which nobody has joined yet. The key may score. */
export async function importsSuite(
  { all, restart }: Pick<Nodes, "all" | "restart">,
  key: string,
  temporary: string,
): Promise<void> {
  const list = readFileSync(combolist(join(temporary, "uploaded.txt"), ROWS))
  // The link that was printed last is good.
  await Promise.any(all.map((node) => joins(all[0], printedToken(node), ADDRESS)))
  const people = await Promise.all(all.map((node) => signsIn(node, ADDRESS)))
  const [ada, bob, eve] = people as [Visitor, Visitor, Visitor]

  /** What a node says of the newest import, once it says so. */
  const newest = async (
    as: Visitor,
    isSo: (state: ImportState) => boolean,
  ): Promise<ImportState> => {
    for (;;) {
      const [first] = (await imports(as)).imports
      if (first !== undefined && isSo(first)) return first
      await delay(100)
    }
  }
  const isRunning = ({ state }: ImportState): boolean => state === "running"
  const path = "/api/v1/corpus/imports?source=uploaded&date=2026-01-05"

  test("an import is known to every node while it runs, no other begins, and any of them stops it", async () => {
    const socket = await halfSent(all[0], ada, "halved", list)
    const seen = await newest(
      bob,
      ({ source, phase }) => source === "halved" && phase !== "starting",
    )
    assert.deepEqual([seen.state, seen.from, seen.ended_at], ["running", "upload", null])
    assert.ok(seen.phases.length > 0)
    const refused = await sends(all[1], bob, path, list)
    assert.deepEqual([refused.status, refused.body["code"]], [409, "import-running"])
    const unknown = await eve.send("DELETE", "/api/v1/corpus/imports/imp_000000000000000000000000")
    assert.equal(unknown.status, 404)
    const stopped = await eve.send("DELETE", `/api/v1/corpus/imports/${seen.id}`)
    assert.equal(stopped.status, 200)
    for (const as of people) {
      const state = await newest(as, (each) => !isRunning(each))
      assert.deepEqual([state.id, state.state], [seen.id, "stopped"])
    }
    socket.destroy()
    assert.equal(await isExposed(all[1], emailAt(7), key), false)
  })

  test("one whose node is killed is said to have failed once its lease is over, and another node completes it", async () => {
    const socket = await halfSent(all[0], ada, "uploaded", list)
    const { id } = await newest(bob, ({ source }) => source === "uploaded")
    await all[0].kill()
    socket.destroy()
    const failed = await newest(bob, (each) => !isRunning(each))
    assert.deepEqual([failed.id, failed.state, failed.report], [id, "failed", null])
    assert.equal(failed.detail, "The node that imported is gone")
    assert.ok(failed.ended_at !== null)

    const taken = await sends(all[1], bob, path, list)
    assert.equal(taken.status, 202, JSON.stringify(taken.body))
    const done = await newest(bob, ({ state }) => state === "done")
    assert.notEqual(done.id, id)
    // The other one has it within a second, the list of what was rejected included.
    const told = await newest(eve, (each) => each.id === done.id && !isRunning(each))
    assert.deepEqual({ ...told, watched: null }, { ...done, watched: null })
    assert.deepEqual([told.rejected, told.report?.identities], [BROKEN, ROWS])
    assert.equal(
      told.report?.rejects.reduce((sum, { count }) => sum + count, 0),
      BROKEN,
    )
    assert.equal(await isExposed(all[2], emailAt(7), key), true)

    // Back again it says so itself, and what the others did.
    await restart(0)
    const again = await signsIn(all[0], ADDRESS)
    for (const as of [again, bob]) {
      const listed = (await imports(as)).imports
      assert.deepEqual(listed[0]?.id, done.id)
      const own = listed.find((each) => each.id === id)
      assert.ok(own !== undefined && !isRunning(own))
    }
  })
}
