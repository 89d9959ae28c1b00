import assert from "node:assert/strict"
import { test } from "node:test"
import { onceNoted } from "./once-noted.ts"

test("a request that another node is about to note as carried out is answered as the first time", async () => {
  const states = ["running", "running", "done"]
  let asked = 0
  const outcome = await onceNoted(async () => ({ state: states[asked++] ?? "done" }), {
    pauseMs: 1,
  })
  assert.deepEqual([outcome.state, asked], ["done", 3])
})

test("one that goes on is said to be running, after a number of looks", async () => {
  let asked = 0
  const take = async () => {
    asked++
    return { state: "running" }
  }
  assert.equal((await onceNoted(take, { waitMs: 5, pauseMs: 1 })).state, "running")
  assert.equal(asked, 6)
})

test("what is taken or refused is answered at once", async () => {
  for (const state of ["stored", "mismatch"]) {
    let asked = 0
    const take = async () => {
      asked++
      return { state }
    }
    assert.equal((await onceNoted(take)).state, state)
    assert.equal(asked, 1)
  }
})
