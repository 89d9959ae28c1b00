import assert from "node:assert/strict"
import { test } from "node:test"
import { everyStep } from "./every-step.ts"

test("every step is taken in order whatever fails before it, and the first fault is thrown at the end", async () => {
  const taken: string[] = []
  const heard: unknown[] = []
  const first = new Error("first")
  const second = new Error("second")
  const steps = [
    () => void taken.push("a"),
    () => {
      taken.push("b")
      throw first
    },
    async () => {
      await Promise.resolve()
      taken.push("c")
      throw second
    },
    async () => void taken.push("d"),
  ]
  await assert.rejects(
    everyStep(steps, (error) => {
      heard.push(error)
      taken.push("heard")
    }),
    first,
  )
  assert.deepEqual(taken, ["a", "b", "heard", "c", "heard", "d"])
  assert.deepEqual(heard, [first, second])
})
