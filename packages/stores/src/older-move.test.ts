import assert from "node:assert/strict"
import { test } from "node:test"
import { olderMove } from "./older-move.ts"

test("a move that fails is reported and begun again after a minute; one that succeeded never is", async () => {
  let ms = 0
  let moves = 0
  const codes: string[] = []
  const full = Object.assign(new Error("of row 7"), { code: "ERR_SQLITE_ERROR", errstr: "full" })
  const move = olderMove(
    async () => {
      moves++
      if (moves === 1) throw full
    },
    (code) => codes.push(code),
    () => ms,
  )
  move.begin()
  move.begin()
  await move.idle()
  assert.deepEqual(codes, ["full"])

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
  assert.deepEqual(codes, ["full"])
})

test("a failure has the code of its engine, or the name of its class, and never its message", async () => {
  const codes: string[] = []
  for (const error of [
    Object.assign(new Error("secret"), { code: "53100" }),
    new RangeError("x"),
  ]) {
    const move = olderMove(
      async () => Promise.reject(error),
      (code) => codes.push(code),
    )
    move.begin()
    await move.idle()
  }
  assert.deepEqual(codes, ["53100", "RangeError"])
})
