import assert from "node:assert/strict"
import { test } from "node:test"
import { readConfig } from "../../config.ts"
import { laneSizes } from "./lane-sizes.ts"

const messages = (env: Record<string, string>): unknown => laneSizes(readConfig(env).drop).message

test("sealers for messages are as many as the memory allows, and never fewer than stand ready", () => {
  assert.deepEqual(messages({}), { atRest: 2, most: 6 })
  assert.deepEqual(messages({ DROP_SEALER_MEMORY_MB: "720", DROP_SEALERS: "1" }), { atRest: 1, most: 1 }) // prettier-ignore
  assert.deepEqual(messages({ DROP_SEALER_MEMORY_MB: "5280" }), { atRest: 2, most: 20 })
  assert.deepEqual(messages({ DROP_SEALER_MEMORY_MB: "720", DROP_SEALERS: "4" }), { atRest: 4, most: 4 }) // prettier-ignore
})

test("codes have sealers of their own, whatever messages have", () => {
  for (const DROP_SEALERS of ["1", "16"])
    assert.deepEqual(laneSizes(readConfig({ DROP_SEALERS }).drop).code, { atRest: 1, most: 4 })
})
