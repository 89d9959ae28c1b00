import assert from "node:assert/strict"
import { test } from "node:test"
import { ImportFailure } from "./import-failure.ts"
import { bothDone } from "./side-by-side.ts"

const never = new Promise<never>(() => undefined)
const damaged = new ImportFailure("input", "list.gz is damaged")
const full = new ImportFailure("disk-full", "The disk is full")
const cutShort = new ImportFailure("cut-short", "The stream ended early")
const sorterGone = new ImportFailure("sorter-gone", "The sorter is gone")

test("both results come together", async () => {
  assert.deepEqual(await bothDone(Promise.resolve(1), Promise.resolve(2)), [1, 2])
})

test("when one fails nobody waits for the other", async () => {
  await assert.rejects(bothDone(Promise.reject(damaged), never), damaged)
  await assert.rejects(bothDone(never, Promise.reject(full)), full)
})

test("of a broken pipe the other end knows the reason, whichever of the two is heard first", async () => {
  const later = async (error: Error): Promise<never> => {
    await new Promise((resolve) => setImmediate(resolve))
    throw error
  }
  await assert.rejects(bothDone(later(damaged), Promise.reject(cutShort)), damaged)
  await assert.rejects(bothDone(Promise.reject(damaged), later(cutShort)), damaged)
  await assert.rejects(bothDone(Promise.reject(sorterGone), later(full)), full)
  await assert.rejects(bothDone(later(sorterGone), Promise.reject(full)), full)
})

test("an end that never gives its reason is not waited for", async () => {
  await assert.rejects(bothDone(never, Promise.reject(cutShort), 5), cutShort)
  await assert.rejects(bothDone(Promise.reject(sorterGone), never, 5), sorterGone)
})
