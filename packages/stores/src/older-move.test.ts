import assert from "node:assert/strict"
import { test } from "node:test"
import { olderMove } from "./older-move.ts"

test("a move that fails is reported and begun again after a minute; one that succeeded never is", async () => {
  let ms = 0
  let moves = 0
  const faults: unknown[] = []
  const full = new Error("the disk is full")
  const move = olderMove(
    async () => {
      moves++
      if (moves === 1) throw full
    },
    (error) => faults.push(error),
    () => ms,
  )
  move.begin()
  move.begin()
  await move.idle()
  assert.deepEqual(faults, [full])

  ms = 59_999
  move.begin()
  await move.idle()
  assert.equal(moves, 1)

  ms = 60_000
  move.begin()
  await move.idle()
  ms = 600_000
  move.begin()
  await move.idle()
  assert.equal(moves, 2)
  assert.deepEqual(faults, [full])
})
