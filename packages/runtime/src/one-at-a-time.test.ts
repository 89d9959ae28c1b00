import assert from "node:assert/strict"
import { test } from "node:test"
import { oneAtATime } from "./one-at-a-time.ts"

test("calls during a run share the next one, and a failed run is only its callers'", async () => {
  const begun: PromiseWithResolvers<number>[] = []
  const call = oneAtATime(() => {
    const run = Promise.withResolvers<number>()
    begun.push(run)
    return run.promise
  })
  const first = call()
  await Promise.resolve()
  const [second, third] = [call(), call()]
  assert.equal(begun.length, 1)
  begun[0]?.reject(new Error("once"))
  await assert.rejects(first, /once/)
  await new Promise(setImmediate)
  assert.equal(begun.length, 2)
  begun[1]?.resolve(7)
  assert.deepEqual(await Promise.all([second, third]), [7, 7])
  await new Promise(setImmediate)
  assert.equal(begun.length, 2)
})
