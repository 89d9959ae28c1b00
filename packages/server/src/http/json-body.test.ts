import assert from "node:assert/strict"
import { test } from "node:test"
import { Problem } from "../base/problem.ts"
import { JSON_PARTS_MAX, readJson } from "./json-body.ts"
import { openTimeSlices } from "./time-slices.ts"

async function read(body: string, jsonPartsMax?: number): Promise<unknown> {
  const request = { headers: {}, routeOptions: { config: { jsonPartsMax } } }
  return await new Promise((resolve, reject) =>
    readJson(
      request as unknown as Parameters<typeof readJson>[0],
      Buffer.from(body),
      (error, value) => (error === null ? resolve(value) : reject(error)),
    ),
  )
}

const refusedAs = (code: string) => (error: unknown) =>
  error instanceof Problem && error.code === code

test("a body is nested 32 deep at most, brackets in texts aside, and is not parsed else", async () => {
  const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`
  assert.deepEqual(await read(nested(32)), JSON.parse(nested(32)))
  assert.deepEqual(await read(`["\\"${"[".repeat(99)}"]`), [`"${"[".repeat(99)}`])
  for (const text of [nested(33), '{"a":'.repeat(33), nested(100_000)])
    await assert.rejects(read(text), refusedAs("invalid-request"))
})

test("a body has as many parts as its route allows", async () => {
  const items = (count: number): string => `[${Array(count).fill('"a,b"').join()}]`
  assert.equal(((await read(items(JSON_PARTS_MAX))) as unknown[]).length, JSON_PARTS_MAX)
  await assert.rejects(read(items(JSON_PARTS_MAX + 1)), refusedAs("invalid-request"))
  assert.equal(((await read(items(50_000), 50_000)) as unknown[]).length, 50_000)
  await assert.rejects(read(items(50_001), 50_000), refusedAs("invalid-request"))
})

test("a body that is no JSON is refused as malformed JSON", async () => {
  for (const text of ["", "[", "]", "[1,]", '"\\', "}{", `[${" ".repeat(40_000)}`])
    await assert.rejects(read(text), refusedAs("malformed-json"), text)
})

test("a slice is over by time, not by count, and others get their turn before the next", async () => {
  let ms = 0
  const slices = openTimeSlices(() => ms)
  assert.equal(slices.isOver(), false)
  ms = 3
  assert.equal(slices.isOver(), true)
  let others = false
  setImmediate(() => (others = true))
  await slices.next()
  assert.ok(others)
  assert.equal(slices.isOver(), false)
})
