import assert from "node:assert/strict"
import { test } from "node:test"
import { openLanes } from "./lanes.ts"

interface Work {
  readonly promise: Promise<string>
  readonly resolve: (value: string) => void
  readonly reject: (reason: Error) => void
}

function work(): Work {
  return Promise.withResolvers<string>()
}

test("no more runs at once than may, the next one starts when one ends, and past the queue nothing is taken", async () => {
  const lanes = openLanes(1, 1)
  const [first, second] = [work(), work()]
  const started: string[] = []
  const run = (name: string, { promise }: Work): Promise<string> | null =>
    lanes.run(() => {
      started.push(name)
      return promise
    })
  const one = run("first", first)
  const two = run("second", second)
  assert.equal(run("third", work()), null)
  assert.deepEqual(started, ["first"])
  first.resolve("done")
  assert.equal(await one, "done")
  second.resolve("done too")
  assert.equal(await two, "done too")
  assert.deepEqual(started, ["first", "second"])
})

test("work that fails gives its turn on", async () => {
  const lanes = openLanes(1, 1)
  const failing = work()
  const first = lanes.run(() => failing.promise)
  const second = lanes.run(async () => "next")
  failing.reject(new Error("away"))
  await assert.rejects(async () => await first)
  assert.equal(await second, "next")
})
