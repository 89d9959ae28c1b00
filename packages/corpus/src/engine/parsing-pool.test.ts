import assert from "node:assert/strict"
import { test } from "node:test"
import { deriveSecrets } from "@assay/runtime/secrets"
import type { FoundFormat } from "../formats/format.ts"
import { ownBytes } from "../formats/row-bytes.ts"
import type { KeyerOptions } from "./keyer.ts"
import { ParsingPool } from "./parsing-pool.ts"

const { subkeys } = deriveSecrets(Buffer.alloc(32, 7))
const hours = 480_000
const options: KeyerOptions = { subkeys, kind: "breach", hours, latestHours: hours + 24 }
const format: FoundFormat = { name: "combolist", delimiter: ":" }

function block(): Buffer {
  return ownBytes([Buffer.from("ana@mail.example:zqxjkv\n")])
}

/** A thread that does this with the first block it gets. */
function body(code: string): URL {
  const text = `import { parentPort } from "node:worker_threads"\nparentPort.once("message", () => { ${code} })`
  return new URL(`data:text/javascript,${encodeURIComponent(text)}`)
}

for (const [ends, code, reason] of [
  ["throws", 'throw new TypeError("zqxjkv")', "TypeError"],
  ["exits", "process.exit(0)", "it ended"],
] as const) {
  test(`a thread that ${ends} fails the blocks it has, and whatever comes after them`, async () => {
    const pool = new ParsingPool(1, options, body(code))
    const failure = { code: "parser", message: new RegExp(`thread failed \\(${reason}`) }
    const waiting = [pool.run(format, block()), pool.run(format, block())]
    for (const each of waiting) await assert.rejects(each, failure)
    await assert.rejects(pool.run(format, block()), failure)
    await pool.close()
  })
}

test("a block that was handed away cannot be again, and the next one can", async () => {
  const pool = new ParsingPool(1, options)
  const once = block()
  assert.equal((await pool.run(format, once)).rows, 1)
  const shared = Buffer.from(block())
  assert.equal((await pool.run(format, shared)).rows, 1)
  const detached = block()
  structuredClone(detached, { transfer: [detached.buffer as ArrayBuffer] })
  await assert.rejects(pool.run(format, detached), {
    code: "parser",
    message: "A block of rows could not be handed to its thread",
  })
  assert.equal((await pool.run(format, block())).rows, 1)
  await pool.close()
  await assert.rejects(pool.run(format, block()), { message: /it was closed/ })
})
