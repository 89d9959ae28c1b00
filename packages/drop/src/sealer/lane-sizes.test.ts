import assert from "node:assert/strict"
import { test } from "node:test"
import { testDropConfig } from "../../testing/test-config.ts"
import { laneSizes } from "./lane-sizes.ts"

const sizes = (env: Record<string, string>): ReturnType<typeof laneSizes> =>
  laneSizes(testDropConfig(env))

test("sealers for uploads are as many as the memory allows, and one at least", () => {
  assert.deepEqual(sizes({}).upload, { atRest: 1, most: 6 })
  assert.deepEqual(sizes({ DROP_SEALER_MEMORY_MB: "1320" }).upload, { atRest: 1, most: 1 })
  assert.deepEqual(sizes({ DROP_SEALER_MEMORY_MB: "5880" }).upload, { atRest: 1, most: 20 })
})

test("sealers for short messages are never fewer than stand ready", () => {
  assert.deepEqual(sizes({}).message, { atRest: 2, most: 8 })
  assert.deepEqual(sizes({ DROP_SEALERS: "16" }).message, { atRest: 16, most: 16 })
})

test("codes have sealers of their own, whatever messages have", () => {
  for (const DROP_SEALERS of ["1", "16"])
    assert.deepEqual(sizes({ DROP_SEALERS }).code, { atRest: 1, most: 4 })
})
